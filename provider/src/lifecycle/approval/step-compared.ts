import { listed } from "../../text/listed";
import { without, withoutHidden } from "../hidden-inputs";
import type { Properties } from "../kind";
import { kindOf } from "../urn";
import type { ApprovedContent, ApprovedStep } from "./approved-file";
import type { ChangeCall } from "./change-call";
import { differingPlaces, type Path, pathKey, placeText } from "./differing-places";
import { type DigestKey, secretDigest } from "./keyed-digest";

export const migrationKind = "WafMigrationStep";

/** What the service sets by itself, at any time: of a resource, and of the rules in its lists. */
const moving = new Set(["updatedAt", "version", "lastUpdated"]);

/** A recorded object as it is approved and compared: as the engine has it, without what moves by itself. */
export function steadyState(outputs: Properties, hidden: readonly string[] = []): Properties {
  const { __provider, ...recorded } = withoutHidden(outputs);
  return without(withoutMoving(recorded), hidden);
}

function withoutMoving(fields: object): Properties {
  const kept = Object.entries(fields).filter(([name]) => !moving.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, steady(value)]));
}

/** What is not in a list has names of the program's own: a key of a set may be called `version`. */
function steady(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, steady(entry)]));
  }
  return value.map((entry: unknown) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry)
      ? withoutMoving(entry)
      : steady(entry),
  );
}

/** Inputs that could not be seen when they were approved. A zone is handled apart, but for a migration. */
export function unseenInputs({ type, unknown }: ApprovedStep): readonly Path[] {
  if (kindOf(type) === migrationKind) return unknown;
  return unknown.filter((path) => !isZone(path));
}

function isZone(path: Path): boolean {
  return pathKey(path) === pathKey(["zoneId"]);
}

/** Where a step is not as it was approved, by another preview or by a call of the engine. Without its id. */
export function otherPlaces(
  approved: Pick<ApprovedStep, "after" | "recorded" | "unknown">,
  now: Pick<ApprovedStep, "after" | "recorded">,
): { readonly inputs: readonly Path[]; readonly outputs: readonly Path[] } {
  const unknown = new Set(approved.unknown.map(pathKey));
  return {
    inputs: differingPlaces(approved.after ?? {}, now.after ?? {}, unknown),
    outputs: differingPlaces(approved.recorded ?? {}, now.recorded ?? {}),
  };
}

/** What of a change is not as its step was approved, each fit to be shown. No value: one may be secret by now. */
export async function otherThanApproved(
  step: ApprovedStep,
  change: ChangeCall,
  content: Pick<ApprovedContent, "secrets" | "allowsUnknownInputs" | "allowsUnknownZones">,
  key: DigestKey,
): Promise<readonly string[]> {
  const { act, kind } = change;
  const { after = {}, unknown, secret } = step;
  const isOpen = (path: Path): boolean =>
    kind !== migrationKind &&
    (isZone(path) ? content.allowsUnknownZones : content.allowsUnknownInputs) === true;
  const unseen = unknown.filter((path) => !isOpen(path));
  const { __provider, ...declared } = withoutHidden(change.inputs);
  const closed = secret.filter((name) => !unknown.some((path) => pathKey(path) === pathKey([name])));
  const { inputs, outputs } = otherPlaces(
    { ...step, after: without(after, closed) },
    { after: without(declared, closed), recorded: steadyState(change.recorded, step.hidden) },
  );
  const places: string[] = [];
  if (act !== "delete") {
    const secrets = await otherSecrets(step.urn, closed, declared, content, key);
    places.push(...said("the program declares another", [...inputs, ...secrets]));
    places.push(...said("what was not known then:", unseen));
  }
  if (act !== "create")
    places.push(...said("the state has another", step.id === change.id ? outputs : [["id"]]));
  return places;
}

function said(what: string, places: readonly Path[]): string[] {
  return places.length === 0 ? [] : [`${what} ${listed(places.map(placeText), { separator: ", " })}`];
}

/** Secret inputs, by their digests. */
async function otherSecrets(
  urn: string,
  names: readonly string[],
  declared: Properties,
  { secrets }: Pick<ApprovedContent, "secrets">,
  key: DigestKey,
): Promise<Path[]> {
  const others = names.map(async (name): Promise<Path[]> => {
    const approved = secrets.find((one) => one.urn === urn && one.property === name);
    return approved?.digest === (await secretDigest(key, `${urn}#${name}`, declared[name])) ? [] : [[name]];
  });
  return (await Promise.all(others)).flat();
}
