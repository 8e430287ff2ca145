import { isDeepStrictEqual } from "node:util";
import type { ApprovedContent, ApprovedStep } from "../../lifecycle/approval/approved-file";
import type { Moved } from "../../lifecycle/approval/moved";
import { kindOf } from "../../lifecycle/urn";
import { anyWafRule, toRule } from "../../waf-rules/rule-input";
import { isSameRule } from "../../waf-rules/rule-match";
import { changedFields } from "../../zone/compare";
import { zoneIdIn } from "../../zone/zone-id";
import { declaredSayings, sayingOf } from "../review/policy-changes";
import type { Values } from "../review/preview-read";
import { type PolicyStep, recordedPolicies } from "../review/stack-policies";
import { takesOthers, zoneIn } from "../review/zone-objects";
import { listIn, recordIn } from "../values";

type Approved = Pick<ApprovedContent, "steps" | "kept">;

/**
 * Whether a change in a zone is what the approved plan would have done itself: then there is only less to do. Of what is
 * approved as a digest nobody knows.
 */
export function isAsPlanned(moved: Moved, all: readonly Moved[], { steps, kept }: Approved): boolean {
  if (moved.isClosed) return false;
  // A resource that moves to another zone is in both.
  const here = steps.filter(({ after, id }) => [after?.["zoneId"], id].map(zoneIdIn).includes(moved.zoneId));
  const of = (kind: string): ApprovedStep[] => here.filter(({ type }) => kindOf(type) === kind);
  switch (moved.kind) {
    case "settings":
      return changedFields("settings", moved.approved, moved.live).every((name) =>
        of("PageGuardSettings").some((step) => isSwitchedTo(step, name, moved.live?.[name])),
      );
    case "policy":
      return isPolicyAsPlanned(
        moved,
        here.map((step) => ({ ...step, kind: kindOf(step.type) })),
        kept,
      );
    case "rule":
      return isRuleAsPlanned(moved, of("ManagedWafEntrypoint"));
    case "entrypoint":
      return isListAsPlanned(
        moved,
        all.filter(({ kind, zoneId }) => kind === "rule" && zoneId === moved.zoneId),
        of("ManagedWafEntrypoint"),
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

function isPolicyAsPlanned(
  { what, zoneId, id, approved = {}, live = {} }: Moved,
  steps: readonly PolicyStep[],
  kept: readonly string[],
): boolean {
  const declared = declaredSayings(steps);
  const isDeclared = (fields: Values): boolean => declared.has(sayingOf(zoneId, fields) ?? "");
  if (what !== "gone") return isDeclared(live);
  // It would have been adopted, or kept.
  if (isDeclared(approved) || kept.includes(`${zoneId}/${id}`)) return false;
  return steps.some(
    (step) =>
      (step.kind === "CspPolicySet" && takesOthers(step) === "yes" && zoneIn(step.after) === zoneId) ||
      (zoneIdIn(step.id) === zoneId &&
        recordedPolicies(step).some((policy) => policy.id === id && policy.fate === "deleted")),
  );
}

/** From the zone, not only from the state. */
function isDeleted({ op, before }: ApprovedStep): boolean {
  return (op === "delete" || op === "replace") && before?.["onDestroy"] !== "keep";
}

function isRuleAsPlanned({ what, id, approved, rule }: Moved, lists: readonly ApprovedStep[]): boolean {
  const rules = wantedRules(lists);
  if (what !== "gone") return rule !== undefined && rules.some((wanted) => isSameRule(wanted, rule));
  const [before] = rulesIn([{ ...approved, id }]);
  if (!before || rules.some((wanted) => isSameRule(wanted, before))) return false;
  return (
    lists.some(
      (list) =>
        (isDeleted(list) || list.op === "update") &&
        listIn(list.recorded?.["rules"]).some((own) => recordIn(own)["id"] === id),
    ) || lists.some(({ after }) => takesOthers({ kind: "ManagedWafEntrypoint", after }) === "yes")
  );
}

/** The declared rules, or those that are restored when the list is deleted. */
function wantedRules(lists: readonly ApprovedStep[]) {
  return lists.flatMap((list) => {
    if (list.op !== "delete") return rulesIn(list.after?.["rules"]);
    const isRestored = (list.before?.["onDestroy"] ?? "restore") === "restore";
    return isRestored ? rulesIn(recordIn(list.recorded?.["initial"])["rules"]) : [];
  });
}

function rulesIn(rules: unknown) {
  return listIn(rules).flatMap((rule) => {
    const known = anyWafRule.safeParse(rule);
    return known.success ? [toRule(known.data)] : [];
  });
}

/** Only planned rules were added or deleted; the others are in their old order, under the old or the planned name. */
function isListAsPlanned(
  { approved = {}, live = {} }: Moved,
  rules: readonly Moved[],
  lists: readonly ApprovedStep[],
): boolean {
  const names = lists.flatMap(({ after, recorded }) => [
    after?.["name"],
    recordIn(recorded?.["initial"])["name"],
  ]);
  const isNamed = approved["name"] === live["name"] || names.includes(live["name"]);
  const moved = (what: Moved["what"]): Set<unknown> =>
    new Set(rules.filter((rule) => rule.what === what && isRuleAsPlanned(rule, lists)).map(({ id }) => id));
  const [come, gone] = [moved("new"), moved("gone")];
  const left = listIn(live["order"]).filter((id) => !come.has(id));
  return (
    isNamed &&
    isDeepStrictEqual(
      left,
      listIn(approved["order"]).filter((id) => !gone.has(id)),
    )
  );
}
