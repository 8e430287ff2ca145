import type { Policy } from "../../api/client-types";
import { onlyAllowsMore } from "../../csp";
import { declaredAsIn } from "../../lifecycle/urn";
import { declaredText } from "../../policies/declared-policy";
import type { ReviewLoss } from "../../reports/review/review";
import { fieldMeaning, isSameField } from "../../zone/compare";
import { listIn, recordIn, stringIn } from "../values";
import type { PreviewStep, Values } from "./preview-read";
import { isChanging, type ObjectChange, type Outcome, type Side, takesOthers } from "./zone-objects";

/** A policy of a `CspPolicy`, or one of a `CspPolicySet`. */
interface Held {
  readonly step: PreviewStep;
  /** Its key in a set; empty for a `CspPolicy`. */
  readonly key: string;
  readonly values: Values;
  readonly meaning: string | undefined;
}

/** One that the state has. */
interface Owned extends Held {
  readonly id: string | undefined;
  /** `left`: it stays without its resource. `open`: nobody knows which policies will be declared. */
  readonly fate: "kept" | "left" | "deleted" | "open";
}

/**
 * What a plan does to the policies of a zone. `live`: what the zone has; where it was not read, what the state has of the
 * stack's own.
 */
export function policyChanges(
  zone: string | undefined,
  sides: readonly Side[],
  live: readonly Policy[] | undefined,
): Outcome {
  const inZone = new Map(live?.map((policy) => [policy.policyId, heldOf(policy)]));
  const owned = sides.flatMap(ownedBy);
  const ids = new Set(owned.flatMap(({ id }) => id ?? []));
  const change = (fate: ObjectChange["fate"], one: Held, more: Partial<ObjectChange> = {}): ObjectChange => ({
    ...{ step: one.step, zone, kind: "policy", fate, id: undefined, ...more },
    label: one.key === "" ? (stringIn(one.values["description"]) ?? one.step.name) : one.key,
  });
  const changes: ObjectChange[] = [];
  const wanted = new Map(sides.flatMap(declaredBy).map((one) => [placeOf(one), one]));
  const free = new Map([...inZone].filter(([id]) => !ids.has(id)));
  const gone: Owned[] = [];
  // 1. What its resource keeps, as the zone has it.
  for (const one of owned) {
    const declared = wanted.get(placeOf(one));
    const isThere = live === undefined || one.id === undefined || inZone.has(one.id);
    const now = { ...one, ...(one.id !== undefined && inZone.get(one.id)) };
    if (!isThere && one.fate !== "kept") continue;
    if (one.fate === "open") {
      if (isChanging(one.step))
        changes.push(change("update", one, { id: one.id, weaker: weakerPolicy(now, "open") }));
    } else if (!declared || one.fate !== "kept") gone.push(now);
    else if (isThere) {
      wanted.delete(placeOf(one));
      if (!isChanging(one.step) || !isChanged(now, declared)) continue;
      const begins = enforces(now) !== "yes" && enforces(declared) !== "no";
      changes.push(change("update", declared, { id: one.id, begins, weaker: weakerPolicy(now, declared) }));
    }
  }
  // 2. What is declared anew: another name of a set's own policy, one that nobody keeps, or a new one.
  const left = new Set(gone);
  for (const one of [...wanted.values()].filter(({ step }) => isChanging(step))) {
    const own = [...left].find((old) => isHeirOf(one, old));
    const found = own ? undefined : [...free].find(([, policy]) => isEqual(one, policy));
    if (own) {
      left.delete(own);
      if (own.step !== one.step) changes.push(change("adopt", one, { id: own.id }));
      else if (own.meaning !== one.meaning) changes.push(change("update", one, { id: own.id }));
    } else if (found) {
      free.delete(found[0]);
      changes.push(change("adopt", one, { id: found[0] }));
    } else changes.push(change("create", one, { begins: enforces(one) !== "no" }));
  }
  // 3. What is gone, and what an exact set finds besides.
  const taker = sides.find(
    ({ step, becomes }) =>
      step.kind === "CspPolicySet" && becomes && isChanging(step) && takesOthers(step) !== "no",
  )?.step;
  for (const one of left) {
    const isLeft = one.fate === "left" && taker === undefined;
    changes.push(
      change(isLeft ? "leave" : "delete", one, {
        id: one.id,
        weaker: isLeft ? undefined : weakerPolicy(one),
      }),
    );
  }
  if (!taker) return { changes, losses: [] };
  const isOpen =
    takesOthers(taker) === "maybe" || [...wanted.values()].some(({ meaning }) => meaning === undefined);
  const losses = (live ?? [])
    .filter(({ policyId }) => free.has(policyId))
    .map((policy) => lossOf(policy, zone, taker, isOpen ? "maybe deleted" : "deleted"));
  return { changes, losses };
}

function lossOf(
  { policyId, description, action, enabled, expression, value }: Policy,
  zone: string | undefined,
  taker: PreviewStep,
  fate: ReviewLoss["fate"],
): ReviewLoss {
  return {
    ...{ kind: "policy", fate, label: description.trim() || policyId },
    ...{ places: [{ zone, id: policyId }], by: [declaredAsIn(taker.urn)] },
    content: [
      ["action", enabled ? action : `${action}, disabled`],
      ["expression", expression],
      ["value", value],
    ],
  };
}

