import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ApprovedContent, ApprovedStep } from "../../lifecycle/approval/approved-file";
import type { Moved } from "../../lifecycle/approval/moved";
import { kindOf } from "../../lifecycle/urn";
import { bodyOf } from "../../policies/declared-policy";
import { anyWafRule, toRule } from "../../waf-rules/rule-input";
import { isSameRule } from "../../waf-rules/rule-match";
import { changedFields, isSameField } from "../../zone/compare";
import { zoneIdIn } from "../../zone/zone-id";
import { listIn, recordIn } from "../values";

const policySchema = z.looseObject({
  description: z.string().optional(),
  action: z.string(),
  expression: z.string(),
  enabled: z.boolean().optional(),
  value: z.string().optional(),
  directives: z.record(z.string(), z.array(z.string())).optional(),
});

type Approved = Pick<ApprovedContent, "steps" | "kept">;
type Fields = Moved["live"];

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
      return isPolicyAsPlanned(moved, of("CspPolicy"), of("CspPolicySet"), kept);
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
  { what, zoneId, id, approved, live }: Moved,
  single: readonly ApprovedStep[],
  sets: readonly ApprovedStep[],
  kept: readonly string[],
): boolean {
  const declared = [...single.map(({ after }) => after), ...sets.flatMap(entriesOf)];
  const isDeclared = (fields: Fields): boolean => declared.some((one) => isPolicy(one, fields));
  if (what !== "gone") return isDeclared(live);
  // It would have been adopted, or kept.
  if (isDeclared(approved) || kept.includes(`${zoneId}/${id}`)) return false;
  return (
    single.some((step) => isDeleted(step) && zoneIdIn(step.id) === zoneId && step.id?.endsWith(`/${id}`)) ||
    sets.some(
      (set) => droppedBy(set).includes(id) || (set.op !== "delete" && set.after?.["others"] === "delete"),
    )
  );
}

/** Policies that a set will delete: those of removed keys, or all. */
function droppedBy(set: ApprovedStep): unknown[] {
  const declared = recordIn(isDeleted(set) ? {} : set.after?.["policies"]);
  if (set.op === "delete" && !isDeleted(set)) return [];
  return Object.entries(recordIn(set.recorded?.["policyIds"])).flatMap(([key, policyId]) =>
    Object.hasOwn(declared, key) ? [] : [policyId],
  );
}

/** From the zone, not only from the state. */
function isDeleted({ op, before }: ApprovedStep): boolean {
  return (op === "delete" || op === "replace") && before?.["onDestroy"] !== "keep";
}

function isPolicy(declared: unknown, fields: Fields = {}): boolean {
  const known = policySchema.safeParse(declared);
  if (!known.success) return false;
  const { description = "", ...others } = known.data;
  const body = bodyOf({ ...others, description });
  return Object.entries(body).every(([name, value]) => isSameField("policy", name, value, fields[name]));
}

/** Policies of a set. Without a description they have their key. */
function entriesOf({ after }: ApprovedStep): unknown[] {
  return Object.entries(recordIn(after?.["policies"])).map(([description, entry]) => ({
    description,
    ...recordIn(entry),
  }));
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
    ) || lists.some(({ op, after }) => op !== "delete" && after?.["foreignRules"] === "overwrite")
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
