import { onlyAllowsMore } from "../../csp";
import { declaredText } from "../../policies/declared-policy";
import { grouped } from "../../text/grouped";
import { fieldMeaning, isSameField } from "../../zone/compare";
import { recordIn, stringIn } from "../values";
import type { PreviewStep, Values } from "./preview-read";
import { isChanging, type ObjectChange, sidesOf, zoneIn } from "./zone-objects";

interface Held {
  readonly step: PreviewStep;
  readonly zone: string | undefined;
  /** Its key in a set; empty for a `CspPolicy`. */
  readonly key: string;
  readonly id: string | undefined;
  readonly values: Values;
  /** What it does and its name; undefined if a part is secret or unknown. */
  readonly meaning: string | undefined;
}

/** What happens to the policies of zones. One that only moves to another resource stays. */
export function policyChanges(steps: readonly PreviewStep[]): ObjectChange[] {
  const changes: ObjectChange[] = [];
  const gone: Held[] = [];
  const come: Held[] = [];
  for (const step of steps.filter((one) => one.isOurs && isChanging(one))) {
    const { was, becomes } = sidesOf(step);
    const before = new Map(policiesOf(step, was).map((old) => [old.key, old]));
    const after = new Map(policiesOf(step, becomes).map((now) => [now.key, now]));
    // A replaced policy is a new object even if it is equal.
    const isKept = (key: string): boolean => step.op !== "replace" && before.has(key) && after.has(key);
    for (const [key, old] of before) {
      const now = after.get(key);
      if (!now || !isKept(key)) gone.push(old);
      else if (isChanged(old, now)) changes.push(changeOf("update", old, weakerPolicy(old, now)));
    }
    come.push(...[...after].flatMap(([key, now]) => (isKept(key) ? [] : [now])));
  }
  const left = new Set(come);
  const takerOf = adopterIn(come);
  for (const old of gone) {
    const { step, values } = old;
    const taker = step.op === "replace" ? undefined : takerOf(old, left);
    if (!taker) {
      const stays = step.isRetained || (step.op !== "update" && values["onDestroy"] === "keep");
      changes.push(changeOf(stays ? "leave" : "delete", old, weakerPolicy(old, undefined)));
      continue;
    }
    left.delete(taker);
    if (taker.step !== step) changes.push({ ...changeOf("move", old, undefined), movesTo: taker.step });
    else if (taker.meaning !== old.meaning) changes.push(changeOf("update", old, undefined));
  }
  return [...changes, ...[...left].map((one) => changeOf("create", one, undefined))];
}

/** Finds the new policy that will adopt an old one, which is equal and in the same zone; one of its own set first. */
function adopterIn(come: readonly Held[]): (old: Held, left: ReadonlySet<Held>) => Held | undefined {
  const sayings = come.flatMap((held) => sayingsOf(held).map((saying) => ({ saying, held })));
  const alike = grouped(sayings, ({ saying }) => saying);
  return (old, left) => {
    const found = sayingsOf(old).map((saying) =>
      (alike.get(saying) ?? []).map(({ held }) => held).filter((held) => left.has(held)),
    );
    const [first = []] = found.filter(({ length }) => length > 0);
    return first.find(({ step }) => step === old.step) ?? first[0];
  };
}

/** The declared policies, to be compared with `sayingOf` a live one. */
export function declaredSayings(steps: readonly PreviewStep[]): ReadonlySet<string> {
  const held = steps
    .filter(({ isOurs }) => isOurs)
    .flatMap((step) => policiesOf(step, sidesOf(step).becomes));
  return new Set(held.flatMap(({ zone, values }) => sayingOf(zone, values) ?? []));
}

/** A policy in its zone as text; undefined if a part of it is not known. */
export function sayingOf(zone: string | undefined, values: Values): string | undefined {
  const meaning = meaningOf(values);
  return zone === undefined || meaning === undefined ? undefined : JSON.stringify([zone, meaning]);
}

/** What two equal policies share. A set uses the key as description of one that has none. */
function sayingsOf({ step, zone, key, values, meaning }: Held): string[] {
  if (zone === undefined || meaning === undefined) return [];
  const isNamedByKey = key !== "" && values["description"] === key;
  const unnamed = isNamedByKey ? meaningOf({ ...values, description: "" }) : undefined;
  return [
    JSON.stringify([zone, meaning]),
    ...(unnamed === undefined ? [] : [JSON.stringify([zone, step.urn, unnamed])]),
  ];
}

function changeOf(
  fate: ObjectChange["fate"],
  { step, zone, key, id, values }: Held,
  weaker: string | undefined,
) {
  const label = key === "" ? (stringIn(values["description"]) ?? step.name) : key;
  return { step, zone, kind: "policy", fate, label, id, weaker } as const;
}

function policiesOf(step: PreviewStep, values: Values | undefined): Held[] {
  if (values === undefined) return [];
  const zone = zoneIn(values);
  if (step.kind === "CspPolicy") {
    return [{ step, zone, key: "", id: stringIn(values["policyId"]), values, meaning: meaningOf(values) }];
  }
  if (step.kind !== "CspPolicySet") return [];
  const ids = recordIn(values["policyIds"]);
  const { onDestroy } = values;
  return Object.entries(recordIn(values["policies"])).map(([key, entry]) => {
    const policy = { description: key, ...recordIn(entry), onDestroy };
    const id = Object.hasOwn(ids, key) ? stringIn(ids[key]) : undefined;
    return { step, zone, key, id, values: policy, meaning: meaningOf(policy) };
  });
}

const fields = ["description", "action", "expression", "enabled", "value", "directives"];

function isChanged(old: Held, now: Held): boolean {
  if (old.meaning !== undefined && now.meaning !== undefined) return old.meaning !== now.meaning;
  // Secret and unknown values look the same on both sides; the engine knows.
  const at = old.key === "" ? [] : [`policies.${old.key}`, `policies["${old.key}"]`];
  return old.step.differences.some(({ path }) =>
    at.length === 0
      ? fields.some((field) => path.startsWith(field))
      : path === "policies" || at.some((begin) => path.startsWith(begin)),
  );
}

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

function weakerPolicy(old: Held, now: Held | undefined): string | undefined {
  if (enforces(old) === "no") return undefined;
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

function enforces({ values: { action, enabled = true } }: Held): "yes" | "no" | "unknown" {
  if (enabled === false || (typeof action === "string" && action !== "allow")) return "no";
  return action === "allow" && enabled === true ? "yes" : "unknown";
}
