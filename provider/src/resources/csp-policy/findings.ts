import {
  isKnownDirective,
  type LintSetting,
  lintBy,
  lintPartlyKnown,
  parse,
  type ToldFinding,
  unknownRules,
} from "page-guard-csp";
import type { Service } from "../../api/client-types";
import { resolveService } from "../../api/connection";
import { stackConfig } from "../../functions/call";
import { connectionInput } from "../../model/common-inputs";
import { expressionFindings } from "../../model/expression-findings";
import { type Finding, makeError } from "../../model/finding";
import { declaredText } from "../../model/policies/declared-policy";
import { lintInput } from "../../model/policies/policy-inputs";
import type { Properties } from "../../model/properties";
import { containsUnknown, isText, isUnknown } from "../../model/unknown";
import { readMessage } from "../../text/data";
import { clean } from "../../text/shown";

/** Returns the findings about one policy that need no request. `lint` and `connection` are inputs of its resource. */
export function declarationFindings(
  policy: Properties,
  { lint, connection }: Properties,
  wanted: "all" | "errors",
): Finding[] {
  const findings = [
    ...oneOfValueAndDirectives(policy),
    ...expressionFindings(policy["expression"], "expression"),
    ...lintFindings(policy, lint, wanted),
  ];
  // With "errors", the provider process is the caller. It checks the action in `changeFindings`, where the service is known.
  if (wanted === "errors") return findings;
  const service = () =>
    containsUnknown(connection)
      ? undefined
      : resolveService(connectionInput.optional().safeParse(connection).data, process.env, stackConfig);
  return [...findings, ...actionFindings(policy["action"], service)];
}

/** Returns an error for an action that the service does not know. `serviceOf` returns undefined if the service is unknown. */
export function actionFindings(action: unknown, serviceOf: () => Service | undefined): Finding[] {
  if (action !== "add_reporting_directives" || serviceOf() !== "page_guard") return [];
  const message = `the action "add_reporting_directives" exists on page_shield only, and this connection uses page_guard. Use "log", or, if your API is page_shield, set the connection's service (or PAGE_GUARD_SERVICE) to "page_shield".`;
  return [makeError("action", "csp-action-not-known", message)];
}

/** Returns an error for each name in the input `lint` that is not the name of a lint rule. */
export function settingFindings(setting: unknown): Finding[] {
  if (setting === undefined || containsUnknown(setting)) return [];
  return unknownRules(lintSetting(setting)).map(({ index, rule, guess }) => {
    const hint =
      guess === undefined ? "docs/csp-lint-rules.md lists all lint rules." : `Did you mean "${guess}"?`;
    const message = `no lint rule has the name "${clean(rule, { max: 60 })}". ${hint}`;
    return makeError(`lint.off[${index}]`, "csp-no-such-lint-rule", message);
  });
}

function oneOfValueAndDirectives({ value, directives }: Properties): Finding[] {
  if ((value === undefined) !== (directives === undefined)) return [];
  const message =
    value === undefined
      ? "neither value nor directives is given. Give the policy as text in value, or as an object in directives."
      : "both value and directives are given. Both declare the policy; keep one of them.";
  return [makeError(value === undefined ? "" : "directives", "csp-value-or-directives", message)];
}

/** Returns the findings of the lint rules. A policy that the service cannot interpret is an error at every level. */
function lintFindings(policy: Properties, setting: unknown, wanted: "all" | "errors"): Finding[] {
  const { directives, value } = policy;
  const property = directives === undefined ? "value" : "directives";
  if (containsUnknown([value, setting]) || isUnknown(directives)) return [];
  const isLate = containsUnknown(directives);
  const by = lintSetting(setting);
  let found: ToldFinding[];
  try {
    const text = isLate ? "" : declaredText(policy);
    // Other findings already report a policy that is missing or not valid.
    if (typeof text !== "string") return [];
    const mayFail = isLate || by === "error" || Object(by).level === "error" || !knowsAllDirectives(text);
    if (wanted === "errors" && !mayFail) return [];
    found = isLate ? lintPartlyKnown(knownSources(Object(directives)), by) : lintBy(text, by);
  } catch (error) {
    return [makeError(property, "csp-not-writable", readMessage(error))];
  }
  return found.map(({ fails, message, position, ruleId, severity }) => ({
    severity: fails ? "error" : "warning",
    code: `csp-lint-${ruleId}`,
    // A policy that is partly unknown has no text yet, so no place in it can be named.
    ...(!isLate && { place: `character ${position.offset + 1} of the text` }),
    property,
    message: `${message} (${severity})`,
  }));
}

function knownSources(directives: Properties): Record<string, (string | undefined)[]> {
  const source = (one: unknown) => (isText(one) ? one : undefined);
  const lists = Object.entries(directives).map(([name, list]) => [name, [list].flat().map(source)]);
  return Object.fromEntries(lists);
}

/** Whether every directive has a known name. A misspelt name is an error at every level. */
function knowsAllDirectives(text: string): boolean {
  const { directives, ignored } = parse(text);
  return [...directives, ...ignored].every(({ name }) => isKnownDirective(name));
}

function lintSetting(setting: unknown): LintSetting {
  return setting === undefined ? "warn" : (lintInput.safeParse(setting).data ?? "warn");
}
