import { onlyAllowsMore } from "page-guard-csp";
import { isSameField } from "../compare";
import {
  type Answer,
  type Effect,
  isChanging,
  isWord,
  type ResourceChange,
  takesOthersIf,
  type ZoneObjects,
} from "../effect";
import type { Properties } from "../properties";
import { isHidden, isText } from "../unknown";
import { findChangedPolicyFields, policyFields } from "./declared-policy";
import { enforces } from "./enforcement";
import {
  fillDescription,
  isReleased,
  isSamePolicy,
  type KeyedPolicy,
  knownBody,
  knownText,
  matchPolicies,
} from "./match-policies";

interface DeclaredEntry<Resource> extends KeyedPolicy {
  readonly by: Resource;
}

interface RecordedEntry<Resource> extends DeclaredEntry<Resource> {
  readonly id: string | undefined;
}

/** Whether a set deletes the policies in its zone that it does not declare. */
export const deletesOthers = takesOthersIf("others", "delete");

/**
 * Computes the effects of an update on the policies in a zone. Uses the policies in the state if the zone was not read (`live` is
 * undefined).
 */
export function policyEffects<Resource extends ResourceChange>(
  resources: readonly Resource[],
  { policies: live }: ZoneObjects,
): readonly Effect<Resource>[] {
  const sorted = sortPolicies(resources, live);
  const updates = updateEffects(sorted);
  const creations = createEffects(sorted);
  const adopted = new Set(
    [...updates, ...creations].flatMap(({ fate, object }) => (fate === "create" ? [] : object.id)),
  );
  const deleter = resources.find((by) => isChanging(by) && deletesOthers(by.becomes) !== "no");
  const deletions = deleteEffects(sorted, adopted, deletesOthers(deleter?.becomes));
  const losses = deleter ? loseEffects(sorted, adopted, deleter) : [];
  return [...updates, ...creations, ...deletions, ...losses];
}

/** The policies in a zone and in the resources, grouped by the update's effect on them. */
interface Sorted<Resource> {
  readonly recorded: readonly RecordedEntry<Resource>[];
  /** Policies by id: those in the zone or, if it was not read, those in the state. */
  readonly zone: ReadonlyMap<string | undefined, Properties>;
  /** Policies that a changing resource keeps. `now` is undefined if the declaration is not known. */
  readonly kept: readonly { record: RecordedEntry<Resource>; now: DeclaredEntry<Resource> | undefined }[];
  /** Ids of all policies that a resource keeps. */
  readonly keptIds: ReadonlySet<string | undefined>;
  /** Policies to adopt or create. */
  readonly missing: readonly DeclaredEntry<Resource>[];
  /** Policies that their resource no longer declares. */
  readonly dropped: readonly RecordedEntry<Resource>[];
}

function sortPolicies<Resource extends ResourceChange>(
  resources: readonly Resource[],
  live: ZoneObjects["policies"],
): Sorted<Resource> {
  const recorded = resources.flatMap(recordedPolicies);
  const zone = new Map<string | undefined, Properties>(
    live
      ? live.map((policy) => [policy.policyId, { ...policy }])
      : recorded.flatMap((record) =>
          record.id === undefined ? [] : [[record.id, fillDescription(record)] as const],
        ),
  );
  // A policy with a secret id is assumed to exist, because it cannot be looked up.
  const isGone = ({ id }: RecordedEntry<Resource>) => live !== undefined && id !== undefined && !zone.has(id);
  const kept: Sorted<Resource>["kept"][number][] = [];
  const keptIds = new Set<string | undefined>();
  const missing: DeclaredEntry<Resource>[] = [];
  const dropped: RecordedEntry<Resource>[] = [];
  for (const by of resources) {
    const matched = matchWithState(by, recordedPolicies(by));
    dropped.push(...matched.dropped.filter((one) => !isGone(one)));
    for (const { record } of matched.kept) keptIds.add(record.id);
    if (!isChanging(by)) continue;
    missing.push(...matched.missing);
    for (const { record, now } of matched.kept) {
      if (!isGone(record)) kept.push({ record, now });
      // Without a refresh, an update recreates a deleted policy only if the policy is in a set and the update would send it anyway.
      else if (now && record.key !== "" && isDue(record, now)) missing.push(now);
    }
  }
  return { recorded, zone, kept, keptIds, missing, dropped };
}

/** Returns, by policy id, the URN of the resource that keeps the policy. If two resources keep a policy, returns the first. */
export function keepersOf(resources: readonly ResourceChange[]): ReadonlyMap<string, string> {
  const keepers = new Map<string, string>();
  for (const by of resources)
    for (const { record } of matchWithState(by, recordedPolicies(by)).kept)
      if (record.id !== undefined && !keepers.has(record.id)) keepers.set(record.id, by.urn);
  return keepers;
}

