import {
  declaredAsIn,
  fromRule,
  isSameRule,
  objectOf,
  type Rule,
  recordedRules,
  ruleOwners,
  rulesIn,
} from "pulumi-page-guard/tools";
import { asPlainJson, isChanging, unknownValue, type Values } from "../preview/preview-read";
import type { ReviewLoss } from "../reports/review/review";
import { asText, recordIn } from "../values";
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
  const lists = sides.filter(({ step }) => objectOf(step.kind) === "rule");
  const writing = lists.find(({ becomes }) => becomes);
  // A list that is declared under another name stays: its deletion undoes nothing.
  const { step, was, becomes } = writing ?? lists[0] ?? {};
  if (!step || !isChanging(step)) return nothing;
  const inState = ({ was: one }: Side) =>
    recordedRules(asPlainJson({ ...one, connection: undefined })).recorded.map(({ rule }) => rule);
  const known = { rules: live ?? lists.flatMap(inState) };
  const owners = (inputs?: Values) =>
    ruleOwners(asPlainJson({ ...was, connection: undefined }), inputs, known);
  const changes: ObjectChange[] = [];
  const add = (fate: ObjectChange["fate"], live?: Rule, to?: Rule, weaker?: string): void => {
    const label = (live ?? to)?.description ?? "";
    changes.push({ ...{ step, zone, kind: "rule", fate, label, id: live?.id, becomes: to, weaker } });
  };
  // Of a list that is secret in the state nobody sees which rules it loses.
  const isDark = typeof was?.["rules"] === "symbol";
  const addUnseen = (fate: ObjectChange["fate"]) =>
    add(fate, undefined, undefined, "rules that are not shown");
  if (!becomes) {
    const onDestroy = was?.["onDestroy"] ?? "restore";
    const isLeft = step.isRetained || onDestroy === "keep";
    if (isDark && isLeft) add("leave");
    else if (isDark) addUnseen("delete");
    const restored = onDestroy === "restore" ? rulesIn(recordIn(was?.["initial"])["rules"]) : [];
    for (const rule of owners().own) {
      if (isLeft) add("leave", rule);
      else if (!restored.some((one) => isSameRule(one, rule)))
        add(onDestroy === "remove" ? "delete" : "restore", rule, undefined, "no longer in force");
    }
    return { ...nothing, changes };
  }
  const takes = takesOthers(step);
  const { own, declared, dropped, foreign } = owners({
    zoneId: zone ?? "0".repeat(32),
    rules: typeof becomes["rules"] === "symbol" ? undefined : asPlainJson(becomes["rules"]),
    foreignRules: takes === "maybe" ? "overwrite" : becomes["foreignRules"],
  });
  if (!declared) {
    const all = sides.map((side) => side.step);
    if (was && !passesRulesOn(step, all)) addUnseen("update");
    else add("update");
    const others = takes === "no" ? [] : known.rules.filter((rule) => !own.includes(rule));
    return { changes, losses: others.map((rule) => lossOf(step, zone, rule, "maybe deleted")) };
  }
  if (isDark) addUnseen("update");
  // The rules that are there, as they will run: those of others first.
  const order = [...(takes === "no" ? foreign : []), ...declared.flatMap(({ live: there }) => there ?? [])];
  const places = order.map((rule) => known.rules.indexOf(rule));
  const overtakes = (rule: Rule): boolean => {
    const at = order.indexOf(rule);
    return places.slice(at).some((place) => place < (places[at] ?? 0));
  };
  const earlier = (rule: Rule) =>
    isSkip(rule) && overtakes(rule) ? "a rule that skips, earlier" : undefined;
  for (const { rule, live: before, whose, differs } of declared) {
    if (!before) add("create", undefined, rule, isSkip(rule) ? "a new rule that skips" : undefined);
    else if (differs.length > 0 || overtakes(before))
      add("update", before, rule, weakerRule(before, rule, differs) ?? earlier(before));
    else if (whose === "unmanaged") add("adopt", before, rule);
  }
  for (const rule of foreign)
    if (order.includes(rule) && earlier(rule)) add("update", rule, rule, earlier(rule));
  for (const rule of dropped)
    add("delete", rule, undefined, rule.enabled === false ? undefined : "no longer in force");
  // What "refuse" would delete is refused in the preview, or else it is worth a look.
  if (live === undefined || becomes["foreignRules"] === "keep") return { ...nothing, changes };
  const lose = (fate: ReviewLoss["fate"]) => (rule: Rule) =>
    lossOf(step, zone, rule, takes === "yes" ? fate : "maybe deleted");
  const edited = declared.flatMap(({ whose, live: there }) =>
    whose === "overwritten" && there ? [there] : [],
  );
  return { changes, losses: [...edited.map(lose("overwritten")), ...foreign.map(lose("deleted"))] };
}

/** Whether the rules of an entry point will be those of a migration of its zone, which take nothing away. */
export function passesRulesOn(step: Step, steps: readonly Step[]): boolean {
  const isOpen = objectOf(step.kind) === "rule" && step.after?.["rules"] === unknownValue;
  return (
    isOpen &&
    takesOthers(step) === "no" &&
    steps.some((one) => objectOf(one.kind) === "migration" && one.zone === step.zone && isChanging(one))
  );
}

function lossOf(step: Step, zone: string | undefined, rule: Rule, fate: ReviewLoss["fate"]): ReviewLoss {
  const { description: _called, ...content } = fromRule(rule);
  return {
    ...{ kind: "rule", fate, label: rule.description ?? "" },
    ...{ places: [{ zone, id: rule.id }], by: [declaredAsIn(step.urn)] },
    content: Object.entries(content).map(([name, value]) => [name, asText(value)] as const),
  };
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
