import { tellTogether } from "../real-engine/told-together";
import { cliKilled } from "./stories/cli-killed";
import { lostAnswers } from "./stories/lost-answers";
import { providerKilled } from "./stories/provider-killed";

describe("On the engine: what is cut off", function () {
  const tell = tellTogether(this);
  providerKilled(tell);
  cliKilled(tell);
  lostAnswers(tell);
});