/** Returns the effects on the policies that a resource keeps. */
function updateEffects<Resource extends ResourceChange>({
  zone,
  kept,
}: Sorted<Resource>): Effect<Resource>[] {
  return kept.flatMap(({ record, now }) => {
    const [before, after] = [zone.get(record.id) ?? fillDescription(record), now && fillDescription(now)];
    if (!isDue(record, now) || (after && isSamePolicy(before, after))) return [];
    const begins = after && beginsToEnforce(after, before);
    const isUnchecked = begins && changesDescriptionOnly(fillDescription(record), after);
    const weaker = weakerPolicy(before, after ?? unknownPolicy);
    return [makeEffect("update", now ?? record, { before, after, begins, isUnchecked, weaker }, record.id)];
  });
}

/** Returns the effects of new policies. The update adopts the newest equal policy that no resource owns, or creates one. */
function createEffects<Resource extends ResourceChange>(sorted: Sorted<Resource>): Effect<Resource>[] {
  const { recorded, zone, keptIds, missing, dropped } = sorted;
  const owned = new Set(recorded.map(({ id }) => id));
  for (const { id, by, key } of dropped) if (isFree(by, key) && !keptIds.has(id)) owned.delete(id);
  return missing.map((one) => {
    const after = fillDescription(one);
    const [id, before] =
      [...zone].findLast(([at, policy]) => !owned.has(at) && isSamePolicy(policy, after)) ?? [];
    if (!before) return makeEffect("create", one, { after, begins: beginsToEnforce(after) });
    owned.add(id);
    return makeEffect("adopt", one, { before, after }, id);
  });
}

/** Returns the effects on the policies that no resource declares any more. `takes`: whether a set deletes undeclared policies. */
function deleteEffects<Resource extends ResourceChange>(
  { zone, keptIds, dropped }: Sorted<Resource>,
  adopted: ReadonlySet<string | undefined>,
  takes: Answer,
): Effect<Resource>[] {
  return dropped.flatMap((one) => {
    // A policy that another resource keeps or adopts stays with that resource.
    if (one.id !== undefined && (adopted.has(one.id) || keptIds.has(one.id))) return [];
    const before = zone.get(one.id) ?? fillDescription(one);
    const left = isLeft(one.by, one.key);
    // The engine never deletes the retained policies of a replaced set, and the new set takes them for those of the old one.
    const isRetained = one.by.op === "replace" && one.by.isRetained;
    if (left === "yes" && (takes === "no" || isRetained))
      return [makeEffect("leave", one, { before, after: before }, one.id)];
    const isOpen = one.id === undefined || (left !== "no" && takes !== "yes");
    return [makeEffect("delete", one, { before, weaker: weakerPolicy(before), isOpen }, one.id)];
  });
}

/** Returns the effects on unmanaged policies. `deleter`: the set with `others: "delete"`, which deletes them. */
function loseEffects<Resource extends ResourceChange>(
  { recorded, zone, missing }: Sorted<Resource>,
  adopted: ReadonlySet<string | undefined>,
  deleter: Resource,
): Effect<Resource>[] {
  const isOpen =
    deletesOthers(deleter.becomes) === "maybe" ||
    recorded.some(({ id }) => id === undefined) ||
    missing.some((one) => !knownBody(fillDescription(one)));
  const managed = new Set([...recorded.map(({ id }) => id), ...adopted]);
  return [...zone].flatMap(([id, before]): Effect<Resource>[] => {
    if (id === undefined || managed.has(id)) return [];
    const label = String(before["description"]).trim() || id;
    return [{ object: { kind: "policy", id, label }, fate: "lose", by: deleter, before, isOpen }];
  });
}

function makeEffect<Resource extends ResourceChange>(
  fate: Effect["fate"],
  one: DeclaredEntry<Resource>,
  more: Partial<Effect<Resource>>,
  id?: string,
): Effect<Resource> {
  const { description } = fillDescription(one);
  const label = one.key || (isText(description) && description) || one.by.name;
  const after = more.after && (knownBody(more.after) ?? more.after);
  return {
    object: { kind: "policy", id, label },
    fate,
    by: one.by,
    ...more,
    after: after && { ...after },
  };
}

function listPolicies<Resource>(by: Resource, values: Properties): DeclaredEntry<Resource>[] {
  if (!isSet(values)) return [{ by, key: "", policy: values }];
  return Object.entries(toMap(values["policies"])).map(([key, policy]) => ({
    by,
    key,
    policy: Object(policy),
  }));
}

/** Returns the entries of an object; none if the value is secret or not known. */
function toMap(value: unknown): Properties {
  return typeof value === "object" ? { ...value } : {};
}

function isSet(values: Properties): boolean {
  return Object.hasOwn(values, "policies");
}

/**
 * Returns the policies in the state of a resource. The key of a single policy is empty. If the policies and the ids of a set are
 * secret, one entry with an empty key stands for all of them.
 */
