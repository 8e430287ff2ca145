import { CspError, hostsOf, impact, lint, nothingSeen, seenItems } from "page-guard-csp";
import {
  enumerate,
  explainRefusal,
  groupBy,
  isEnforced,
  PageGuardError,
  type Policy,
  pluralize,
  toDeclaration,
} from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { policyLabel } from "../shared/labels";
import type { Fields } from "../shared/values";
import type { LeftOut, ZoneFound } from "./read-zone";

export type ExportedKind = "PageGuardSettings" | "CspPolicy" | "ManagedWafEntrypoint";

export interface Declared {
  readonly kind: ExportedKind;
  /** Undefined for the settings and the list of WAF rules, which exist once per zone. */
  readonly policyId?: string | undefined;
  /** Arguments without the zone id. With them, a destroy leaves the object in the zone, and an update keeps unmanaged rules. */
  readonly args: Fields;
  /** Remarks that ask a person for a decision. Safe to show. */
  readonly remarks: readonly string[];
}

export type ZoneDeclared = ReturnType<typeof declare>;

/** Splits a zone into objects that a program can declare and objects that are left out. Pure. */
export function declare(
  {
    zone,
    service,
    settings,
    policies = [],
    entrypoint,
    isListWritten,
    wafStatus,
    inUse,
    leftOut: unread = [],
  }: ZoneFound,
  /** Returns the reason why the program's language cannot express the arguments; undefined if it can. */
  inLanguage?: (args: Fields) => string | undefined,
) {
  const leftOut: LeftOut[] = [...unread];
  const objects: Declared[] = [];
  const add = (what: string, kind: ExportedKind, make: () => Omit<Declared, "kind">): void => {
    let why: string | undefined;
    try {
      const made = make();
      // A `pulumi destroy` after the adoption must not delete anything in a live zone.
      const args = { ...made.args, onDestroy: "keep" };
      const refused = explainRefusal(kind, { zoneId: zone.id, ...args }, service);
      why = refused === undefined ? inLanguage?.(args) : forTerminal(refused, 500);
      if (why === undefined) objects.push({ ...made, kind, args });
    } catch (error) {
      if (!(error instanceof PageGuardError || error instanceof CspError)) throw error;
      why = forTerminal(error.message, 500);
    }
    if (why !== undefined) leftOut.push({ what, why });
  };
  if (settings)
    add("the settings", "PageGuardSettings", () => ({ args: { ...toDeclaration(settings) }, remarks: [] }));
  const twinsOf = duplicates(policies);
  for (const policy of policies) {
    add(`the policy ${forTerminal(policyLabel(policy), 130)}`, "CspPolicy", () => ({
      policyId: policy.policyId,
      args: { ...toDeclaration(policy) },
      remarks: [...twinsOf(policy), ...lintRemarks(policy), ...impactRemarks(policy, inUse)],
    }));
  }
  if (entrypoint && (isListWritten || entrypoint.rules.length > 0)) {
    const args = { ...toDeclaration(entrypoint), foreignRules: "keep" };
    add("the WAF rules", "ManagedWafEntrypoint", () => ({ args, remarks: [] }));
  }
  return { objects, leftOut, remarks: wafStatus?.oldEnabled === true ? [previousWaf] : [] };
}

const previousWaf =
  "The previous version of the WAF is still active in this zone. To move to the new one, use a WafMigration.";

/** Counts all objects in a zone, and the objects that a program can declare. */
export function countObjects({ policies = [], entrypoint }: ZoneFound, { objects }: ZoneDeclared) {
  const ofKind = (wanted: ExportedKind) => objects.filter(({ kind }) => kind === wanted).length;
  const rules = entrypoint?.rules.length ?? 0;
  return {
    hasSettings: ofKind("PageGuardSettings") > 0,
    policies: { declared: ofKind("CspPolicy"), all: policies.length },
    rules: { declared: ofKind("ManagedWafEntrypoint") > 0 ? rules : 0, all: rules },
  };
}

/** Returns a function that lists the exact duplicates of a policy in a remark. */
function duplicates(policies: readonly Policy[]): (policy: Policy) => readonly string[] {
  const toMeaning = ({ policyId: _id, ...body }: Policy): string => JSON.stringify(body);
  const groups = groupBy(policies, toMeaning);
  return (policy) => {
    const others = (groups.get(toMeaning(policy)) ?? []).filter((one) => one !== policy);
    const ids = others.map(({ policyId }) => forTerminal(policyId));
    const named = enumerate(ids, { most: 3, separator: ", " });
    return ids.length === 0 ? [] : [`An exact duplicate of ${named}: one is enough.`];
  };
}

function lintRemarks({ value }: Policy): readonly string[] {
  const high = lint(value).filter(({ severity }) => severity === "high");
  return high.slice(0, 3).map(({ message, ruleId }) => `${forTerminal(message, 300)} [${ruleId}]`);
}

function impactRemarks(policy: Policy, inUse: ZoneFound["inUse"]): readonly string[] {
  if (!isEnforced(policy) || !inUse) return [];
  const items = seenItems(inUse.scripts, inUse.connections);
  const judged = impact(policy.value, items, { hosts: hostsOf(policy.expression) });
  const { blockedCount, checkedCount, groups, keepsOut, letsIn } = judged;
  const hosts = groups.map(({ host }) => forTerminal(host, 80));
  const malicious = keepsOut.scripts + keepsOut.connections;
  const unknown = nothingSeen(judged) ?? inUse.hidden;
  const remarks = letsIn.slice(0, 3).map(({ source, url }) => {
    return `${forTerminal(source, 80)} allows something malicious: ${forTerminal(url, 120)}.`;
  });
  const maliciousNote = malicious > 0 ? ` (${malicious} of them malicious)` : "";
  const which = `${maliciousNote}, from ${enumerate(hosts, { most: 3, separator: ", " })}`;
  const seen = pluralize(checkedCount, "script or connection", "scripts and connections");
  if (blockedCount > 0) remarks.unshift(`Blocks ${blockedCount} of ${seen} in use${which}.`);
  if (unknown !== undefined) remarks.push(`The full impact is not known: ${unknown}.`);
  return remarks;
}
