import { existsSync, readFileSync } from "node:fs";
import { CodedError } from "../errors/coded-error";
import { makeWarning } from "../model/finding";
import type { Properties } from "../model/properties";
import { isUnknown } from "../model/unknown";
import { declaredKind } from "../model/urn";
import { parseJson } from "../text/from-outside";
import { cleanList } from "../text/shown";
import { omit, readCarriedUrn, withoutHidden } from "./hidden-inputs";
import type { Kind } from "./kind";
import { rememberInRun } from "./memory";
import type { Run } from "./run";

/** Inputs that a policy pack changed. The engine lets packs change inputs after `check`, and does not check again. */
export interface Remediated {
  /** URN of the resource, from its check: the pack may have dropped the hidden input `__urn`. */
  readonly urn: string;
  readonly names: readonly string[];
  /** Why the resource refuses these inputs; see `refusalOfRemediation`. */
  readonly refusal: string | undefined;
}

type RemediatedKind = Pick<Kind<unknown, object>, "name" | "refusesRemediation" | "inZone">;

/** Inputs that `check` returned, by URN. Resources whose URN a transform has dropped share the empty URN. */
const checkedInputs = rememberInRun(
  () => new Map<string, { kind: string; urn: string; inputs: Properties }[]>(),
);

/** Remembers the result of a check. A replacement has two checks, and the engine uses the result of the second one. */
export function rememberChecked(run: Run, kind: string, urn: string, inputs: Properties): void {
  const all = checkedInputs(run);
  const beside = urn === "" ? (all.get(urn) ?? []) : [];
  all.set(urn, [...beside, { kind, urn, inputs: withoutInternal(inputs) }]);
}

/** Returns the inputs of a `diff`, `create` or `update` that differ from the result of `check`; undefined if none does. */
export function remediatedInputs(run: Run, kind: RemediatedKind, inputs: Properties): Remediated | undefined {
  const urn = readCarriedUrn(inputs);
  const now = withoutInternal(inputs);
  const all = checkedInputs(run);
  // A pack that drops unknown properties drops the URN too. Without a URN, use the resource with the most similar inputs.
  const [{ one, names } = {}] = (urn === "" ? [...all.values()].flat() : (all.get(urn) ?? []))
    .filter((one) => one.kind === kind.name)
    .map((one) => ({ one, names: differingNames(now, one.inputs) }))
    .sort((left, right) => left.names.length - right.names.length);
  if (!one || !names?.length) return undefined;
  return { urn: one.urn, names, refusal: refusalOfRemediation(kind, one.inputs, now) };
}

/** Refuses remediated inputs if only the program may set them. @throws CodedError */
export function refuseRemediated(kind: string, { refusal }: Remediated): void {
  if (refusal === undefined) return;
  throw new CodedError(
    "remediation-refused",
    `Failed to use the inputs of this ${declaredKind(kind)}: a policy pack ${refusal}`,
  );
}

/**
 * Returns why a resource refuses inputs that a policy pack changed; undefined if it accepts them. Packs change the inputs of a
 * new resource after its preview, so the preview has not shown the effects of the changed inputs on another zone, on unmanaged
 * objects or on a migration. In a replacement, the engine drops the changes of packs, so a pack cannot move a resource.
 */
export function refusalOfRemediation(
  { name: kind, refusesRemediation, inZone }: RemediatedKind,
  declared: Properties,
  now: Properties,
): string | undefined {
  const takes = (name: string) => (inZone.takesOthers?.({ [name]: now[name] }) ?? "no") !== "no";
  const names = differingNames(now, declared).filter(
    (name) => refusesRemediation || name === "zoneId" || takes(name),
  );
  if (names.length === 0) return undefined;
  return `changed ${cleanList(names, { max: 80 })}. Only the program may set this, because the preview of a new resource shows the effect of the declared value, not of the changed one. Declare the value in the program, and let the policy leave it unchanged for ${kind}.`;
}

/**
 * Refuses inputs that differ from the approved inputs in the file of `page-guard apply`, even if no pack changes an input now.
 * If a pack changed the input in the review, nobody has approved the declared value. @throws CodedError
 */
export function refuseUnapproved(run: Run, kind: string, urn: string, inputs: Properties): void {
  const approved = approvedInputs(run);
  if (approved === undefined) return;
  const others = differingNames(Object(approved[urn]), withoutInternal(inputs));
  if (others.length === 0) return;
  throw new CodedError(
    "remediation-not-approved",
    `Failed to apply what was approved for this ${declaredKind(kind)}: a policy pack changed ${cleanList(others, { max: 80 })} to a value that the review did not show, or no longer changes it. Nothing was sent for this resource. Find out why the pack decides differently now, then review and approve again.`,
  );
}

export function remediatedFinding({ names }: Remediated) {
  return makeWarning(
    "",
    "inputs-remediated",
    `a policy pack changed ${cleanList(names, { max: 80 })}: its values are used instead of those that the program declares. However, if the engine replaces this resource, it uses the declared values.`,
  );
}

/**
 * Returns the URNs of the resources that keep policies in an approved update, by policy id. Empty without an approval. The
 * provider cannot find them itself, because the engine may start a create before it passes the states of other resources.
 */
export function approvedKeepers(run: Run): ReadonlyMap<string, string> {
  const keepers = Object.entries(Object(approvedInputs(run)?.["keepers"]));
  return new Map(keepers.map(([policyId, urn]) => [policyId, String(urn)]));
}

/**
 * The approved inputs, by URN, and under `keepers` the resources that keep policies. Inputs that the review could not show
 * (unknown or secret) are `unknownValue`.
 */
const approvedInputs = rememberInRun(({ approvedInputsFile: file }): Properties | undefined => {
  if (file === undefined) return undefined;
  // If the file is missing or damaged, nothing is approved.
  return Object(existsSync(file) && parseJson(readFileSync(file, "utf8"))) as Properties;
});

function withoutInternal(inputs: Properties): Properties {
  return omit(withoutHidden(inputs), ["__provider"]);
}

function differingNames(one: object, other: object): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !isSame(Reflect.get(one, name), Reflect.get(other, name)));
}

/**
 * Whether two inputs are equal; null equals absent. An unknown value in `one` equals any value: packs never make a value unknown,
 * but the plugin does this to a list with both a secret and an unknown value.
 */
function isSame(one: unknown, other: unknown): boolean {
  if (isUnknown(one)) return true;
  if (!isContainer(one) || !isContainer(other)) return (one ?? undefined) === (other ?? undefined);
  return Array.isArray(one) === Array.isArray(other) && differingNames(one, other).length === 0;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