export function recordedPolicies<Resource extends Pick<ResourceChange, "id" | "was">>(
  by: Resource,
): RecordedEntry<Resource>[] {
  const { was, id } = by;
  if (!was) return [];
  const { policyId, policyIds, policies } = was;
  const single = isText(policyId) ? policyId : id.split("/")[1];
  const ids: Properties = isSet(was) ? toMap(policyIds) : { "": single };
  const isUnseen = isHidden(policies) && isHidden(policyIds);
  const all = isUnseen ? { "": {} } : { ...ids, ...toMap(policies) };
  return listPolicies(by, isSet(was) ? { policies: all } : was).map((one) => {
    const found = ids[one.key];
    return { ...one, id: isText(found) ? found : undefined };
  });
}

/** Matches the policies of a resource as `matchPolicies` does. In `kept`, `now` is undefined if the declaration is not known. */
function matchWithState<Resource extends ResourceChange>(
  by: Resource,
  own: readonly RecordedEntry<Resource>[],
) {
  const { becomes, op } = by;
  if (!becomes) return { kept: [], missing: [], dropped: own };
  if (op === "replace") return { kept: [], missing: listPolicies(by, becomes), dropped: own };
  if (isSet(becomes) && typeof becomes["policies"] !== "object")
    return { kept: own.map((record) => ({ record, now: undefined })), missing: [], dropped: [] };
  return matchPolicies(own, listPolicies(by, becomes), becomes["release"]);
}

/**
 * Whether another resource can adopt a policy in the update in which `by` stops declaring it. The deletion of `by` does not prevent
 * an adoption, because the engine updates the other resource first.
 */
function isFree(by: ResourceChange, key: string): boolean {
  if (by.op === "delete") return true;
  return by.op === "replace" ? by.was?.["onDestroy"] === "keep" : isLeft(by, key) === "yes";
}

/** Whether a policy that its resource no longer declares stays in the zone. */
function isLeft({ becomes, op, isRetained, was }: ResourceChange, key: string): Answer {
  // A replaced set releases no policy, because the whole set is deleted.
  if (!becomes || op === "replace") return isRetained ? "yes" : isWord(was?.["onDestroy"], "keep");
  const { release } = becomes;
  if (isReleased(release, key)) return "yes";
  return [release].flat().some(isHidden) ? "maybe" : "no";
}

/** Whether the update sends a request for the policy, or may send one. */
function isDue<Resource extends ResourceChange>(
  record: RecordedEntry<Resource>,
  now: DeclaredEntry<Resource> | undefined,
): boolean {
  const [was, becomes] = [fillDescription(record), now && fillDescription(now)];
  if (!becomes) return true;
  if (knownBody(was) && knownBody(becomes))
    return record.by.was?.["incomplete"] === true || findChangedPolicyFields(was, becomes).length > 0;
  // Secret and unknown values look the same on both sides; only the engine's differences show a change.
  const isOfPolicy = (path: string) =>
    policyFields.some((field) => path.startsWith(field)) || /^(directives|policies)\b/.test(path);
  return record.by.differences.some(({ path }) => isOfPolicy(path) && mayName(path, record.key));
}

/** Whether the path of a difference, such as `policies.checkout.value`, may name the policy with this key of a set. */
function mayName(path: string, key: string): boolean {
  if (key === "" || path === "policies") return true;
  const below = path.replace(/^policies\.?/, "");
  // The engine writes a key with special characters in brackets, partly escaped.
  return below.startsWith("[") ? below.includes(key) : below.split(/[.[]/)[0] === key;
}

/** Whether only the description changes. Visitors do not notice such a change, so a preview does not check its impact. */
function changesDescriptionOnly(was: Properties, becomes: Properties): boolean {
  return findChangedPolicyFields(was, becomes).every((field) => field === "description");
}

/** A policy with no known field. */
const unknownPolicy: Properties = {};

/** Returns how a policy gets weaker; undefined if it does not. Without `now`, the policy is deleted. */
function weakerPolicy(old: Properties, now: Properties = { enabled: false }): string | undefined {
  if (enforces(old) === "no") return undefined;
  const state = enforces(now);
  if (state !== "yes") return state === "no" ? "no longer enforced" : "may no longer be enforced";
  const [before, after] = [old["expression"], now["expression"]];
  const isElsewhere =
    !isText(before) || !isText(after) || !isSameField("policy", "expression", before, after);
  const [was, becomes] = [knownText(old), knownText(now)];
  // The new policy is weaker unless the old one certainly allowed everything that the new one allows.
  const mayAllowMore = was === undefined || becomes === undefined || !onlyAllowsMore(becomes, was);
  const parts = [...(isElsewhere ? ["for other requests"] : []), ...(mayAllowMore ? ["may allow more"] : [])];
  return parts.join(", ") || undefined;
}

function beginsToEnforce(now: Properties, old: Properties = { enabled: false }): Effect["begins"] {
  const after = enforces(now);
  return enforces(old) === "yes" || after === "no" ? undefined : after;
}
