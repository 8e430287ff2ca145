import { tellTogether } from "../real-engine/told-together";
import { cliKilled } from "./stories/cli-killed";
import { components } from "./stories/components";
import { cspPolicySet } from "./stories/csp-policy-set";
import { cspPreview } from "./stories/csp-preview";
import { deletedFirst } from "./stories/deleted-first";
import { drift } from "./stories/drift";
import { engineOptions } from "./stories/engine-options";
import { foreignRules } from "./stories/foreign-rules";
import { lifecycle } from "./stories/lifecycle";
import { lostAnswers } from "./stories/lost-answers";
import { providerKilled } from "./stories/provider-killed";
import { twins } from "./stories/twins";
import { unknownAndSecret } from "./stories/unknown-and-secret";
import { wafMigration } from "./stories/waf-migration";
import { wafMigrationUnclear } from "./stories/waf-migration-unclear";

/** In one file, because the more of them are told together the fewer runs of the engine each of them takes. */
describe("On the engine: the life of resources", function () {
  const tell = tellTogether(this);
  lifecycle(tell);
  drift(tell);
  foreignRules(tell);
  engineOptions(tell);
  deletedFirst(tell);
  twins(tell);
  components(tell);
  cspPolicySet(tell);
  cspPreview(tell);
  unknownAndSecret(tell);
  wafMigration(tell);
  wafMigrationUnclear(tell);
  providerKilled(tell);
  cliKilled(tell);
  lostAnswers(tell);
});
