import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ApprovedContent, ApprovedStep } from "../../lifecycle/approval/approved-file";
import type { Moved } from "../../lifecycle/approval/moved";
import { typePrefix } from "../../lifecycle/type-prefix";
import { bodyOf } from "../../policies/declared-policy";
import { anyWafRule, toRule } from "../../waf-rules/rule-input";
import { isSameRule } from "../../waf-rules/rule-match";
import { changedFields, isSameField } from "../../zone/compare";
import { zoneIdIn } from "../../zone/zone-id";

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
 * Whether what has moved in a zone is what the approved plan would have done there itself: then there is less to do, and
 * nothing else. What is held as a digest cannot be told to be so.
 */
export function isAsPlanned(moved: Moved, all: readonly Moved[], { steps, kept }: Approved): boolean {
  if (moved.isClosed) return false;
  // What moves to another zone goes in one and comes in the other.
  const here = steps.filter(({ after, id }) => [after?.["zoneId"], id].map(zoneIdIn).includes(moved.zoneId));
  const of = (kind: string): ApprovedStep[] => here.filter(({ type }) => type === `${typePrefix}${kind}`);
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
  return before?.[name] !== undefined && fieldOf(recorded?.["initial"], name) === value;
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

/** Policies that a set has and is to delete: those of keys that are declared no more, or all of them. */
function droppedBy(set: ApprovedStep): unknown[] {
  const declared = Object(isDeleted(set) ? {} : set.after?.["policies"]);
  if (set.op === "delete" && !isDeleted(set)) return [];
  return Object.entries(Object(set.recorded?.["policyIds"])).flatMap(([key, policyId]) =>
    Object.hasOwn(declared, key) ? [] : [policyId],
  );
}

/** Not only taken out of the state. */
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

/** Policies of a set, which are described by their keys where by nothing else. */
function entriesOf({ after }: ApprovedStep): unknown[] {
  const policies = after?.["policies"];
  if (typeof policies !== "object" || policies === null) return [];
  return Object.entries(policies).map(([description, entry]) => ({ description, ...Object(entry) }));
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
        listOf(list.recorded?.["rules"]).some((own) => fieldOf(own, "id") === id),
    ) || lists.some(({ op, after }) => op !== "delete" && after?.["foreignRules"] === "overwrite")
  );
}

/** What is declared; where a list is to go, what it had found. */
function wantedRules(lists: readonly ApprovedStep[]) {
  return lists.flatMap((list) => {
    if (list.op !== "delete") return rulesIn(list.after?.["rules"]);
    const isRestored = (list.before?.["onDestroy"] ?? "restore") === "restore";
    return isRestored ? rulesIn(fieldOf(list.recorded?.["initial"], "rules")) : [];
  });
}

function rulesIn(rules: unknown) {
  return listOf(rules).flatMap((rule) => {
    const known = anyWafRule.safeParse(rule);
    return known.success ? [toRule(known.data)] : [];
  });
}

/** Rules that are as planned have come or gone; the others are in their old order, under the old or the planned name. */
function isListAsPlanned(
  { approved = {}, live = {} }: Moved,
  rules: readonly Moved[],
  lists: readonly ApprovedStep[],
): boolean {
  const names = lists.flatMap(({ after, recorded }) => [
    after?.["name"],
    fieldOf(recorded?.["initial"], "name"),
  ]);
  const isNamed = approved["name"] === live["name"] || names.includes(live["name"]);
  const moved = (what: Moved["what"]): Set<unknown> =>
    new Set(rules.filter((rule) => rule.what === what && isRuleAsPlanned(rule, lists)).map(({ id }) => id));
  const [come, gone] = [moved("new"), moved("gone")];
  const left = listOf(live["order"]).filter((id) => !come.has(id));
  return (
    isNamed &&
    isDeepStrictEqual(
      left,
      listOf(approved["order"]).filter((id) => !gone.has(id)),
    )
  );
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
