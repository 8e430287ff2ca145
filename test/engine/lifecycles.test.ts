import { shareRuns } from "../real-engine/shared-stories";
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

/** In one file, because the more of them share a run of the engine the fewer runs each of them takes. */
describe("On the engine: the life of resources", function () {
  const addStory = shareRuns(this);
  lifecycle(addStory);
  drift(addStory);
  foreignRules(addStory);
  engineOptions(addStory);
  deletedFirst(addStory);
  twins(addStory);
  components(addStory);
  cspPolicySet(addStory);
  cspPreview(addStory);
  unknownAndSecret(addStory);
  wafMigration(addStory);
  wafMigrationUnclear(addStory);
  providerKilled(addStory);
  cliKilled(addStory);
  lostAnswers(addStory);
});
