import { onlyAllowsMore } from "../../csp";
import { declaredText } from "../../policies/declared-policy";
import { grouped } from "../../text/grouped";
import { fieldMeaning, isSameField } from "../../zone/compare";
import { stringIn } from "../values";
import type { PreviewStep, Values } from "./preview-read";
import {
  type PolicyStep,
  policiesIn,
  type RecordedPolicy,
  recordedPolicies,
  type StackPolicy,
} from "./stack-policies";
import { isChanging, type ObjectChange, sidesOf, zoneIn } from "./zone-objects";

interface Held extends StackPolicy, Partial<Pick<RecordedPolicy, "id" | "fate">> {
  readonly step: PreviewStep;
  readonly zone: string | undefined;
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
    const held = (side: Values | undefined, policy: StackPolicy): Held => ({
      ...{ step, zone: zoneIn(side), meaning: meaningOf(policy.values) },
      ...policy,
    });
    const after = new Map(policiesIn(step.kind, becomes).map((one) => [one.key, held(becomes, one)]));
    for (const old of (was ? recordedPolicies(step) : []).map((one) => held(was, one))) {
      const now = after.get(old.key);
      // A replaced policy is a new object even if it is equal.
      if (!now || old.fate !== "kept") {
        gone.push(old);
        continue;
      }
      after.delete(old.key);
      if (isChanged(old, now)) changes.push(changeOf("update", old, weakerPolicy(old, now)));
    }
    come.push(...after.values());
  }
  const left = new Set(come);
  const takerOf = adopterIn(come);
  for (const old of gone) {
    const { step } = old;
    const taker = step.op === "replace" ? undefined : takerOf(old, left);
    if (!taker) {
      changes.push(changeOf(old.fate === "left" ? "leave" : "delete", old, weakerPolicy(old, undefined)));
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
export function declaredSayings(steps: readonly PolicyStep[]): ReadonlySet<string> {
  const sayings = steps
    .filter(({ op }) => op !== "delete")
    .flatMap(({ kind, after }) =>
      policiesIn(kind, after).map(({ values }) => sayingOf(zoneIn(after), values) ?? []),
    );
  return new Set(sayings.flat());
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
