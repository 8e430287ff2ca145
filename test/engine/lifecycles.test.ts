import { tellTogether } from "../real-engine/told-together";
import { components } from "./stories/components";
import { drift } from "./stories/drift";
import { engineOptions } from "./stories/engine-options";
import { foreignRules } from "./stories/foreign-rules";
import { lifecycle } from "./stories/lifecycle";
import { twins } from "./stories/twins";

describe("On the engine: the life of resources", function () {
  const tell = tellTogether(this);
  lifecycle(tell);
  drift(tell);
  foreignRules(tell);
  engineOptions(tell);
  twins(tell);
  components(tell);
});
