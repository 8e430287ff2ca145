import { equalPolicies, parse, toDirectives } from "page-guard-csp";
import {
  engineMarks,
  isSameField,
  migrationFacts,
  type Policy,
  type Rule,
  recordedRules,
  type ZoneValues,
} from "pulumi-page-guard/tools";
import { policyLabel, shortRuleLabel } from "../shared/labels";
import { asList, asRecord, type Fields, pairByKey } from "../shared/values";
import type { DeclaredPolicy, DeclaredZone } from "./declared-zone";
import type { ObjectKind, RecordedResource } from "./recorded";
import { hasSecret, isClosed, openSecrets } from "./secrets";

/** One difference between a state and a zone. Strings are not escaped. */
export interface Drift {
  /** `shared`: two resources in the state refer to the same object. */
  readonly what: "changed" | "gone" | "undeclared" | "shared";
  readonly kind: ObjectKind;
  readonly resource?: RecordedResource | undefined;
  /** Path of the argument, such as `policies.checkout.expression`; empty for the whole object. */
  readonly path: string;
  /** Name to show: the name of the resource, or the label or id of a policy or rule. */
  readonly label: string;
  readonly declared?: unknown;
  readonly actual?: unknown;
  /** Name of the other resource that refers to a shared object. */
  readonly other?: string;
  /** Whether the whole zone is gone, or the token cannot see it. */
  readonly isZoneGone?: boolean | undefined;
  /** Whether the values are secret and must not be printed. */
  readonly isSecret?: boolean | undefined;
}

export type ZoneDrift = Pick<Drifts, "drift" | "notCompared" | "undeclared">;

/** Whether a zone is gone, or the token cannot see it. */
export function hasNoZone({ policies, entrypoint }: ZoneValues): boolean {
  return policies === undefined && entrypoint === undefined;
}

export function findDrift(declared: DeclaredZone, live: ZoneValues): ZoneDrift {
  const found = new Drifts();
  if (hasNoZone(live)) {
    for (const resource of declared.resources) found.gone(resource.object, resource, "", resource.name, true);
    return found;
  }
  settingsDrift(found, declared.settings, live);
  policiesDrift(found, declared, live.policies ?? []);
  rulesDrift(found, declared, live, migrationDrift(found, declared.migration, live));
  return found;
}

class Drifts {
  readonly drift: Drift[] = [];
  /** Values that could not be compared: `checkout directives (secret)`. The strings are not escaped. */
  readonly notCompared: string[] = [];
  readonly undeclared = { policies: [] as Policy[], rules: [] as Rule[] };

  compare(
    kind: ObjectKind,
    resource: RecordedResource,
    path: string,
    declared: unknown,
    actual: unknown,
    isSame = (one: unknown, other: unknown) => isSameField(kind, path.split(".").at(-1) ?? "", one, other),
  ): void {
    if (isClosed(declared)) this.skip(resource, path);
    else if (!isSame(openSecrets(declared), actual)) {
      const isSecret = hasSecret(declared);
      const values = isSecret ? { isSecret } : { declared: openSecrets(declared), actual };
      this.drift.push({ what: "changed", kind, resource, path, label: resource.name, ...values });
    }
  }

  gone(kind: ObjectKind, resource: RecordedResource, path: string, label: string, isZoneGone?: true): void {
    this.drift.push({ what: "gone", kind, resource, path, label, isZoneGone });
  }

  shared(resource: RecordedResource, path: string, label: string, by: RecordedResource): void {
    this.drift.push({ what: "shared", kind: "policy", resource, path, label, other: by.name });
  }

  skip({ name }: RecordedResource, path: string, why = "secret"): void {
    this.notCompared.push(`${name} ${path} (${why})`);
  }
}

function settingsDrift(found: Drifts, resource: RecordedResource | undefined, { settings }: ZoneValues) {
  if (!resource) return;
  if (!settings) found.gone("settings", resource, "", resource.name);
  else
    for (const [name, actual] of Object.entries(settings)) {
      const declared = resource.inputs[name];
      if (declared !== undefined) found.compare("settings", resource, name, declared, actual);
    }
}

function policiesDrift(found: Drifts, declared: DeclaredZone, live: readonly Policy[]): void {
  const { policies, hiddenPolicies, notCreated } = declared;
  for (const { resource, key } of notCreated) found.gone("policy", resource, `policies.${key}`, key);
  const getId = ({ policyId }: { readonly policyId: string }): string => policyId;
  const owners = new Map<string, RecordedResource>();
  for (const { left, right } of pairByKey(policies, getId, live, getId)) {
    const path = left?.path.replace(/\.$/, "") ?? "";
    const owner = owners.get(left?.policyId ?? "");
    if (left && right) {
      policyDrift(found, left, right);
      owners.set(left.policyId, left.resource);
    } else if (left && owner) found.shared(left.resource, path, left.policyId, owner);
    else if (left) found.gone("policy", left.resource, path, left.policyId);
    else if (!hiddenPolicies) found.undeclared.policies.push(right);
  }
  for (const policy of found.undeclared.policies) {
    const { policyId: _, description: _named, ...actual } = policy;
    found.drift.push({ what: "undeclared", kind: "policy", path: "", label: policyLabel(policy), actual });
  }
  if (hiddenPolicies) found.skip(hiddenPolicies, "policyIds");
}

