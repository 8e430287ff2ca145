import type { Rule } from "../../api/client-types";
import { differingFields } from "../../waf-rules/rule-difference";
import { anyWafRule, toRule } from "../../waf-rules/rule-input";
import { matchRules } from "../../waf-rules/rule-match";
import { recordIn, stringIn } from "../values";
import { asPlainJson, type PreviewStep } from "./preview-read";
import { isChanging, type ObjectChange, type Succession, successions, zoneIn } from "./zone-objects";

/** What happens to the rules of the entry points of this stack. */
export function ruleChanges(steps: readonly PreviewStep[]): ObjectChange[] {
  const ours = steps.filter(
    (step) => step.isOurs && step.kind === "ManagedWafEntrypoint" && isChanging(step),
  );
  return successions(ours).flatMap(changesIn);
}

function changesIn({ step, was, becomes, heir }: Succession): ObjectChange[] {
  const of = (fate: ObjectChange["fate"], rule: Rule | undefined, weaker?: string): ObjectChange => ({
    ...{ step: fate === "create" ? (heir ?? step) : step, kind: "rule", fate, weaker },
    ...(fate === "move" && { movesTo: heir }),
    zone: zoneIn(fate === "create" ? becomes : (was ?? becomes)),
    label: rule?.description ?? "",
    id: fate === "create" ? undefined : rule?.id,
  });
  const old = rulesIn(was?.["rules"]);
  const now = rulesIn(becomes?.["rules"]);
  // Secret, unknown, or not from this package.
  if (!old || !now) return [of("update", undefined, "rules that are not shown")];
  const onDestroy = was?.["onDestroy"] ?? "restore";
  const isLeft = step.isRetained || onDestroy === "keep";
  if (becomes === undefined) {
    const fate = isLeft ? "leave" : onDestroy === "remove" ? "delete" : "restore";
    return old.map((rule) => of(fate, rule, isLeft ? undefined : "no longer in force"));
  }
  // With its resource an update deletes what is no longer declared, whatever the resource would leave.
  const isKept = isLeft && step.op !== "update";
  const { live, dropped } = matchRules(now, old, old);
  return [
    ...now.flatMap((rule, index) => {
      const before = live[index];
      if (!before) return [of("create", rule, isSkip(rule) ? "a new rule that skips" : undefined)];
      const parts = differingFields(rule, before);
      if (parts.length === 0) return heir ? [of("move", before)] : [];
      return [of("update", before, weakerRule(before, rule, parts))];
    }),
    ...dropped.map((rule) =>
      isKept
        ? of("leave", rule)
        : of("delete", rule, rule.enabled === false ? undefined : "no longer in force"),
    ),
  ];
}

function rulesIn(list: unknown): Rule[] | undefined {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return undefined;
  const rules = list.filter((one: unknown) => recordIn(one)["foreign"] !== true).map(ruleIn);
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

function ruleIn(entry: unknown, index: number): Rule | undefined {
  const { id, version: _version, lastUpdated: _updated, ...rest } = recordIn(asPlainJson(entry));
  const known = anyWafRule.safeParse(rest);
  // One without an id is identified by its place.
  return known.success ? { ...toRule(known.data), id: stringIn(id) ?? `at ${index + 1}` } : undefined;
}

function isSkip({ action, enabled }: Rule): boolean {
  return action === "skip" && enabled !== false;
}

function weakerRule(before: Rule, after: Rule, fields: readonly string[]): string | undefined {
  if (before.enabled === false)
    return after.enabled !== false && isSkip(after) ? "a rule that skips" : undefined;
  if (after.enabled === false) return "switched off";
  const words = fields
    .filter((field) => field !== "description")
    .map((field) => (field === "actionParameters.id" ? "managed ruleset" : field.replace(/^.*\./, "")));
  return words.length === 0 ? undefined : `another ${words.join(", another ")}`;
}
