import {
  anyWafRule,
  declaredAsIn,
  differingFields,
  fromRecord,
  entrypointInputs as inputsSchema,
  isSameRule,
  matchList,
  ownRules,
  type Rule,
  recordedRule as recorded,
  type EntrypointState as State,
  entrypointState as stateSchema,
  toRule,
} from "pulumi-page-guard/tools";
import { asPlainJson, isChanging, unknownValue, type Values } from "../preview/preview-read";
import type { ReviewLoss } from "../reports/review/review";
import { asText, listIn, recordIn } from "../values";
import { nothing, type ObjectChange, type Outcome, type Side, type Step, takesOthers } from "./objects";

/**
 * What a plan does to the rules of a zone's entry point, by the comparison that the update makes itself. `live`: the list
 * of the zone; where it was not read, the one in the state.
 */
export function ruleChanges(
  zone: string | undefined,
  sides: readonly Side[],
  live: readonly Rule[] | undefined,
): Outcome {
  const lists = sides.filter(({ step }) => step.kind === "ManagedWafEntrypoint");
  const known = { rules: live ?? lists.flatMap(({ was }) => recordedRules(was).map(fromRecord)) };
  const writing = lists.find(({ becomes }) => becomes);
  // A list that is declared under another name stays: its deletion undoes nothing.
  const { step, was, becomes } = writing ?? lists[0] ?? {};
  if (!step || !isChanging(step)) return nothing;
  const own = ownRules(stateOf(was), known);
  const changes: ObjectChange[] = [];
  const add = (fate: ObjectChange["fate"], live?: Rule, to?: Rule, weaker?: string): void => {
    const label = (live ?? to)?.description ?? "";
    changes.push({ ...{ step, zone, kind: "rule", fate, label, id: live?.id, becomes: to, weaker } });
  };
  if (!becomes) {
    const onDestroy = was?.["onDestroy"] ?? "restore";
    const isLeft = step.isRetained || onDestroy === "keep";
    const restored = onDestroy === "restore" ? rulesIn(recordIn(was?.["initial"])["rules"]) : [];
    for (const rule of own.keys()) {
      if (isLeft) add("leave", rule);
      else if (!restored.some((one) => isSameRule(one, rule)))
        add(onDestroy === "remove" ? "delete" : "restore", rule, undefined, "no longer in force");
    }
    return { ...nothing, changes };
  }
  const takes = takesOthers(step);
  const inputs = inputsSchema.safeParse({
    zoneId: zone ?? "0".repeat(32),
    rules: asPlainJson(becomes["rules"]),
    foreignRules: takes === "maybe" ? "overwrite" : becomes["foreignRules"],
  }).data;
  if (!inputs || typeof becomes["rules"] === "symbol") {
    const isHidden =
      was &&
      !passesRulesOn(
        step,
        sides.map((side) => side.step),
      );
    add("update", undefined, undefined, isHidden ? "rules that are not shown" : undefined);
    return { ...nothing, changes };
  }
  const { match } = matchList(inputs, own, { name: "", ...known });
  const edited = new Set(match.namesakes.map(({ rule }) => rule));
  for (const [index, input] of inputs.rules.entries()) {
    const [rule, before] = [toRule(input), match.live[index]];
    const parts = before ? differingFields(rule, before) : [];
    if (!before) add("create", undefined, rule, isSkip(rule) ? "a new rule that skips" : undefined);
    else if (!own.has(before) && !edited.has(before)) add("adopt", before, rule);
    else if (parts.length > 0) add("update", before, rule, weakerRule(before, rule, parts));
  }
  for (const rule of match.dropped)
    add("delete", rule, undefined, rule.enabled === false ? undefined : "no longer in force");
  // What "refuse" would delete is refused in the preview, or else it is worth a look.
  if (live === undefined || becomes["foreignRules"] === "keep") return { ...nothing, changes };
  const lose = (fate: ReviewLoss["fate"]) => (rule: Rule) =>
    lossOf(step, zone, rule, takes === "yes" ? fate : "maybe deleted");
  return {
    changes,
    losses: [...[...edited].map(lose("overwritten")), ...match.foreign.map(lose("deleted"))],
  };
}

/** Whether the rules of an entry point will be those of a migration of its zone, which take nothing away. */
export function passesRulesOn(step: Step, steps: readonly Step[]): boolean {
  const isOpen = step.kind === "ManagedWafEntrypoint" && step.after?.["rules"] === unknownValue;
  return (
    isOpen &&
    takesOthers(step) === "no" &&
    steps.some((one) => one.kind === "WafMigrationStep" && one.zone === step.zone && isChanging(one))
  );
}

/** Rules as a program, a state or an approval has them; others are left out. */
export function rulesIn(rules: unknown): Rule[] {
  return listIn(rules).flatMap((rule) => {
    const { data } = anyWafRule.safeParse(rule);
    return data ? [toRule(data)] : [];
  });
}

function lossOf(step: Step, zone: string | undefined, rule: Rule, fate: ReviewLoss["fate"]): ReviewLoss {
  const { description, id, version: _v, lastUpdated: _u, ref: _r, ...content } = recorded(rule);
  return {
    ...{ kind: "rule", fate, label: rule.description ?? "" },
    ...{ places: [{ zone, id: rule.id }], by: [declaredAsIn(step.urn)] },
    content: Object.entries(content).map(([name, value]) => [name, asText(value)] as const),
  };
}

function stateOf(was: Values | undefined): State {
  const { data } = stateSchema.safeParse(asPlainJson({ ...was, rules: [], connection: undefined }));
  return { ...data, rules: recordedRules(was) };
}

function recordedRules(was: Values | undefined): NonNullable<State["rules"]> {
  const { data = [] } = stateSchema.shape.rules.safeParse(asPlainJson(was?.["rules"]));
  return data.filter((rule) => rule.foreign !== true && anyWafRule.safeParse(rule).success);
}

function isSkip({ action, enabled }: Rule): boolean {
  return action === "skip" && enabled !== false;
}

function weakerRule(before: Rule, after: Rule, fields: readonly string[]): string | undefined {
  if (before.enabled === false) return isSkip(after) ? "a rule that skips" : undefined;
  if (after.enabled === false) return "switched off";
  const words = fields
    .filter((field) => field !== "description")
    .map((field) => (field === "actionParameters.id" ? "managed ruleset" : field.replace(/^.*\./, "")));
  return words.length === 0 ? undefined : `another ${words.join(", another ")}`;
}