function policyDrift(found: Drifts, { resource, path, args }: DeclaredPolicy, live: Policy): void {
  const { directives } = args;
  const declared: Fields = { enabled: true, ...args };
  const names = ["description", "action", "expression", "enabled"] as const;
  for (const name of directives === undefined ? ([...names, "value"] as const) : names)
    found.compare("policy", resource, `${path}${name}`, declared[name], live[name]);
  if (directives === undefined) return;
  const [ours, theirs] = [joinSources(openSecrets(directives)), joinSources(toDirectives(parse(live.value)))];
  const text = Object.entries(ours).map((one) => one.join(" "));
  if (!isClosed(directives) && equalPolicies(text.join("; "), live.value)) return;
  const before = found.drift.length;
  for (const name of hasSecret(directives) ? [] : Object.keys({ ...ours, ...theirs }))
    found.compare("policy", resource, `${path}directives.${name}`, ours[name], theirs[name], (one, other) =>
      [one, other].includes(undefined) ? false : equalPolicies(`${name} ${one}`, `${name} ${other}`),
    );
  // If no directive was reported, either the directives are secret, or the policies differ only in text that is not a directive
  // and that browsers ignore. In both cases, report the directives as a whole.
  if (found.drift.length === before)
    found.compare("policy", resource, `${path}directives`, directives, live.value, () => false);
}

/** Returns the sources of each directive, joined into one string. */
function joinSources(directives: unknown): Record<string, string> {
  const all = Object.entries(asRecord(directives));
  return Object.fromEntries(all.map(([name, sources]) => [name.toLowerCase(), asList(sources).join(" ")]));
}

function rulesDrift(
  found: Drifts,
  { entrypoint: resource, migration: step }: DeclaredZone,
  { entrypoint }: ZoneValues,
  migration: ReturnType<typeof migrationDrift>,
): void {
  const live = entrypoint?.rules ?? [];
  const rules = resource?.outputs["rules"];
  if (resource && (isClosed(rules) || !Array.isArray(openSecrets(rules)))) {
    found.skip(resource, "rules");
    return;
  }
  const { recorded, others } = recordedRules(asRecord(openSecrets(resource?.outputs)), live);
  if (resource) {
    for (const [index, one] of recorded.entries()) {
      if (!one.live) found.gone("rule", resource, `rules[${index}]`, labelRule(resource, one.rule));
      else ruleDrift(found, resource, index, one);
    }
    const labels = (rules: readonly Rule[]) => rules.map((rule) => labelRule(resource, rule)).join(", ");
    const present = recorded.flatMap(({ live: there }) => there ?? []);
    const actual = labels(live.filter((rule) => present.includes(rule)));
    found.compare("rule", resource, "rules (their order)", labels(present), actual);
    const name = resource.inputs["name"];
    if (name !== undefined) found.compare("rule", resource, "name", name, entrypoint?.name);
  }
  // Leaves out rules that the migration of this stack has written, because the stack manages them.
  const { missing, left } = migration?.besides(others) ?? { missing: [], left: others };
  if (step && !resource && migration?.at === "validation")
    for (const rule of missing) found.gone("rule", step, "configuration", labelRule(step, rule));
  found.undeclared.rules = [...left];
  for (const rule of left)
    found.drift.push({ what: "undeclared", kind: "rule", path: "", label: shortRuleLabel(rule) });
}

/** Returns the label of a rule. If its resource has a secret input, the label is only the id. */
function labelRule({ inputs }: RecordedResource, rule: Rule): string {
  return hasSecret(inputs) ? (rule.id ?? engineMarks.secretText) : shortRuleLabel(rule);
}

function ruleDrift(
  found: Drifts,
  resource: RecordedResource,
  index: number,
  { live, differing }: ReturnType<typeof recordedRules>["recorded"][number],
): void {
  const { rules } = resource.inputs;
  // The state has a `ref` even if the program lets the service choose it. So take the declared `ref` from the inputs.
  const { ref } = asRecord(asList(openSecrets(rules))[index]);
  const isOtherRef = ref !== undefined && ref !== live?.ref;
  const refs = isOtherRef ? [{ name: "ref", declared: ref, actual: live?.ref }] : [];
  for (const { name, declared, actual } of [...differing, ...refs]) {
    // A secret anywhere in the rules makes all of them secret.
    const value = hasSecret(rules) ? rules : declared;
    found.compare("rule", resource, `rules[${index}].${name}`, value, actual, () => false);
  }
}

/** Reports a migration whose zone is not at the declared stage, and returns the facts about the migration. */
function migrationDrift(found: Drifts, resource: RecordedResource | undefined, live: ZoneValues) {
  if (!resource) return undefined;
  const facts = isClosed(resource.outputs) ? undefined : migrationFacts(live, openSecrets(resource.outputs));
  if (!facts?.at) {
    found.skip(resource, "stage");
    return undefined;
  }
  const { at } = facts;
  const stage = openSecrets(resource.inputs["stage"]);
  if (at === "unclear") found.skip(resource, "stage", "the state of the migration is ambiguous");
  else if (at !== "finishing" || stage !== "finished")
    found.compare("migration", resource, "stage", stage, at === "old" ? "not migrated" : at);
  return facts;
}
