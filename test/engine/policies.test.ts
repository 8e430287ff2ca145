import { tellTogether } from "../real-engine/told-together";
import { cspPolicySet } from "./stories/csp-policy-set";
import { cspPreview } from "./stories/csp-preview";
import { unknownAndSecret } from "./stories/unknown-and-secret";

describe("On the engine: policies, and what is unknown or secret in them", function () {
  const tell = tellTogether(this);
  cspPolicySet(tell);
  cspPreview(tell);
  unknownAndSecret(tell);
});
