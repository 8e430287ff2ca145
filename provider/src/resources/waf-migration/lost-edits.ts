import { isDeepStrictEqual } from "node:util";
import type { Rule, WafConfiguration } from "../../api/client-types";
import { MigrationError } from "../../errors/migration-error";
import { listed } from "../../text/listed";
import { differences, nearMisses } from "../../waf-rules/rule-difference";
import { ruleFinder } from "../../waf-rules/rule-finder";
import { ruleLabel } from "../../waf-rules/rule-label";
import { asRule, isSameConfiguration, unnamed } from "./rules";
import type { Standing } from "./standing";
import type { Inputs, State } from "./state";

/**
 * An update replaces the whole list by `body`: what someone has edited, added, deleted or moved since we wrote it is not to be
 * undone by it. Only a configuration that the program has changed says that this is intended.
 */
export function refuseLosingEdits(
  inputs: Inputs,
  record: State,
  { at, seen, rules: live }: Standing,
  body: WafConfiguration,
  proposed: WafConfiguration | undefined,
): void {
  // No one has written anything yet.
  if (at === "old" && live.length === 0) return;
  const sent = record.applied?.rules.map(asRule);
  const isStatedAgain =
    inputs.configuration !== undefined &&
    (!sent || !isDeepStrictEqual(record.configuration ?? null, inputs.configuration));
  // As it was when an update was about to be sent that has not arrived.
  const { attempt } = record;
  const isAsBefore =
    attempt?.before.entrypointVersion !== undefined &&
    attempt.before.entrypointVersion === seen.entrypointVersion;
  if (isStatedAgain || isAsBefore) return;
  const expected = sent ?? proposed?.rules ?? body.rules;
  if (isSameConfiguration(expected, live) || isSameConfiguration(body.rules, live)) return;
  throw new MigrationError(
    "migration-edited",
    {
      what: `the migration would undo what was done to the rules of the entry point: ${edits(expected, body.rules, live)}.`,
      why: "Someone edited them in the dashboard or with another tool since the configuration was sent.",
      fix: "Say what is meant: add the edits as ruleOverrides, or give the whole list as it is to be in `configuration`; or take the edits back in the dashboard.",
    },
    { zoneId: inputs.zoneId },
  );
}

/** What has become of the rules that were sent, in words. `wanted`: what the program would send now. */
function edits(sent: readonly Rule[], wanted: readonly Rule[], live: readonly Rule[]): string {
  const { missing, left } = compared(sent, live);
  const added = compared(compared(sent, wanted).left, left).left;
  const changed = nearMisses(new Map(missing.entries()), added);
  const isChanged = new Set(changed.map(({ rule }) => rule));
  const isFound = new Set(changed.map(({ index }) => missing[index]));
  const kinds = [
    ["changed", changed.map(({ index, rule }) => changeOf(missing[index], rule))],
    ["added", added.filter((rule) => !isChanged.has(rule)).map(ruleLabel)],
    ["deleted", missing.filter((rule) => !isFound.has(rule)).map(ruleLabel)],
  ] as const;
  const parts = kinds.flatMap(([what, rules]) => (rules.length > 0 ? [`${what}: ${listed(rules)}`] : []));
  return parts.join(". ") || "they are in another order";
}

function changeOf(sent: Rule | undefined, live: Rule): string {
  const how = sent ? ` ${listed(differences(sent, live), { most: 5, separator: ", " })}` : "";
  return `${ruleLabel(live)}:${how}`;
}

/** The declared rules that are not there, and the live ones that no declared one is. */
function compared(declared: readonly Rule[], live: readonly Rule[]): { missing: Rule[]; left: Rule[] } {
  const free = new Set(live);
  const find = ruleFinder(live, (rule) => free.has(rule));
  const missing = declared.filter((rule) => {
    const found = find(unnamed(rule));
    return found === undefined || !free.delete(found);
  });
  return { missing, left: [...free] };
}
