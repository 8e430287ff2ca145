import type { Finding } from "../../lifecycle/finding";
import type { Properties } from "../../lifecycle/kind";
import { containsUnknown } from "../../lifecycle/unknown";
import { listed } from "../../text/listed";
import { shape } from "./state";

/** Nobody is to learn of a step without a way back by its happening: told where a preview could not look. */
export function notLookedAt(declared: Properties): readonly Finding[] {
  const late = Object.keys(shape).filter((input) => containsUnknown(declared[input]));
  if (late.length === 0) return [];
  const [are, they] = late.length === 1 ? ["is", "it depends"] : ["are", "they depend"];
  const message = `${listed(late, { separator: ", " })} ${are} not known before the update, so nobody has looked at the zone: whether it can be migrated, and what would be sent, shows in the update alone. ${consequence(declared["stage"])} To see it before, make what ${they} on in an update of its own and preview again.`;
  return [{ severity: "warning", code: "migration-not-looked-at", property: "", message }];
}

function consequence(stage: unknown): string {
  if (stage === "finished") return "It then FINISHES the migration, which cannot be undone.";
  if (stage === "validation")
    return "It then starts validation, from which no zone goes back to the previous WAF alone.";
  return "What it then does cannot be undone.";
}
