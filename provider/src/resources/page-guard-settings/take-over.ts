import type { Settings } from "../../api/client-types";
import { type Finding, warningOn } from "../../lifecycle/finding";
import { type Initial, type Inputs, switches } from "./state";

/**
 * What a create is about to adopt: settings that someone has set up. A zone that is not watched yet has nothing to
 * lose but for the switches that are declared besides.
 */
export function takeOverFindings(found: Settings, inputs: Inputs, known: Initial | undefined): Finding[] {
  const changed = switches.filter((input) => inputs[input] !== undefined && inputs[input] !== found[input]);
  if (!found.enabled && changed.every((input) => input === "enabled")) return [];
  const message = `the zone's settings are already in use (${inWords(found)}) and are adopted. ${onDestroy(inputs, known ?? initialOf(found))}${afterRename(inputs, known)}`;
  return [warningOn("", "settings-taken-over", message)];
}

export function initialOf({ updatedAt: _, ...switchesFound }: Settings): Initial {
  return switchesFound;
}

function onDestroy(inputs: Inputs, initial: Initial): string {
  if (inputs.onDestroy === "keep") return "A destroy will leave them as they are.";
  if (inputs.onDestroy === "disable") return "A destroy will switch the watching off.";
  const declared = switches.filter((input) => inputs[input] !== undefined && initial[input] !== undefined);
  const back = Object.fromEntries(declared.map((input) => [input, initial[input]]));
  return `From now on a destroy will restore ${inWords(back)}.`;
}

/**
 * Only the old record knows what was there before it; a run that has not read it can't tell. The engine shows it neither
 * for another name nor with `--replace`.
 */
function afterRename({ onDestroy: after = "restore" }: Inputs, known: Initial | undefined): string {
  if (known || after !== "restore") return "";
  return ` If this resource was only renamed, or is recreated by --replace, the original settings recorded by the old resource are lost, unless it is deleted first (deleteBeforeReplace): keep them with aliases: [{ name: "the old name" }] in its options, or run \`pulumi up --refresh\`.`;
}

function inWords(values: Initial | Partial<Initial>): string {
  return switches
    .filter((input) => values[input] !== undefined)
    .map((input) => `${input} ${values[input]}`)
    .join(", ");
}