function placeOf({ step, key }: Held): string {
  return JSON.stringify([step.urn, key]);
}

/** The policies in the inputs or outputs of a resource. */
function policiesIn(kind: string, values: Values = {}): readonly (readonly [key: string, policy: Values])[] {
  if (kind === "CspPolicy") return [["", values]];
  if (kind !== "CspPolicySet") return [];
  return Object.entries(recordIn(values["policies"])).map(([key, entry]) => [
    key,
    { description: key, ...recordIn(entry) },
  ]);
}

function heldBy(step: PreviewStep, values: Values): Held[] {
  return policiesIn(step.kind, values).map(([key, one]) => ({
    step,
    key,
    values: one,
    meaning: meaningOf(one),
  }));
}

function heldOf({
  description,
  action,
  expression,
  enabled,
  value,
}: Policy): Pick<Held, "values" | "meaning"> {
  const values = { description, action, expression, enabled, value };
  return { values, meaning: meaningOf(values) };
}

function declaredBy({ step, becomes }: Side): Held[] {
  return becomes ? heldBy(step, becomes) : [];
}

/** The policies that a resource has in the state, and what the step does to each. */
function ownedBy({ step, was, becomes }: Side): Owned[] {
  if (!was) return [];
  const { op, kind, id, isRetained } = step;
  const ids = recordIn(was["policyIds"]);
  const declared = becomes?.["policies"];
  const released = listIn(becomes?.["release"]);
  const fateOf = (key: string): Owned["fate"] => {
    if (!becomes || op === "replace") return isRetained || was["onDestroy"] === "keep" ? "left" : "deleted";
    if (kind === "CspPolicy" || Object.hasOwn(recordIn(declared), key)) return "kept";
    if (typeof declared !== "object") return "open";
    return released.includes(key) ? "left" : "deleted";
  };
  return heldBy(step, { ...was, policies: was["policies"] ?? ids }).map((one) => ({
    ...one,
    id: stringIn(kind === "CspPolicy" ? (was["policyId"] ?? id.split("/")[1]) : ids[one.key]),
    fate: fateOf(one.key),
  }));
}

/** Whether a declared policy keeps an old one: under another key of its set, or of a resource that is deleted. */
function isHeirOf(one: Held, old: Owned): boolean {
  if (old.step !== one.step) return (old.step.op === "delete" || old.fate === "left") && isEqual(one, old);
  // A set uses the key as description of a policy that has none.
  const unnamed = ({ values }: Held): string | undefined => meaningOf({ ...values, description: "" });
  const isNamedByKey = one.values["description"] === one.key;
  return old.step.op === "update" && (isEqual(one, old) || (isNamedByKey && unnamed(one) === unnamed(old)));
}

function isEqual({ meaning }: Pick<Held, "meaning">, other: Pick<Held, "meaning">): boolean {
  return meaning !== undefined && meaning === other.meaning;
}

function isChanged(old: Held, now: Held): boolean {
  if (old.meaning !== undefined && now.meaning !== undefined) return old.meaning !== now.meaning;
  // Secret and unknown values look the same on both sides; the engine knows.
  const field = /^(description|action|expression|enabled|value|directives)\b/;
  return old.step.differences.some(({ path }) =>
    old.key === ""
      ? field.test(path)
      : path === "policies" || (path.startsWith("policies") && path.includes(old.key)),
  );
}

/** What a policy does and its name; undefined if a part is secret or unknown. */
function meaningOf(values: Values): string | undefined {
  const { description, action, expression, enabled = true } = values;
  const texts = { description, action, expression, value: textOf(values) };
  const isKnown = Object.values(texts).every((text) => typeof text === "string");
  if (!isKnown || typeof enabled !== "boolean") return undefined;
  const said = Object.entries({ ...texts, enabled });
  return JSON.stringify(said.map(([field, one]) => fieldMeaning("policy", field, one)));
}

function textOf(values: Values): string | undefined {
  try {
    return stringIn(declaredText(values));
  } catch {
    // The preview refuses directives that no text can express.
    return undefined;
  }
}

function weakerPolicy(old: Held, now?: Held | "open"): string | undefined {
  if (enforces(old) === "no") return undefined;
  if (now === "open") return "may no longer be enforced";
  if (now === undefined) return "no longer enforced";
  const state = enforces(now);
  if (state !== "yes") return state === "no" ? "no longer enforced" : "may no longer be enforced";
  const [before, after] = [old, now].map(({ values }) => stringIn(values["expression"]));
  const isElsewhere =
    before === undefined || after === undefined || !isSameField("policy", "expression", before, after);
  const [was, becomes] = [old, now].map(({ values }) => textOf(values));
  // Only what the old text allowed already is surely not weaker.
  const mayAllowMore = was === undefined || becomes === undefined || !onlyAllowsMore(becomes, was);
  const parts = [...(isElsewhere ? ["for other requests"] : []), ...(mayAllowMore ? ["may allow more"] : [])];
  return parts.length === 0 ? undefined : parts.join(", ");
}

function enforces({ values: { action, enabled = true } }: Pick<Held, "values">): "yes" | "no" | "unknown" {
  if (enabled === false || (typeof action === "string" && action !== "allow")) return "no";
  return action === "allow" && enabled === true ? "yes" : "unknown";
}
