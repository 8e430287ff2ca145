import { onlyAllowsMore } from "page-guard-csp";
import { declaredAsIn, declaredText, fieldMeaning, isSameField, objectOf } from "pulumi-page-guard/tools";
import { isChanging, type Values } from "../preview/preview-read";
import { asText, listIn, recordIn, stringIn } from "../values";
import { nothing, type ObjectChange, type Outcome, type Side, type Step, takesOthers } from "./objects";

/** What a policy says, and what it means; undefined if a part is secret or unknown. */
interface Content {
  readonly values: Values;
  readonly meaning: string | undefined;
}

/** A policy of a `CspPolicy`, whose key is empty, or one of a `CspPolicySet`. */
interface Held extends Content {
  readonly step: Step;
  readonly key: string;
}

/** One that the state has. */
interface Owned extends Held {
  readonly id: string | undefined;
  /** `left`: it stays without its resource. `open`: nobody knows which policies will be declared. */
  readonly fate: "kept" | "left" | "deleted" | "open";
}

/**
 * What a plan does to the policies of a zone. `live`: what the zone has, by id; where it was not read, what the state has of the
 * stack's own.
 */
export function policyChanges(
  zone: string | undefined,
  sides: readonly Side[],
  live: ReadonlyMap<string, Values> | undefined,
): Outcome {
  const changes: ObjectChange[] = [];
  const add = (fate: ObjectChange["fate"], one: Held, more: Partial<ObjectChange> = {}): void => {
    const label = one.key || (stringIn(one.values["description"]) ?? one.step.name);
    const change = { step: one.step, zone, fate, label, id: undefined, becomes: one.meaning };
    changes.push({ kind: "policy", ...change, ...more });
  };
  const inZone = new Map([...(live ?? [])].map(([id, values]) => [id, contentOf(values)]));
  const free = new Map(inZone);
  const declared = sides.flatMap(({ step, becomes }) => (becomes ? held(step, becomes) : []));
  const wanted = new Map(declared.map((one) => [placeOf(one), one]));
  const left = new Set<Owned>();
  // 1. What its resource keeps, as the zone has it.
  for (const one of sides.flatMap(ownedBy)) {
    const { step, id = "", fate } = one;
    free.delete(id);
    if (live && id !== "" && !inZone.has(id)) continue;
    const now = { ...one, ...inZone.get(id) };
    const next = wanted.get(placeOf(one));
    if (fate === "open") {
      if (isChanging(step)) add("update", one, { id, weaker: weakerPolicy(now, "open") });
    } else if (!next || fate !== "kept") left.add(now);
    else {
      wanted.delete(placeOf(one));
      if (!isChanging(step) || !isChanged(now, next)) continue;
      const begins = enforces(now) !== "yes" && enforces(next) !== "no";
      add("update", next, { id, begins, weaker: weakerPolicy(now, next) });
    }
  }
  // 2. What is newly declared: what the zone has and nobody keeps, or a new one.
  for (const one of wanted.values()) {
    if (!isChanging(one.step)) continue;
    const own = [...left].find((old) => isHeirOf(one, old));
    const [id] = own ? [own.id] : ([...free].findLast(([, policy]) => isEqual(one, policy)) ?? []);
    if (own) left.delete(own);
    free.delete(id ?? "");
    if (!own && id === undefined) add("create", one, { begins: enforces(one) !== "no" });
    else if (own?.step !== one.step) add("adopt", one, { id });
    else if (own.meaning !== one.meaning) add("update", one, { id });
  }
  // 3. What is gone, and what an exact set finds besides.
  const taker = sides.find(
    ({ step, becomes }) =>
      step.kind === "CspPolicySet" && becomes && isChanging(step) && takesOthers(step) !== "no",
  )?.step;
  for (const one of left) {
    const { id, fate } = one;
    if (fate === "left" && !taker) add("leave", one, { id });
    else add("delete", one, { id, weaker: weakerPolicy(one) });
  }
  if (!taker) return { ...nothing, changes };
  const isOpen =
    takesOthers(taker) === "maybe" || [...wanted.values()].some(({ meaning }) => meaning === undefined);
  const losses = [...free].map(([id, { values }]) => ({
    ...({ kind: "policy", fate: isOpen ? "maybe deleted" : "deleted" } as const),
    ...{ label: asText(values["description"]).trim() || id, places: [{ zone, id }] },
    by: [declaredAsIn(taker.urn)],
    content: ["action", "enabled", "expression", "value"].map(
      (name) => [name, asText(values[name])] as const,
    ),
  }));
  return { changes, losses };
}

function placeOf({ step, key }: Held): string {
  return JSON.stringify([step.urn, key]);
}

