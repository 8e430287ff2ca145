import { nearest } from "page-guard-csp";
import type { Rule, WafConfiguration } from "../../api/client-types";
import { compact } from "../../api/wire/schema-parts";
import { listed, shown } from "../../text/shown";
import type { Inputs } from "./state";
import { shownName } from "./texts";

/** Overrides that the program adds to the configuration which the service proposes. */
type AddedOverrides = NonNullable<Inputs["ruleOverrides"]>;

/** "The number of firewall rules to migrate": above it only the vendor's support can migrate the zone. */
const mostRules = 200;
/** Bytes of one expression: 4 KB. */
const longestExpression = 4096;
/** Managed rulesets that a configuration runs beside the migrated firewall rules, at most. */
const usualRulesets = 3;

const owaspId = "4814384a9e5d4991b9815dcfc25d2f1f";

/** The proposed configuration with the program's overrides in it. Unknown names are left to `overrideProblems`. */
export function withOverrides(configuration: WafConfiguration, overrides: AddedOverrides): WafConfiguration {
  return { ...configuration, rules: configuration.rules.map((rule) => ruleWithOverrides(rule, overrides)) };
}

function ruleWithOverrides(rule: Rule, all: AddedOverrides): Rule {
  const mine = all.filter((override) => override.rulesetId === rule.actionParameters?.id);
  if (mine.length === 0 || rule.action !== "execute") return rule;
  const merged = new Map((rule.actionParameters?.overrides?.rules ?? []).map((entry) => [entry.id, entry]));
  for (const { ruleId, action, enabled } of mine) {
    merged.set(ruleId, {
      ...merged.get(ruleId),
      id: ruleId,
      ...compact({ action, enabled }),
    });
  }
  const overrides = { ...rule.actionParameters?.overrides, rules: [...merged.values()] };
  return { ...rule, actionParameters: { ...rule.actionParameters, overrides } };
}

/** Overrides for a ruleset that the configuration does not run, or for a rule whose id is probably mistyped. */
export function overrideProblems(
  configuration: WafConfiguration,
  overrides: AddedOverrides,
): readonly { readonly property: string; readonly what: string }[] {
  const rulesets = configuration.rules.flatMap((rule) =>
    rule.action === "execute" && rule.actionParameters?.id !== undefined ? [rule.actionParameters.id] : [],
  );
  return overrides.flatMap(({ rulesetId, ruleId }, index) => {
    if (!rulesets.includes(rulesetId)) {
      const guess = nearest(rulesetId, rulesets);
      const known = guess
        ? `Did you mean ${shownName(guess)}?`
        : `It runs ${listed(rulesets.map(shownName), { separator: ", " }) || "no managed ruleset"}.`;
      const what = `the configuration does not run a managed ruleset ${rulesetId}. ${known}`;
      return [{ property: `ruleOverrides[${index}].rulesetId`, what }];
    }
    const known = configuration.rules
      .filter((rule) => rule.actionParameters?.id === rulesetId)
      .flatMap((rule) => rule.actionParameters?.overrides?.rules ?? [])
      .map((entry) => entry.id);
    const guess = known.includes(ruleId) ? undefined : nearest(ruleId, known);
    if (guess === undefined) return [];
    const what = `the configuration has no override for a rule ${ruleId} of ruleset ${rulesetId}, but one for ${shownName(guess)}, which differs in a few characters only. Correct the id.`;
    return [{ property: `ruleOverrides[${index}].ruleId`, what }];
  });
}

/** How many firewall rules are migrated: what is not there to run a managed ruleset. */
export function rulesToMove({ rules }: Pick<WafConfiguration, "rules">): number {
  const executed = rules.filter((rule) => rule.action === "execute").length;
  return executed <= usualRulesets ? rules.length - executed : rules.length;
}

/** What the service would refuse for its size, named by rule. */
export function limitProblems({ rules }: WafConfiguration): readonly string[] {
  const migrated = rulesToMove({ rules });
  const tooMany = `the zone has ${migrated} firewall rules to migrate and the service moves at most ${mostRules}. Delete rules that are no longer needed, or ask the vendor's support to migrate the zone.`;
  const tooLong = rules.flatMap((rule, index) => {
    const bytes = Buffer.byteLength(rule.expression);
    const message = `the expression of rule ${index + 1} (${shown(rule.description || rule.action)}) has ${bytes} bytes and the service moves at most ${longestExpression} (4 KB). Shorten it, for example with a list, or ask the vendor's support to migrate the zone.`;
    return bytes > longestExpression ? [message] : [];
  });
  return [...(migrated > mostRules ? [tooMany] : []), ...tooLong];
}

/** What the move changes for a zone that runs the OWASP ruleset (the WAF migration document, "Migrated settings"). */
export function owaspNotes(configuration: WafConfiguration): readonly string[] {
  if (!runsOwasp(configuration)) return [];
  return [
    "The configuration runs the OWASP ruleset. Its sensitivity is moved like this:",
    "  High -> paranoia level 2, score threshold 40 (Medium); Medium -> level 1, 25 (High);",
    "  Low -> level 1, 40 (Medium); default -> level 2, 40 (Medium).",
    "  Its action is moved almost one to one; Simulate becomes Log.",
    "Not moved; recreate them with tag or rule overrides: OWASP group overrides, OWASP rule overrides.",
    "Some settings of the previous OWASP ruleset have no successor and are lost.",
  ];
}

export function runsOwasp({ rules }: WafConfiguration): boolean {
  return rules.some(
    (rule) =>
      rule.action === "execute" &&
      (rule.actionParameters?.id === owaspId || /owasp/i.test(rule.description ?? "")),
  );
}

export const movedSettings = [
  "Moved besides: firewall rules with Bypass > WAF Managed Rules, page rules with Disable Security, page rules with Web Application Firewall on or off.",
];
