import { build, equalPolicies, parse, toDirectives } from "page-guard-csp";
import {
  fromRule,
  isSameField,
  isSameRule,
  type MigrationFacts,
  migrationFacts,
  type Policy,
  paired,
  type Rule,
  recordedRules,
  type ZoneValues,
} from "pulumi-page-guard/tools";
import { policyLabel, shortRuleLabel } from "../labels";
import { recordIn } from "../values";
import { type DeclaredPolicy, type DeclaredZone, objectOf } from "./declared-zone";
import type { RecordedResource } from "./recorded";
import { hasSecret, isClosed, opened } from "./secrets";

/** One difference between a state and a zone. Not escaped. */
export interface Drift {
  readonly what: "changed" | "gone" | "undeclared";
  readonly kind: "settings" | "policy" | "rule" | "migration";
  /** Declares the object. */
  readonly resource?: RecordedResource | undefined;
  /** The argument: `policies.checkout.expression`; empty for the whole object. */
  readonly path: string;
  /** How a person finds the object in the zone. */
  readonly label: string;
  readonly declared?: unknown;
  readonly actual?: unknown;
  /** The values must not be printed. */
  readonly isSecret?: boolean | undefined;
}

/** What could not be compared: `checkout directives (secret)`. Not escaped. */
type NotCompared = string;

export interface ZoneDrift {
  readonly drift: readonly Drift[];
  readonly notCompared: readonly NotCompared[];
  /** What no resource declares. */
  readonly undeclared: { readonly policies: readonly Policy[]; readonly rules: readonly Rule[] };
}

export function driftOf(declared: DeclaredZone, live: ZoneValues, now: number): ZoneDrift {
  const found = new Drifts();
  // The zone is gone, or the token cannot see it.
  if (!live.policies && !live.entrypoint) {
    for (const resource of declared.resources) found.gone(objectOf(resource), resource, "", resource.name);
    return found;
  }
  settingsDrift(found, declared.settings, live);
  policiesDrift(found, declared, live.policies ?? []);
  const migration = migrationDrift(found, declared.migration, live, now);
  rulesDrift(found, declared, live, migration);
  return found;
}

class Drifts implements ZoneDrift {
  readonly drift: Drift[] = [];
  readonly notCompared: NotCompared[] = [];
  readonly undeclared: { policies: readonly Policy[]; rules: readonly Rule[] } = { policies: [], rules: [] };

  compare(
    kind: Drift["kind"],
    resource: RecordedResource,
    path: string,
    declared: unknown,
    actual: unknown,
    isSame = (one: unknown, other: unknown) => isSameField(kind, path.split(".").at(-1) ?? "", one, other),
  ): void {
    if (isClosed(declared)) this.skip(resource, path);
    else if (!isSame(opened(declared), actual)) {
      const isSecret = hasSecret(declared);
      const values = isSecret ? { isSecret } : { declared: opened(declared), actual };
      this.drift.push({ what: "changed", kind, resource, path, label: resource.name, ...values });
    }
  }

  gone(kind: Drift["kind"], resource: RecordedResource, path: string, label: string): void {
    this.drift.push({ what: "gone", kind, resource, path, label });
  }

  noOnes(kind: Drift["kind"], label: string): void {
    this.drift.push({ what: "undeclared", kind, path: "", label });
  }

  skip({ name }: RecordedResource, path: string, why = "secret"): void {
    this.notCompared.push(`${name} ${path} (${why})`);
  }
}

