import { type FaultSpec, Simulator } from "../../../simulator/src";
import { ruleSeed } from "../../provider/small-engine/short-rule";
import { ourZones, zones } from "./declarations";
import { policyFields } from "./program";
import { type Scenario, tokenMark } from "./story";

/** Token that occurs only in this world, so that a leak is found. */
export const token = "k7Qm2Zt9Xw4Rb6Ls1Vd8Hf3Np5Jc0Gy";

/** Creates the service with its initial zones. */
export function household(story: Scenario, now: () => number): Simulator {
  const sim = new Simulator({ now, token, seed: 7 });
  story.found.forEach(({ policies, rules, switches: [enabled, vendor, path] }, index) => {
    const zone = ourZones[index] ?? "a";
    sim.zones.seed(zones[zone], {
      scripts: 0,
      connections: 0,
      cookies: 0,
      settings: { enabled, use_vendor_reporting_endpoint: vendor, use_connection_url_path: path },
      policies: [
        { description: "somebody's", expression: 'http.host eq "blog.example.com"' },
        ...policies.map(policyFields),
      ],
      ...(zone === "m"
        ? { waf: { ...story.waf, firewallRules: 2 } }
        : { entrypoint: rules ? { name: "found", rules: rules.map(ruleSeed) } : null }),
    });
  });
  sim.zones.seed(zones.q, {
    scripts: 1,
    connections: 0,
    cookies: 0,
    policies: [policyFields({ description: "one", text: 0, action: "log", enabled: true })],
  });
  return sim;
}

/** Faults of a gateway before the service. A gateway that repeats a DELETE gets 404. */
export const gateways: Readonly<Record<Scenario["gateway"], readonly FaultSpec[]>> = {
  plain: [],
  "repeats deletes": [{ method: "DELETE", kind: "status", status: 404, when: "after" }],
};

export function withToken(fault: FaultSpec): FaultSpec {
  return "message" in fault && fault.message !== undefined
    ? { ...fault, message: fault.message.replace(tokenMark, token) }
    : fault;
}
