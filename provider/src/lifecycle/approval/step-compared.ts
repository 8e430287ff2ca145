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

/** What of a change is not as its step was approved, each fit to be shown. No value: one may be secret by now. */
export async function otherThanApproved(
  step: ApprovedStep,
  change: ChangeCall,
  content: Pick<ApprovedContent, "secrets" | "allowsUnknownInputs" | "allowsUnknownZones">,
  key: DigestKey,
): Promise<readonly string[]> {
  const { act, kind } = change;
  const isOpen = (path: Path): boolean =>
    kind !== migrationKind &&
    (isZone(path) ? content.allowsUnknownZones : content.allowsUnknownInputs) === true;
  const [unseen, inputs] =
    act === "delete"
      ? [[], []]
      : [step.unknown.filter((path) => !isOpen(path)), await otherInputs(step, change.inputs, content, key)];
  const record = act === "create" ? [] : otherRecord(step, change);
  return [
    ...said("the program declares another", inputs),
    ...said("what was not known then:", unseen),
    ...said("the state has another", record),
  ];
}

function said(what: string, places: readonly Path[]): string[] {
  return places.length === 0 ? [] : [`${what} ${listed(places.map(placeText), { separator: ", " })}`];
}

async function otherInputs(
  { after = {}, secret, unknown, urn }: ApprovedStep,
  inputs: Properties,
  { secrets }: Pick<ApprovedContent, "secrets">,
  key: DigestKey,
): Promise<Path[]> {
  const { __provider, ...declared } = withoutHidden(inputs);
  const unknownPaths = new Set(unknown.map(pathKey));
  const closed = secret.filter((name) => !unknownPaths.has(pathKey([name])));
  const others = closed.map(async (name): Promise<Path[]> => {
    const approved = secrets.find((one) => one.urn === urn && one.property === name);
    return approved?.digest === (await secretDigest(key, `${urn}#${name}`, declared[name])) ? [] : [[name]];
  });
  return [
    ...differingPlaces(without(after, closed), without(declared, closed), unknownPaths),
    ...(await Promise.all(others)).flat(),
  ];
}

function otherRecord({ id, recorded, hidden }: ApprovedStep, change: ChangeCall): readonly Path[] {
  if (id !== change.id) return [["id"]];
  return differingPlaces(recorded, steadyState(change.recorded, hidden));
}