function settingsDrift(
  found: Drifts,
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

function policiesDrift(found: Drifts, declared: DeclaredZone, live: readonly Policy[]): void {
  const { policies, hiddenPolicies } = declared;
  const idOf = ({ policyId }: { readonly policyId: string }): string => policyId;
  const undeclared: Policy[] = [];
  for (const { left, right } of paired(policies, idOf, live, idOf)) {
    if (left && right) policyDrift(found, left, right);
    else if (left) found.gone("policy", left.resource, left.path.replace(/\.$/, ""), left.policyId);
    else if (!hiddenPolicies) undeclared.push(right);
  }
  found.undeclared.policies = undeclared;
  for (const policy of undeclared) found.noOnes("policy", policyLabel(policy));
  if (hiddenPolicies) found.skip(hiddenPolicies, "policyIds");
}

function policyDrift(found: Drifts, { resource, path, args }: DeclaredPolicy, live: Policy): void {
  const { directives, value, enabled = true } = args;
  const said: DeclaredPolicy["args"] = { ...args, enabled };
  const names = ["description", "action", "expression", "enabled"] as const;
  for (const name of directives === undefined ? ([...names, "value"] as const) : names)
    found.compare("policy", resource, `${path}${name}`, said[name], live[name]);
  if (directives === undefined) return;
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

function directivesDrift(
  found: Drifts,
  resource: RecordedResource,
  path: string,
  declared: unknown,
  live: string,
): void {
  const ours = listsOf(declared);
  const theirs = toDirectives(parse(live));
  let isReported = false;
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const [left, right] = [ours[name], theirs[name]];
    if (left && right && equalPolicies([name, ...left].join(" "), [name, ...right].join(" "))) continue;
    isReported = true;
    found.compare("policy", resource, `${path}.${name}`, left?.join(" "), right?.join(" "));
  }
  // What browsers ignore is not a directive, but a difference.
  if (!isReported) found.compare("policy", resource, path, textOf(declared), live);
}

function rulesDrift(
  found: Drifts,
  { entrypoint: resource, migration: step }: DeclaredZone,
  { entrypoint }: ZoneValues,
  migration: MigrationFacts | undefined,
): void {
  const live = entrypoint?.rules ?? [];
  const rules = resource?.outputs["rules"];
  if (resource && isClosed(rules)) {
    found.skip(resource, "rules");
    return;
  }
  const { recorded, others } = recordedRules(opened(rules), live);
  if (resource) {
    for (const [index, { rule, live: there }] of recorded.entries()) {
      if (!there) found.gone("rule", resource, `rules[${index}]`, shortRuleLabel(rule));
      else ruleDrift(found, resource, `rules[${index}]`, rule, there);
    }
    const present = recorded.flatMap(({ live: there }) => there ?? []);
    const inPlace = live.filter((rule) => present.includes(rule));
    if (present.some((rule, index) => rule !== inPlace[index])) {
      const labels = (rules: readonly Rule[]): string => rules.map(shortRuleLabel).join(", ");
      found.compare("rule", resource, "rules (their order)", labels(present), labels(inPlace));
    }
    const name = resource.inputs["name"];
    if (name !== undefined) found.compare("rule", resource, "name", name, entrypoint?.name);
  }
  // What the stack's own migration has written is no one else's.
  const { missing, left } = migration?.besides(others) ?? { missing: [], left: others };
  if (step && !resource && migration?.at === "validation") {
    for (const rule of missing) found.gone("rule", step, "configuration", shortRuleLabel(rule));
  }
  found.undeclared.rules = left;
  for (const rule of left) found.noOnes("rule", shortRuleLabel(rule));
}

function ruleDrift(found: Drifts, resource: RecordedResource, path: string, rule: Rule, live: Rule): void {
  if (isSameRule(rule, live)) return;
  const [declared, actual] = [fromRule(rule), fromRule(live)];
  const isSecret = hasSecret(resource.inputs["rules"]);
  let isReported = false;
  for (const name of new Set([...Object.keys(declared), ...Object.keys(actual)])) {
    const [left, right] = [declared[name] ?? defaults[name], actual[name] ?? defaults[name]];
    if (isSameField("rule", name, left, right)) continue;
    isReported = true;
    const shown = isSecret ? resource.inputs["rules"] : left;
    found.compare("rule", resource, `${path}.${name}`, shown, right, () => false);
  }
  if (!isReported)
    found.compare("rule", resource, path, shortRuleLabel(rule), shortRuleLabel(live), () => false);
}

const defaults: Readonly<Record<string, unknown>> = { enabled: true, description: "" };

/** A migration in validation that someone finished, or one that is no longer in force. */
function migrationDrift(
  found: Drifts,
  resource: RecordedResource | undefined,
  live: ZoneValues,
  now: number,
): MigrationFacts | undefined {
  if (!resource) return undefined;
  const facts = isClosed(resource.outputs) ? undefined : migrationFacts(live, now, opened(resource.outputs));
  if (!facts?.at) {
    found.skip(resource, "stage");
    return undefined;
  }
  const { at } = facts;
  const stage = opened(resource.inputs["stage"]);
  if (at === "unclear") found.skip(resource, "stage", "the state of the migration is ambiguous");
  else if (at !== "finishing" || stage !== "finished") {
    found.compare("migration", resource, "stage", stage, at === "old" ? "not migrated" : at);
  }
  return facts;
}

function listsOf(directives: unknown): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(recordIn(directives)).map(([name, sources]) => [
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