/** The policies in the inputs or outputs of a resource. */
function held(step: Step, values: Values): Held[] {
  if (objectOf(step.kind) !== "policy") return [];
  if (!isSet(values)) return [{ step, key: "", ...contentOf(values) }];
  return Object.entries(recordIn(values["policies"])).map(([key, entry]) => ({
    ...{ step, key, ...contentOf({ description: key, ...recordIn(entry) }) },
  }));
}

function isSet(values: Values): boolean {
  return Object.hasOwn(values, "policies");
}

/** The policies that a resource has in the state, and what the step does to each. */
function ownedBy({ step, was, becomes }: Side): Owned[] {
  if (!was) return [];
  const { op, id, isRetained } = step;
  const ids = recordIn(was["policyIds"]);
  const declared = becomes?.["policies"];
  const fateOf = (key: string): Owned["fate"] => {
    if (!becomes || op === "replace") return isRetained || was["onDestroy"] === "keep" ? "left" : "deleted";
    if (!isSet(was) || Object.hasOwn(recordIn(declared), key)) return "kept";
    if (typeof declared !== "object") return "open";
    return listIn(becomes["release"]).includes(key) ? "left" : "deleted";
  };
  const all = isSet(was) ? { ...was, policies: { ...ids, ...recordIn(was["policies"]) } } : was;
  return held(step, all).map((one) => ({
    ...one,
    id: stringIn(isSet(was) ? ids[one.key] : (was["policyId"] ?? id.split("/")[1])),
    fate: fateOf(one.key),
  }));
}

/** Whether a declared policy is one that its old resource no longer keeps, or that had another key in the set. */
function isHeirOf(one: Held, old: Owned): boolean {
  if (old.step !== one.step) return (old.step.op === "delete" || old.fate === "left") && isEqual(one, old);
  // A set uses the key as description of a policy that has none.
  const unnamed = ({ values }: Held) => contentOf({ ...values, description: "" }).meaning;
  const isNamedByKey = one.values["description"] === one.key;
  return old.step.op === "update" && (isEqual(one, old) || (isNamedByKey && unnamed(one) === unnamed(old)));
}

function isEqual({ meaning }: Content, other: Content): boolean {
  return meaning !== undefined && meaning === other.meaning;
}

function isChanged(old: Held, now: Held): boolean {
  if (old.meaning !== undefined && now.meaning !== undefined) return old.meaning !== now.meaning;
  // Secret and unknown values look the same on both sides; the engine knows.
  const field = /^(description|action|expression|enabled|value|directives|policies)\b/;
  return old.step.differences.some(
    ({ path }) => field.test(path) && (path === "policies" || path.includes(old.key)),
  );
}

/** By what policies are compared; undefined if a part is secret or unknown. */
export function contentOf(values: Values): Content {
  const { description, action, expression, enabled = true } = values;
  const texts = { description, action, expression, value: textOf(values) };
  const isKnown =
    Object.values(texts).every((text) => typeof text === "string") && typeof enabled === "boolean";
  const said = Object.entries({ ...texts, enabled });
  const meanings = isKnown ? said.map(([field, one]) => fieldMeaning("policy", field, one)) : undefined;
  return { values, meaning: meanings && JSON.stringify(meanings) };
}

function textOf(values: Values): string | undefined {
  try {
    return stringIn(declaredText(values));
  } catch {
    // The preview refuses directives that no text can express.
    return undefined;
  }
}

function weakerPolicy(old: Content, now?: Content | "open"): string | undefined {
  if (enforces(old) === "no") return undefined;
  const state = now === "open" ? "unknown" : now === undefined ? "no" : enforces(now);
  if (now === undefined || now === "open" || state !== "yes")
    return state === "no" ? "no longer enforced" : "may no longer be enforced";
  const [before, after] = [old, now].map(({ values }) => stringIn(values["expression"]));
  const isElsewhere =
    before === undefined || after === undefined || !isSameField("policy", "expression", before, after);
  const [was, becomes] = [old, now].map(({ values }) => textOf(values));
  // Only what the old text allowed already is surely not weaker.
  const mayAllowMore = was === undefined || becomes === undefined || !onlyAllowsMore(becomes, was);
  const parts = [...(isElsewhere ? ["for other requests"] : []), ...(mayAllowMore ? ["may allow more"] : [])];
  return parts.join(", ") || undefined;
}

function enforces({ values: { action, enabled = true } }: Content): "yes" | "no" | "unknown" {
  if (enabled === false || (typeof action === "string" && action !== "allow")) return "no";
  return action === "allow" && enabled === true ? "yes" : "unknown";
}
