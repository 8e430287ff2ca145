import { isDeepStrictEqual } from "node:util";
import {
  anyWafRule,
  changedFields,
  declaredText,
  isSameRule,
  kindOf,
  toRule,
  zoneIdIn,
} from "pulumi-page-guard/tools";
import { listIn, recordIn, stringIn } from "../values";
import type { ApprovedStep } from "./approved-file";
import type { Moved } from "./moved";
import { isSealed, type ZoneObject } from "./zone-contents";

type Fields = ZoneObject["fields"];

/**
 * Whether the approved plan would have changed an object of a zone itself, in just this way: then there is only less to do.
 * What is sealed nobody can tell. `all`: what differs in the zones.
 */
export function isAsPlanned(moved: Moved, all: readonly Moved[], steps: readonly ApprovedStep[]): boolean {
  const { kind, id, approved, live, zoneId } = moved;
  if ([approved, live].some((object) => object && isSealed(object))) return false;
  // What moves to another zone is a deletion here.
  const here = steps.flatMap((step): ApprovedStep[] => {
    if (zoneIdIn(step.after?.["zoneId"]) === zoneId) return [step];
    const { after: _elsewhere, ...gone } = step;
    return zoneIdIn(step.id) === zoneId ? [{ ...gone, op: "delete" }] : [];
  });
  const of = (name: string): ApprovedStep[] => here.filter(({ type }) => kindOf(type) === name);
  const [lists, sets] = [of("ManagedWafEntrypoint"), of("CspPolicySet")];
  switch (kind) {
    case "settings":
      return changedFields(kind, approved?.fields, live?.fields).every((name) =>
        of("PageGuardSettings").some((step) => isSwitchedTo(step, name, live?.fields[name])),
      );
    case "policy": {
      const held = [...of("CspPolicy"), ...sets];
      const isDeclared = (fields: Fields): boolean =>
        held.flatMap(declaredPolicies).some((one) => changedFields(kind, one, fields).length === 0);
      if (live) return isDeclared(live.fields);
      // It would have been adopted.
      if (!approved || isDeclared(approved.fields)) return false;
      const owned = held.flatMap(ownedPolicies).filter((one) => one.id === id);
      const isExact = sets.some(({ after }) => after?.["others"] === "delete");
      return owned.length === 0 ? isExact : owned.some(({ isDropped }) => isDropped);
    }
    case "rule":
      return isRuleAsPlanned(moved, lists);
    case "entrypoint":
      return isListAsPlanned(
        moved,
        all.filter((one) => one.kind === "rule" && one.zoneId === zoneId),
        lists,
      );
    case "migration":
      return false;
  }
}

function isSwitchedTo({ op, after, before, recorded }: ApprovedStep, name: string, value: unknown): boolean {
  if (op !== "delete") return after?.[name] !== undefined && after[name] === value;
  if (before?.["onDestroy"] === "keep") return false;
  if (before?.["onDestroy"] === "disable") return name === "enabled" && value === false;
  return before?.[name] !== undefined && recordIn(recorded?.["initial"])[name] === value;
}

function declaredPolicies({ type, op, after = {} }: ApprovedStep): Fields[] {
  if (op === "delete") return [];
  const declared: Fields[] =
    kindOf(type) === "CspPolicy"
      ? [after]
      : Object.entries(recordIn(after["policies"])).map(([key, one]) => ({
          description: key,
          ...recordIn(one),
        }));
  return declared.map((values) => {
    const { description, action, expression, enabled = true } = values;
    return { description, action, expression, enabled, value: textOf(values) };
  });
}

function textOf(values: Fields): unknown {
  try {
    return declaredText(values);
  } catch {
    // Directives that no text can express, or that the preview did not know.
    return undefined;
  }
}

/** Policies that the resource has in the state, and whether the step deletes them. */
function ownedPolicies(
  step: ApprovedStep,
): { readonly id: string | undefined; readonly isDropped: boolean }[] {
  const { type, op, id = "", before, after, recorded } = step;
  const isGoing = op === "delete" || op === "replace";
  const isKept = before?.["onDestroy"] === "keep";
  if (kindOf(type) === "CspPolicy") return [{ id: id.split("/")[1], isDropped: isGoing && !isKept }];
  const declared = after?.["policies"];
  const isDropped = (key: string): boolean =>
    isGoing
      ? !isKept
      : typeof declared === "object" &&
        !Object.hasOwn(recordIn(declared), key) &&
        !listIn(after?.["release"]).includes(key);
  return Object.entries(recordIn(recorded?.["policyIds"])).map(([key, owned]) => ({
    id: stringIn(owned),
    isDropped: isDropped(key),
  }));
}

function isRuleAsPlanned({ id, approved, live }: Moved, lists: readonly ApprovedStep[]): boolean {
  const rules = wantedRules(lists);
  const [before, now] = [approved, live].map((object) => rulesIn([{ ...object?.fields, id }])[0]);
  if (live) return now !== undefined && rules.some((wanted) => isSameRule(wanted, now));
  if (!before || rules.some((wanted) => isSameRule(wanted, before))) return false;
  return lists.some(({ op, before: old, recorded, after }) => {
    const isGoing = /^(delete|replace)$/.test(op) && old?.["onDestroy"] !== "keep";
    const isOwn = listIn(recorded?.["rules"]).some((own) => recordIn(own)["id"] === id);
    return (isOwn && (op === "update" || isGoing)) || after?.["foreignRules"] === "overwrite";
  });
}

/** The declared rules, or those that are restored when the list is deleted. */
function wantedRules(lists: readonly ApprovedStep[]) {
  return lists.flatMap(({ op, before, after, recorded }) => {
    if (op !== "delete") return rulesIn(after?.["rules"]);
    const isRestored = (before?.["onDestroy"] ?? "restore") === "restore";
    return isRestored ? rulesIn(recordIn(recorded?.["initial"])["rules"]) : [];
  });
}

/** Rules as a program or an approval has them; others are left out. */
export function rulesIn(rules: unknown) {
  return listIn(rules).flatMap((rule) => {
    const known = anyWafRule.safeParse(rule);
    return known.success ? [toRule(known.data)] : [];
  });
}

/** Only planned rules were added or deleted; the others are in their old order, under the old or the planned name. */
function isListAsPlanned(
  { approved, live }: Moved,
  rules: readonly Moved[],
  lists: readonly ApprovedStep[],
): boolean {
  const [was = {}, now = {}] = [approved?.fields, live?.fields];
  const names = lists.flatMap(({ after, recorded }) => [
    after?.["name"],
    recordIn(recorded?.["initial"])["name"],
  ]);
  const planned = rules.filter((rule) => isRuleAsPlanned(rule, lists));
  const without = (order: unknown, some: readonly Moved[]): unknown[] =>
    listIn(order).filter((id) => !some.some((rule) => rule.id === id));
  return (
    (was["name"] === now["name"] || names.includes(now["name"])) &&
    isDeepStrictEqual(
      without(
        now["order"],
        planned.filter((rule) => !rule.approved),
      ),
      without(
        was["order"],
        planned.filter((rule) => !rule.live),
      ),
    )
  );
}
