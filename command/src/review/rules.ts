import { declaredAsIn, type Entrypoint, fromRule, type Rule, ruleOwners } from "pulumi-page-guard/tools";
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
  const writing = lists.find(({ becomes }) => becomes);
  // A list that is declared under another name stays: its deletion undoes nothing.
  const changing = writing ?? lists[0];
  if (!changing || !isChanging(changing.step)) return nothing;
  const isPassedOn = passesRulesOn(
    changing.step,
    sides.map(({ step }) => step),
  );
  return writing ? written(zone, writing, live, isPassedOn) : deleted(zone, changing, live);
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
  live: Pick<Entrypoint, "rules"> | undefined,
  isPassedOn: boolean,
): Outcome {
  const takes = takesOthers(step);
  const inputs = {
    zoneId: zone ?? "0".repeat(32),
    rules: typeof becomes["rules"] === "symbol" ? undefined : asPlainJson(becomes["rules"]),
    foreignRules: takes === "maybe" ? "overwrite" : becomes["foreignRules"],
  };
  const owners = ruleOwners(plain(was), inputs, live);
  if (!owners.declared) {
    const weaker = was && !isPassedOn ? "rules that are not shown" : undefined;
    return { ...nothing, changes: [changeOf(step, zone, "update", undefined, weaker)] };
  }
  const declared = owners.declared.flatMap(({ rule, live: before, whose, differs }): ObjectChange[] => {
    if (!before)
      return [changeOf(step, zone, "create", rule, isSkip(rule) ? "a new rule that skips" : undefined)];
    if (whose === "unmanaged") return [changeOf(step, zone, "adopt", before)];
    return differs.length === 0
      ? []
      : [changeOf(step, zone, "update", before, weakerRule(before, rule, differs))];
  });
  const dropped = owners.dropped.map((rule) =>
    changeOf(step, zone, "delete", rule, rule.enabled === false ? undefined : "no longer in force"),
  );
  const lose = (fate: ReviewLoss["fate"], rules: readonly Rule[]): ReviewLoss[] =>
    rules.map((rule) => lossOf(step, zone, rule, takes === "yes" ? fate : "maybe deleted"));
  const isKept = becomes["foreignRules"] === "keep";
  // What "refuse" would delete is refused in the preview, or else it is worth a look.
  const overwritten = owners.declared.filter(({ whose }) => whose === "overwritten");
  const edited = overwritten.flatMap(({ live: rule }) => rule ?? []);
  const losses = isKept ? [] : [...lose("overwritten", edited), ...lose("deleted", owners.foreign)];
  return { changes: [...declared, ...dropped], losses: live ? losses : [] };
}

function deleted(
  zone: string | undefined,
  { step, was = {} }: Side,
  live: Pick<Entrypoint, "rules"> | undefined,
): Outcome {
  const onDestroy = was["onDestroy"] ?? "restore";
  const isLeft = step.isRetained || onDestroy === "keep";
  const fate = isLeft ? "leave" : onDestroy === "remove" ? "delete" : "restore";
  const { own } = ruleOwners(plain(was), undefined, live);
  const weaker = isLeft ? undefined : "no longer in force";
  return { ...nothing, changes: own.map((rule) => changeOf(step, zone, fate, rule, weaker)) };
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
  const { description: _called, ...content } = fromRule(rule);
  return {
    ...{ kind: "rule", fate, label: rule.description ?? "" },
    ...{ places: [{ zone, id: rule.id }], by: [declaredAsIn(step.urn)] },
    content: Object.entries(content).map(([name, value]) => [name, asText(value)] as const),
  };
}

/** A state, with unknown values as the texts that a preview shows for them. */
function plain(was: Values | undefined): Values {
  return asPlainJson({ ...was, connection: undefined });
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
