import { isDeepStrictEqual } from "node:util";
import type { Policy, Rule } from "../../api/client-types";
import { build, equalPolicies, parse, toDirectives } from "../../csp";
import { isSameText, sameDescription, sameExpression } from "../../policies/equal-policy";
import { fromRule } from "../../waf-rules/rule-input";
import { isSameRule } from "../../waf-rules/rule-match";
import { wordMeaning } from "../../waf-rules/rule-meaning";
import type { ZoneValues } from "../../zone/read-zone";
import type { DeclaredPolicy, DeclaredZone } from "./declared-zone";
import type { RecordedResource } from "./recorded";
import { rulesOf } from "./rules-of";
import { hasSecret, isClosed, opened } from "./secrets";

/** One difference between a state and a zone. Values are as they are: whoever prints them escapes. */
export interface Drift {
  readonly what: "changed" | "gone" | "undeclared";
  readonly kind: "settings" | "policy" | "rule" | "migration";
  /** That declares it. */
  readonly resource?: RecordedResource | undefined;
  /** Of the argument: `policies.checkout.expression`; empty for the whole object. */
  readonly path: string;
  /** How a person finds the object again in the zone. */
  readonly label: string;
  readonly declared?: unknown;
  readonly actual?: unknown;
  /** The values are not to be printed. */
  readonly isSecret?: boolean | undefined;
}

export interface ZoneDrift {
  readonly drift: readonly Drift[];
  /** Values that are secret and could not be opened. */
  readonly notCompared: number;
}

/** What differs: changed, gone, and never declared. Pure. */
export function driftOf(declared: DeclaredZone, live: ZoneValues): ZoneDrift {
  const found = new Findings();
  // The zone itself is gone, or the token does not see it.
  if (!live.policies && !live.entrypoint) {
    for (const resource of [declared.settings, declared.entrypoint, ...declared.sets]) {
      if (resource) found.gone("settings", resource, "", resource.name);
    }
    for (const { resource } of declared.policies) {
      if (resource.kind === "CspPolicy") found.gone("policy", resource, "", resource.name);
    }
    return found.result();
  }
  settingsDrift(found, declared.settings, live);
  policiesDrift(found, declared, live.policies ?? []);
  rulesDrift(found, declared.entrypoint, live);
  migrationDrift(found, declared.migration, live);
  return found.result();
}

class Findings {
  readonly #drift: Drift[] = [];
  #notCompared = 0;

  /** Compares one argument. */
  compare(
    kind: Drift["kind"],
    resource: RecordedResource,
    path: string,
    declared: unknown,
    actual: unknown,
    isSame: (declared: unknown, actual: unknown) => boolean = Object.is,
  ): void {
    if (isClosed(declared)) this.#notCompared += 1;
    else if (!isSame(opened(declared), actual)) {
      const isSecret = hasSecret(declared);
      const values = isSecret ? { isSecret } : { declared: opened(declared), actual };
      this.#drift.push({ what: "changed", kind, resource, path, label: resource.name, ...values });
    }
  }

  hidden(): void {
    this.#notCompared += 1;
  }

  gone(kind: Drift["kind"], resource: RecordedResource, path: string, label: string): void {
    this.#drift.push({ what: "gone", kind, resource, path, label });
  }

  undeclared(kind: Drift["kind"], label: string): void {
    this.#drift.push({ what: "undeclared", kind, path: "", label });
  }

  result(): ZoneDrift {
    return { drift: this.#drift, notCompared: this.#notCompared };
  }
}

function settingsDrift(
  found: Findings,
  resource: RecordedResource | undefined,
  { settings }: ZoneValues,
): void {
  if (!resource) return;
  if (!settings) {
    found.gone("settings", resource, "", resource.name);
    return;
  }
  for (const name of ["enabled", "useVendorReportingEndpoint", "useConnectionUrlPath"] as const) {
    const declared = resource.inputs[name];
    if (declared !== undefined) found.compare("settings", resource, name, declared, settings[name]);
  }
}

function policiesDrift(found: Findings, declared: DeclaredZone, live: readonly Policy[]): void {
  const byId = new Map(live.map((policy) => [policy.policyId, policy]));
  for (const policy of declared.policies) {
    const there = byId.get(policy.policyId);
    if (there) policyDrift(found, policy, there);
    else found.gone("policy", policy.resource, policy.path.replace(/\.$/, ""), policy.policyId);
  }
  if (declared.arePoliciesHidden) {
    found.hidden();
    return;
  }
  const known = new Set(declared.policies.map(({ policyId }) => policyId));
  for (const policy of live) if (!known.has(policy.policyId)) found.undeclared("policy", policyLabel(policy));
}

function policyDrift(found: Findings, { resource, path, args }: DeclaredPolicy, live: Policy): void {
  const compare = (
    name: string,
    actual: unknown,
    same: (left: string, right: string) => boolean = Object.is,
  ): void =>
    found.compare("policy", resource, `${path}${name}`, args[name], actual, (left, right) =>
      isSameText(left, right, same),
    );
  compare("description", live.description, sameDescription);
  compare("action", live.action);
  compare("expression", live.expression, sameExpression);
  found.compare("policy", resource, `${path}enabled`, args["enabled"] ?? true, live.enabled);
  const { directives, value } = args;
  if (directives === undefined) {
    compare("value", live.value, equalPolicies);
    return;
  }
  if (isClosed(directives)) {
    found.compare("policy", resource, `${path}directives`, directives, live.value);
    return;
  }
  const text = textOf(opened(directives));
  if (text !== undefined && equalPolicies(text, live.value)) return;
  if (value !== undefined || hasSecret(directives)) {
    found.compare("policy", resource, `${path}directives`, directives, live.value, () => false);
    return;
  }
  directivesDrift(found, resource, `${path}directives`, opened(directives), live.value);
}

/** One line for each directive that differs. */
function directivesDrift(
  found: Findings,
  resource: RecordedResource,
  path: string,
  declared: unknown,
  live: string,
): void {
  const ours = listsOf(declared);
  const theirs = toDirectives(parse(live));
  let isTold = false;
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const [left, right] = [ours[name], theirs[name]];
    if (left && right && equalPolicies([name, ...left].join(" "), [name, ...right].join(" "))) continue;
    isTold = true;
    found.compare("policy", resource, `${path}.${name}`, left?.join(" "), right?.join(" "));
  }
  // What browsers pass over is no directive, and yet a difference.
  if (!isTold) found.compare("policy", resource, path, textOf(declared), live);
}

