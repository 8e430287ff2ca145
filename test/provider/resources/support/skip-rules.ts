import type { RuleSeed, Simulator } from "../../../../simulator/src";
import type { Properties } from "../../small-engine/checkpoint";
import { zoneA } from "../../small-engine/zones";

/** Returns a rule as a program declares it. */
export function rule(name: string, more: Properties = {}): Properties {
  return {
    action: "skip",
    expression: `http.host eq "${name}"`,
    description: name,
    actionParameters: { extra: { ruleset: "current" } },
    ...more,
  };
}

/** Returns the same rule as somebody adds it to the zone. */
export function made(name: string, more: Partial<RuleSeed> = {}): RuleSeed {
  return {
    action: "skip",
    expression: `http.host eq "${name}"`,
    description: name,
    action_parameters: { ruleset: "current" },
    ...more,
  };
}

/** Returns the descriptions of the rules of a zone, in their order. */
export function names(sim: Simulator, zoneId = zoneA): (string | undefined)[] {
  return (sim.zone(zoneId).entrypoint?.rules ?? []).map(({ description }) => description);
}
