import type { Policy } from "../../api/client-types";
import { partialItems } from "../../api/paging/items-in-use";
import { hostsOf, impact, lint, nothingSeen, seenItems } from "../../csp";
import { InputError } from "../../errors/input-error";
import { PageGuardError } from "../../errors/page-guard-error";
import { checkInputs } from "../../lifecycle/check-inputs";
import { Draft } from "../../lifecycle/draft";
import { errorsOf, findingText } from "../../lifecycle/finding";
import type { Kind, Properties } from "../../lifecycle/kind";
import { containsUnknown } from "../../lifecycle/unknown";
import { forTerminal } from "../../reports/escape";
import { cspPolicy } from "../../resources/csp-policy/lifecycle";
import { managedWafEntrypoint } from "../../resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../resources/page-guard-settings/lifecycle";
import { toDeclaration } from "../../resources/to-declaration";
import type { LeftOut, ZoneFound } from "./read-zone";

export type DeclaredKind = "PageGuardSettings" | "CspPolicy" | "ManagedWafEntrypoint";

/** One object of a zone as a program declares it. */
export interface Declared {
  readonly kind: DeclaredKind;
  /** The policy's id; `settings` and `entrypoint` for what a zone has one of. */
  readonly key: string;
  /** Arguments besides the zone id; what is safe for something that protects a shop today among them. */
  readonly args: Properties;
  /** What a person has to decide; safe to show. */
  readonly remarks: readonly string[];
}

export interface ZoneDeclared {
  readonly objects: readonly Declared[];
  readonly leftOut: readonly LeftOut[];
  /** Of the zone as a whole. */
  readonly remarks: readonly string[];
  readonly ruleCount: number;
}

/** Nothing of a live zone goes away because somebody runs `pulumi destroy` in the first week. */
const kept = { onDestroy: "keep" };

/** What of a zone can be declared, and what cannot be. Pure. */
export function declare(found: ZoneFound): ZoneDeclared {
  const leftOut: LeftOut[] = [...(found.leftOut ?? [])];
  const objects: Declared[] = [];
  const attempt = <Inputs, State>(
    what: string,
    key: string,
    kind: Kind<Inputs, State>,
    make: () => Declared,
  ): void => {
    try {
      const object = make();
      const reason = refusal(kind, { zoneId: found.zone.id, ...object.args });
      if (reason === undefined) objects.push(object);
      else leftOut.push({ what, key, why: reason });
    } catch (error) {
      if (!(error instanceof InputError || error instanceof PageGuardError)) throw error;
      leftOut.push({ what, key, why: forTerminal(error.message, 500) });
    }
  };
  const { settings, entrypoint, policies = [] } = found;
  if (settings) {
    attempt("the settings", "settings", pageGuardSettings, () => ({
      kind: "PageGuardSettings",
      key: "settings",
      args: { ...toDeclaration(settings), ...kept },
      remarks: [],
    }));
  }
  const twins = new Twins(policies);
  for (const policy of policies) {
    attempt(`the policy ${labelOf(policy)}`, policy.policyId, cspPolicy, () => ({
      kind: "CspPolicy",
      key: policy.policyId,
      args: { ...toDeclaration(policy), ...kept },
      remarks: [...twins.remarks(policy), ...lintRemarks(policy), ...impactRemarks(policy, found)],
    }));
  }
  const previous = found.wafStatus?.oldEnabled === true ? [previousWaf] : [];
  if (entrypoint && entrypoint.rules.length > 0) {
    attempt("the WAF rules", "entrypoint", managedWafEntrypoint, () => ({
      kind: "ManagedWafEntrypoint",
      key: "entrypoint",
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

const previousWaf =
  "The previous version of the WAF is still in force in this zone. Moving it to the new one is a WafMigration of its own.";

/** How a person finds the policy again: its description, else its id. */
export function labelOf({ description, policyId }: Policy): string {
  return description.trim() === "" ? policyId : `"${forTerminal(description, 80)}" (${policyId})`;
}

/** Why a resource would refuse these arguments, or the engine would not carry them as they are. */
function refusal<Inputs, State>(kind: Kind<Inputs, State>, args: Properties): string | undefined {
  if (containsUnknown(args))
    return "it holds the text by which the engine marks a value that is not known yet.";
  if (/\p{Cs}/u.test(JSON.stringify(args)) || hasLoneSurrogate(args)) {
    return "it holds half of a UTF-16 pair, which no request of the engine can carry.";
  }
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

/** Policies that say exactly the same. */
class Twins {
  readonly #groups = new Map<string, Policy[]>();

  constructor(policies: readonly Policy[]) {
    for (const policy of policies) {
      const group = this.#groups.get(meaningOf(policy)) ?? [];
      group.push(policy);
      this.#groups.set(meaningOf(policy), group);
    }
  }

  remarks(policy: Policy): readonly string[] {
    const others = (this.#groups.get(meaningOf(policy)) ?? []).filter(
      ({ policyId }) => policyId !== policy.policyId,
    );
    if (others.length === 0) return [];
    const named = others.slice(0, 3).map(({ policyId }) => policyId);
    const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
    return [
      `An exact duplicate of ${named.map((id) => forTerminal(id)).join(", ")}${more}: one of them is enough.`,
    ];
  }
}

function meaningOf({ policyId: _id, ...body }: Policy): string {
  return JSON.stringify(body);
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
    ...letsIn
      .slice(0, 3)
      .map(
        ({ source, url }) =>
          `Lets in something malicious by ${forTerminal(source, 80)}: ${forTerminal(url, 120)}.`,
      ),
    ...(nothing === undefined ? [] : [`What it blocks is not known: ${nothing}.`]),
    ...(isPartial ? [`What it blocks is not known in full: ${partialItems}.`] : []),
  ];
  if (blockedCount === 0) return others;
  const hosts = groups.slice(0, 3).map(({ host }) => forTerminal(host, 80));
  const more = groups.length > 3 ? ` and ${groups.length - 3} more hosts` : "";
  return [
    `Blocks ${blockedCount} of ${checkedCount} scripts and connections in use, of ${hosts.join(", ")}${more}.${malicious > 0 ? ` Of these ${malicious} malicious: it is there to keep them out.` : ""}`,
    ...others,
  ];
}