function rulesDrift(
  found: Findings,
  resource: RecordedResource | undefined,
  { entrypoint }: ZoneValues,
): void {
  const live = entrypoint?.rules ?? [];
  const { declared, others, areHidden } = rulesOf(resource, live);
  if (areHidden) {
    found.hidden();
    return;
  }
  if (resource) {
    for (const [index, { rule, live: there }] of declared.entries()) {
      if (!there) found.gone("rule", resource, `rules[${index}]`, ruleLabel(rule));
      else ruleDrift(found, resource, `rules[${index}]`, rule, there);
    }
    const order = declared.flatMap(({ live: there }) => (there ? [live.indexOf(there)] : []));
    const isInOrder = order.every((place, index) => index === 0 || place > (order[index - 1] ?? 0));
    if (!isInOrder) {
      const labels = (rules: readonly (Rule | undefined)[]): string[] =>
        rules.flatMap((rule) => (rule ? [ruleLabel(rule)] : []));
      const inPlace = [...order].sort((left, right) => left - right).map((place) => live[place]);
      found.compare(
        "rule",
        resource,
        "rules (their order)",
        labels(declared.map(({ live: there }) => there)).join(", "),
        labels(inPlace).join(", "),
      );
    }
    const name = resource.inputs["name"];
    if (name !== undefined) found.compare("rule", resource, "name", name, entrypoint?.name);
  }
  for (const rule of others) found.undeclared("rule", ruleLabel(rule));
}

function ruleDrift(found: Findings, resource: RecordedResource, path: string, rule: Rule, live: Rule): void {
  if (isSameRule(rule, live)) return;
  const [declared, actual] = [fromRule(rule), fromRule(live)];
  const isSecret = hasSecret(resource.inputs["rules"]);
  let isTold = false;
  for (const name of new Set([...Object.keys(declared), ...Object.keys(actual)])) {
    const [left, right] = [declared[name] ?? defaults[name], actual[name] ?? defaults[name]];
    if (isDeepStrictEqual(left, right)) continue;
    if (name === "expression" && isSameText(left, right, sameExpression)) continue;
    if (name === "description" && isSameText(left, right, sameDescription)) continue;
    if (name === "action" && wordMeaning(String(left)) === wordMeaning(String(right))) continue;
    isTold = true;
    found.compare(
      "rule",
      resource,
      `${path}.${name}`,
      isSecret ? resource.inputs["rules"] : left,
      right,
      () => false,
    );
  }
  if (!isTold) found.compare("rule", resource, path, ruleLabel(rule), ruleLabel(live), () => false);
}

const defaults: Readonly<Record<string, unknown>> = { enabled: true, description: "" };

/** A migration in validation that somebody has finished, or one that is not in force any more. */
function migrationDrift(
  found: Findings,
  resource: RecordedResource | undefined,
  { wafStatus }: ZoneValues,
): void {
  if (!resource || !wafStatus) return;
  const stage = opened(resource.inputs["stage"]);
  const { oldEnabled, newEnabled } = wafStatus;
  if (oldEnabled === undefined || newEnabled === undefined) return;
  const actual = newEnabled ? (oldEnabled ? "validation" : "finished") : "not migrated";
  found.compare("migration", resource, "stage", stage, actual);
}

/** By its description, else its id. */
export function policyLabel({ description, policyId }: Policy): string {
  return description.trim() === "" ? policyId : `"${description}" (${policyId})`;
}

export function ruleLabel({ description, action, expression, id }: Rule): string {
  const called =
    description !== undefined && description.trim() !== ""
      ? `"${description}"`
      : `${action} if ${expression}`;
  return id === undefined ? called : `${called} (${id})`;
}

function listsOf(directives: unknown): Record<string, readonly string[]> {
  if (typeof directives !== "object" || directives === null) return {};
  return Object.fromEntries(
    Object.entries(directives).map(([name, sources]) => [
      name.toLowerCase(),
      Array.isArray(sources) ? sources.map(String) : [],
    ]),
  );
}

function textOf(directives: unknown): string | undefined {
  try {
    return build(listsOf(directives));
  } catch {
    return undefined;
  }
}
