import {
  isKnownDirective,
  type LintSetting,
  lintBy,
  type PartlyKnown,
  parse,
  possibleTexts,
  type ToldFinding,
  unknownRules,
} from "page-guard-csp";
import type { Service } from "../api/client-types";
import { resolveService } from "../api/connection";
import { stackConfig } from "../functions/call";
import { connectionInput } from "../model/common-inputs";
import { expressionFindings } from "../model/expression-findings";
import { errorOn, type Finding } from "../model/finding";
import { declaredText } from "../model/policies/declared-policy";
import { lintInput } from "../model/policies/policy-inputs";
import type { Properties } from "../model/properties";
import { containsUnknown, isUnknown } from "../model/unknown";

/** What can be said of one policy without a request. `inputs`: of its resource. */
export function declarationFindings(
  policy: Properties,
  { lint, connection }: Properties,
  wanted: "all" | "errors",
): Finding[] {
  const declaredService = () =>
    containsUnknown(connection)
      ? undefined
      : resolveService(connectionInput.optional().safeParse(connection).data, process.env, stackConfig);
  return [
    ...oneOfValueAndDirectives(policy),
    ...expressionFindings(policy["expression"], "expression"),
    ...lintFindings(policy, lint, wanted),
    // The provider process knows its connection better, and asks before it changes anything.
    ...(wanted === "all" ? actionFindings(policy["action"], declaredService) : []),
  ];
}

/** An action that only one of the service's names knows. `serviceOf` gives undefined where that is not known yet. */
export function actionFindings(action: unknown, serviceOf: () => Service | undefined): Finding[] {
  if (action !== "add_reporting_directives" || serviceOf() !== "page_guard") return [];
  const message = `the action "add_reporting_directives" is known to page_shield only, and this connection speaks to page_guard. Use "log", or set the connection's service (or PAGE_GUARD_SERVICE) to "page_shield" where the API has that name.`;
  return [errorOn("action", "csp-action-not-known", message)];
}

/** What is wrong with the setting itself, whatever policies it is for. */
export function settingFindings(setting: unknown): Finding[] {
  if (setting === undefined || containsUnknown(setting)) return [];
  return unknownRules(lintSetting(setting)).map(({ index, rule, guess }) => {
    const hint = guess === undefined ? "docs/csp-lint-rules.md has them all." : `Did you mean "${guess}"?`;
    const message = `no lint rule has the name ${JSON.stringify(rule.slice(0, 60))}. ${hint}`;
    return errorOn(`lint.off[${index}]`, "csp-no-such-lint-rule", message);
  });
}

function oneOfValueAndDirectives({ value, directives }: Properties): Finding[] {
  if ((value === undefined) !== (directives === undefined)) return [];
  const message =
    value === undefined
      ? `neither value nor directives is given. Give the policy as text in value, or as an object in directives.`
      : `both value and directives are given. They say the same thing twice; keep one of them.`;
  const property = value === undefined ? "" : "directives";
  return [errorOn(property, "csp-value-or-directives", message)];
}

/**
 * Lint never hides a text that the service cannot mean, however it is set. Of directives that are known in part it tells
 * what holds whatever the rest turns out to be.
 */
function lintFindings(policy: Properties, setting: unknown, wanted: "all" | "errors"): Finding[] {
  const { directives, value } = policy;
  const property = directives === undefined ? "value" : "directives";
  if (isUnknown(directives) || containsUnknown(value) || containsUnknown(setting)) return [];
  if (directives === undefined && typeof value !== "string") return [];
  const isWhole = !containsUnknown(directives);
  let texts: readonly string[];
  try {
    texts = isWhole ? [String(declaredText(policy))] : possibleTexts(knownOf(directives));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [errorOn(property, "csp-not-writable", message)];
  }
  const by = lintSetting(setting);
  const mayFail = (typeof by === "string" ? by : by.level) === "error" || !texts.every(knowsAllDirectives);
  if (wanted === "errors" && !mayFail) return [];
  return lintOfAll(texts, by).map(({ fails, message, position, ruleId, severity }) => ({
    severity: fails ? "error" : "warning",
    code: `csp-lint-${ruleId}`,
    ...(isWhole && { place: `character ${position.offset + 1} of the text` }),
    property,
    message: `${message} (${severity})`,
  }));
}

/** A misspelt one fails whatever the setting is. */
function knowsAllDirectives(text: string): boolean {
  const { directives, ignored } = parse(text);
  return [...directives, ...ignored].every(({ name }) => isKnownDirective(name));
}

/** What is to be said of each of the texts. */
function lintOfAll(texts: readonly string[], setting: LintSetting): readonly ToldFinding[] {
  const isIn = (found: readonly ToldFinding[], { directive, message }: ToldFinding): boolean =>
    found.some((one) => one.directive === directive && one.message === message);
  return texts
    .map((text) => lintBy(text, setting))
    .reduce((common, found) => common.filter((finding) => isIn(found, finding)));
}

/** What is no text counts as unknown here. */
function knownOf(directives: unknown): PartlyKnown {
  const known = (source: unknown) => (typeof source === "string" && !isUnknown(source) ? source : undefined);
  const entries = Object.entries(Object(directives));
  return Object.fromEntries(
    entries.map(([name, sources]) => [name, Array.isArray(sources) ? sources.map(known) : undefined]),
  );
}

function lintSetting(setting: unknown): LintSetting {
  return setting === undefined ? "warn" : (lintInput.safeParse(setting).data ?? "warn");
}
