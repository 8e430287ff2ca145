import {
  anyWafRule,
  declaredAsIn,
  differingFields,
  type Entrypoint,
  fromRecord,
  entrypointInputs as inputsSchema,
  matchList,
  ownRules,
  type Rule,
  recordedRule as recorded,
  type EntrypointState as State,
  entrypointState as stateSchema,
  toRule,
} from "pulumi-page-guard/tools";
import {
  asPlainJson,
  isChanging,
  type PreviewStep,
  unknownValue,
  type Values,
} from "../preview/preview-read";
import type { ReviewLoss } from "../reports/review/review";
import { asText } from "../values";
import { nothing, type ObjectChange, type Outcome, type Side, takesOthers } from "./objects";

/**
 * What a plan does to the rules of a zone's entry point, by the comparison that the update makes itself. `live`: the list
 * of the zone; where it was not read, the one in the state.
 */
export function ruleChanges(
  zone: string | undefined,
  sides: readonly Side[],
  live: Pick<Entrypoint, "rules"> | undefined,
): Outcome {
  const lists = sides.filter(({ step }) => step.kind === "ManagedWafEntrypoint");
  const known = live ?? { rules: lists.flatMap(({ was }) => recordedRules(was).map(fromRecord)) };
  const writing = lists.find(({ becomes }) => becomes);
  // A list that is declared under another name stays: its deletion undoes nothing.
  const changing = writing ?? lists[0];
  if (!changing || !isChanging(changing.step)) return nothing;
  const isPassedOn = passesRulesOn(
    changing.step,
    sides.map(({ step }) => step),
  );
  return writing
    ? written(zone, writing, known, { isPassedOn, isRead: live !== undefined })
    : deleted(zone, changing, known);
}

/** Whether the rules of an entry point will be those of a migration of its zone, which take nothing away. */
export function passesRulesOn(step: PreviewStep, steps: readonly PreviewStep[]): boolean {
  const { kind, zone, after } = step;
  const isOpen = kind === "ManagedWafEntrypoint" && after?.["rules"] === unknownValue;
  return (
    isOpen &&
    takesOthers(step) === "no" &&
    steps.some((one) => one.kind === "WafMigrationStep" && one.zone === zone && isChanging(one))
  );
}

function written(
  zone: string | undefined,
  { step, was, becomes = {} }: Side,
  live: Pick<Entrypoint, "rules">,
  { isPassedOn, isRead }: { readonly isPassedOn: boolean; readonly isRead: boolean },
): Outcome {
  const takes = takesOthers(step);
  const inputs = inputsSchema.safeParse({
    zoneId: zone ?? "0".repeat(32),
    rules: asPlainJson(becomes["rules"]),
    foreignRules: takes === "maybe" ? "overwrite" : becomes["foreignRules"],
  }).data;
  if (!inputs || typeof becomes["rules"] === "symbol") {
    const weaker = was && !isPassedOn ? "rules that are not shown" : undefined;
    return { ...nothing, changes: [changeOf(step, zone, "update", undefined, weaker)] };
  }
  const own = ownRules(stateOf(was), live);
  const { match } = matchList(inputs, own, { name: "", ...live });
  const edited = new Set(match.namesakes.map(({ rule }) => rule));
  const declared = inputs.rules.flatMap((input, index): ObjectChange[] => {
    const [rule, before] = [toRule(input), match.live[index]];
    if (!before)
      return [changeOf(step, zone, "create", rule, isSkip(rule) ? "a new rule that skips" : undefined)];
    const parts = differingFields(rule, before);
    if (!own.has(before) && !edited.has(before)) return [changeOf(step, zone, "adopt", before)];
    return parts.length === 0
      ? []
      : [changeOf(step, zone, "update", before, weakerRule(before, rule, parts))];
  });
  const dropped = match.dropped.map((rule) =>
    changeOf(step, zone, "delete", rule, rule.enabled === false ? undefined : "no longer in force"),
  );
  const lose = (fate: ReviewLoss["fate"], rules: Iterable<Rule>): ReviewLoss[] =>
    [...rules].map((rule) => lossOf(step, zone, rule, takes === "yes" ? fate : "maybe deleted"));
  const isKept = becomes["foreignRules"] === "keep";
  // What "refuse" would delete is refused in the preview, or else it is worth a look.
  const losses = isKept ? [] : [...lose("overwritten", edited), ...lose("deleted", match.foreign)];
  return { changes: [...declared, ...dropped], losses: isRead ? losses : [] };
}

function deleted(
  zone: string | undefined,
  { step, was = {} }: Side,
  live: Pick<Entrypoint, "rules">,
): Outcome {
  const onDestroy = was["onDestroy"] ?? "restore";
  const isLeft = step.isRetained || onDestroy === "keep";
  const fate = isLeft ? "leave" : onDestroy === "remove" ? "delete" : "restore";
  const rules = [...ownRules(stateOf(was), live).keys()];
  const weaker = isLeft ? undefined : "no longer in force";
  return { ...nothing, changes: rules.map((rule) => changeOf(step, zone, fate, rule, weaker)) };
}

function changeOf(
  step: PreviewStep,
  zone: string | undefined,
  fate: ObjectChange["fate"],
  rule: Rule | undefined,
  weaker?: string,
): ObjectChange {
  return {
    ...{ step, zone, kind: "rule", fate, label: rule?.description ?? "", weaker },
    id: fate === "create" ? undefined : rule?.id,
  };
}

function lossOf(
  step: PreviewStep,
  zone: string | undefined,
  rule: Rule,
  fate: ReviewLoss["fate"],
): ReviewLoss {
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
  if (before.enabled === false)
    return after.enabled !== false && isSkip(after) ? "a rule that skips" : undefined;
  if (after.enabled === false) return "switched off";
  const words = fields
    .filter((field) => field !== "description")
    .map((field) => (field === "actionParameters.id" ? "managed ruleset" : field.replace(/^.*\./, "")));
  return words.length === 0 ? undefined : `another ${words.join(", another ")}`;
}
