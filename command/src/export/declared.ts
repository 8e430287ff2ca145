import { CspError, hostsOf, impact, lint, nothingSeen, seenItems } from "page-guard-csp";
import {
  checkInputs,
  containsUnknown,
  cspPolicy,
  Draft,
  errorsOf,
  findingText,
  grouped,
  InputError,
  type Kind,
  listed,
  managedWafEntrypoint,
  PageGuardError,
  type Policy,
  type Properties,
  pageGuardSettings,
  partialItems,
  toDeclaration,
} from "pulumi-page-guard/tools";
import { policyLabel } from "../labels";
import { forTerminal } from "../reports/escape";
import type { LeftOut, ZoneFound } from "./read-zone";

export type DeclaredKind = "PageGuardSettings" | "CspPolicy" | "ManagedWafEntrypoint";

/** One object of a zone as a program declares it. */
export interface Declared {
  readonly kind: DeclaredKind;
  /** Undefined for what a zone has one of. */
  readonly policyId?: string;
  /** Arguments besides the zone id, with safe values for what is in use. */
  readonly args: Properties;
  /** What a person has to decide. Safe to show. */
  readonly remarks: readonly string[];
}

export interface ZoneDeclared {
  readonly objects: readonly Declared[];
  readonly leftOut: readonly LeftOut[];
  /** Of the zone as a whole. */
  readonly remarks: readonly string[];
  readonly ruleCount: number;
}

/** A `pulumi destroy` in the first week must not delete anything of a live zone. */
const kept = { onDestroy: "keep" };

/** What can be declared of a zone, and what cannot. Pure. */
export function declare(
  found: ZoneFound,
  refusalOf?: (args: Properties) => string | undefined,
): ZoneDeclared {
  const leftOut: LeftOut[] = [...(found.leftOut ?? [])];
  const objects: Declared[] = [];
  const attempt = <Inputs, State>(what: string, kind: Kind<Inputs, State>, make: () => Declared): void => {
    try {
      const object = make();
      const reason = refusal(kind, { zoneId: found.zone.id, ...object.args }) ?? refusalOf?.(object.args);
      if (reason === undefined) objects.push(object);
      else leftOut.push({ what, why: reason });
    } catch (error) {
      if (!(error instanceof InputError || error instanceof PageGuardError || error instanceof CspError))
        throw error;
      leftOut.push({ what, why: forTerminal(error.message, 500) });
    }
  };
  const { settings, entrypoint, policies = [] } = found;
  if (settings) {
    attempt("the settings", pageGuardSettings, () => ({
      kind: "PageGuardSettings",
      args: { ...toDeclaration(settings), ...kept },
      remarks: [],
    }));
  }
  const duplicates = duplicateRemarks(policies);
  for (const policy of policies) {
    attempt(`the policy ${forTerminal(policyLabel(policy), 130)}`, cspPolicy, () => ({
      kind: "CspPolicy",
      policyId: policy.policyId,
      args: { ...toDeclaration(policy), ...kept },
      remarks: [...duplicates(policy), ...lintRemarks(policy), ...impactRemarks(policy, found)],
    }));
  }
  const previous = found.wafStatus?.oldEnabled === true ? [previousWaf] : [];
  if (entrypoint && entrypoint.rules.length > 0) {
    attempt("the WAF rules", managedWafEntrypoint, () => ({
      kind: "ManagedWafEntrypoint",
      args: { ...toDeclaration(entrypoint), foreignRules: "keep", ...kept },
      remarks: previous,
    }));
  }
  const hasRules = objects.some(({ kind }) => kind === "ManagedWafEntrypoint");
  return {
    objects,
    leftOut,
    remarks: hasRules ? [] : previous,
    ruleCount: hasRules ? (entrypoint?.rules.length ?? 0) : 0,
  };
}

/** How much of a zone can be declared. */
export function countsOf({ policies = [], entrypoint }: ZoneFound, { objects, ruleCount }: ZoneDeclared) {
  return {
    hasSettings: objects.some(({ kind }) => kind === "PageGuardSettings"),
    policies: {
      declared: objects.filter(({ kind }) => kind === "CspPolicy").length,
      all: policies.length,
    },
    rules: { declared: ruleCount, all: entrypoint?.rules.length ?? 0 },
  };
}

const previousWaf =
  "The previous version of the WAF is still in force in this zone. To move to the new one, use a WafMigration.";

/** Why a resource would refuse these arguments, or the engine could not carry them. */
function refusal<Inputs, State>(kind: Kind<Inputs, State>, args: Properties): string | undefined {
  if (containsUnknown(args)) return "it contains the engine's mark of an unknown value.";
  if (hasLoneSurrogate(args)) return "it contains half of a UTF-16 pair, which the engine cannot carry.";
  const [error] = errorsOf([
    ...checkInputs(kind.shape, args),
    ...(kind.inspect?.(new Draft(kind, args), "errors") ?? []),
  ]);
  return error && forTerminal(findingText(error), 500);
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return /\p{Cs}/u.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, entry]) => /\p{Cs}/u.test(name) || hasLoneSurrogate(entry));
}

/** Gives a remark for each policy that has exact duplicates. */
function duplicateRemarks(policies: readonly Policy[]): (policy: Policy) => readonly string[] {
  const meaningOf = ({ policyId: _id, ...body }: Policy): string => JSON.stringify(body);
  const groups = grouped(policies, meaningOf);
  return (policy) => {
    const others =
      groups.get(meaningOf(policy))?.filter(({ policyId }) => policyId !== policy.policyId) ?? [];
    if (others.length === 0) return [];
    const ids = others.map(({ policyId }) => forTerminal(policyId));
    const named = listed(ids, { most: 3, separator: ", " });
    return [`An exact duplicate of ${named}: one is enough.`];
  };
}

function lintRemarks({ value }: Policy): readonly string[] {
  const high = lint(value).filter(({ severity }) => severity === "high");
  const remarks = high.slice(0, 3).map(({ message, ruleId }) => `${forTerminal(message, 300)} [${ruleId}]`);
  return high.length > 3 ? [...remarks, `… and ${high.length - 3} more findings of high severity.`] : remarks;
}

function impactRemarks(policy: Policy, { inUse }: ZoneFound): readonly string[] {
  if (policy.action !== "allow" || !policy.enabled || !inUse) return [];
  const { scripts, connections, isPartial } = inUse;
  const items = seenItems(scripts, connections);
  const judged = impact(policy.value, items, { hosts: hostsOf(policy.expression) });
  const { blockedCount, checkedCount, groups, keepsOut, letsIn } = judged;
  const malicious = keepsOut.scripts + keepsOut.connections;
  const nothing = nothingSeen(judged);
  const others = [
    ...letsIn.slice(0, 3).map(({ source, url }) => {
      return `${forTerminal(source, 80)} allows something malicious: ${forTerminal(url, 120)}.`;
    }),
    ...(nothing === undefined ? [] : [`What it blocks is not known: ${nothing}.`]),
    ...(isPartial ? [`What it blocks is not known in full: ${partialItems}.`] : []),
  ];
  if (blockedCount === 0) return others;
  const hosts = groups.slice(0, 3).map(({ host }) => forTerminal(host, 80));
  const more = groups.length > 3 ? ` and ${groups.length - 3} more hosts` : "";
  return [
    `Blocks ${blockedCount} of ${checkedCount} scripts and connections in use, of ${hosts.join(", ")}${more}.${malicious > 0 ? ` ${malicious} of these ${malicious === 1 ? "is" : "are"} malicious and should be blocked.` : ""}`,
    ...others,
  ];
}
