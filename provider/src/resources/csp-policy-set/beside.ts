import { createHash } from "node:crypto";
import type { Policy, PolicyBody } from "../../api/client-types";
import { checkedResources } from "../../lifecycle/checked-resources";
import type { DeclaredResource } from "../../lifecycle/declarations";
import { type Finding, warningOn } from "../../lifecycle/finding";
import type { Properties } from "../../lifecycle/kind";
import type { Run } from "../../lifecycle/run";
import { containsUnknown, unknownValue } from "../../lifecycle/unknown";
import { bodyOf } from "../../policies/declared-policy";
import { isSamePolicy } from "../../policies/equal-policy";
import { labelOf, type PolicyClaims } from "../../policies/policy-claims";
import { declaredPolicySchema } from "../../policies/policy-inputs";
import { PolicyList, policyText } from "../../policies/policy-list";
import { zonePolicies } from "../../policies/zone-policies";
import { shownList } from "../../text/listed";
import { isSameZone } from "../../zone/zone-id";
import { entriesOf } from "./entries";
import { type SetPlan, withRenames } from "./plan";
import type { Released } from "./state";

/** A policy that the program declares beside the set. */
interface KnownBeside {
  /** Its label in the claims of the zone. */
  readonly label: string;
  readonly body: PolicyBody;
  /** Another set takes what it finds; for a `CspPolicy` something is left to find. */
  readonly isInSet: boolean;
  /** Its removal leaves the policy in the zone. */
  readonly isKept: boolean;
}

const kinds = ["CspPolicy", "CspPolicySet"];

/** As far as it is known now: a plugin learns more with each check. */
export function policiesBeside(run: Run, urn: string, zoneId: string): PoliciesBeside {
  const { claims } = zonePolicies(run, zoneId);
  if (run.declarations) return new PoliciesBeside(run.declarations.beside(urn, kinds), zoneId, claims, true);
  const noted = checkedResources(run).get(urn)?.beside;
  return new PoliciesBeside(Array.isArray(noted) ? noted.map(asNamed) : [], zoneId, claims, false);
}

/** For a set that releases something: when nothing more is to be learnt. */
export async function allPoliciesBeside(run: Run, urn: string, zoneId: string): Promise<PoliciesBeside> {
  if (!run.declarations) return policiesBeside(run, urn, zoneId);
  await run.declarations.untilQuiet(run.sleep);
  const { claims } = zonePolicies(run, zoneId);
  return new PoliciesBeside(run.declarations.beside(urn, kinds), zoneId, claims, false);
}

/** What the program declares as `CspPolicy` and in other sets beside a set, in the same go. */
export class PoliciesBeside {
  readonly known = new Map<string, KnownBeside>();
  /** Names of resources of which something is known later only. */
  readonly unclear = new Set<string>();
  /** Names of those that are known to be of the same zone. */
  readonly inZone = new Set<string>();
  private readonly declared: PolicyList;

  constructor(
    private readonly resources: readonly DeclaredResource[],
    zoneId: string,
    private readonly claims: PolicyClaims,
    /** Whether more resources may follow. */
    private readonly isOpen: boolean,
  ) {
    for (const { kind, name, args } of resources) {
      const zone = args["zoneId"];
      if (!containsUnknown(zone) && !isSameZone(zone, zoneId)) continue;
      if (!containsUnknown(zone)) this.inZone.add(name);
      const isInSet = kind === "CspPolicySet";
      const entries = isInSet ? (entriesOf(args) ?? [[undefined, unknownValue]]) : [[undefined, args]];
      for (const [entryKey, entry] of entries as Iterable<[string | undefined, unknown]>) {
        const policy = declaredPolicySchema.safeParse(entry);
        if (containsUnknown([zone, entry]) || !policy.success) this.unclear.add(name);
        else {
          const label = labelOf(name, entryKey);
          const isKept = args["onDestroy"] === "keep";
          this.known.set(label, { label, body: bodyOf(policy.data), isInSet, isKept });
        }
      }
    }
    this.declared = new PolicyList(
      [...this.known.values()].map(({ body, label }) => ({ ...body, policyId: label })),
    );
  }

  /** Those that declare it. */
  declaring(wanted: PolicyBody): KnownBeside[] {
    return this.declared.equalTo(wanted).flatMap(({ policyId }) => this.known.get(policyId) ?? []);
  }

  /** Those that declare it and hold no policy yet, as far as this run has seen them. */
  lacking(wanted: PolicyBody): KnownBeside[] {
    return this.declaring(wanted).filter(({ label }) => this.claims.heldBy(label) === undefined);
  }

  /** Those that lack it, or hold a policy that this update will change to match. */
  takersOf(policy: Policy, list: PolicyList): KnownBeside[] {
    return this.declaring(policy).filter(({ label, body }) => {
      const held = this.claims.heldBy(label);
      const own = list.get(held ?? "");
      return held === undefined || (own !== undefined && !isSamePolicy(own, body));
    });
  }

  /** Whether a taker is still declared and may have what was released for it: no other policy is known to be its own. */
  mayHave(label: string): boolean {
    if (this.claims.heldBy(label) !== undefined) return false;
    const isUnclear = [...this.unclear].some((name) => isLabelIn(label, name));
    return this.known.has(label) || isUnclear || this.mayFollow(label);
  }

  /** Whether the resource of a taker may still be declared: nothing is known of it. */
  mayFollow(label: string): boolean {
    return this.isOpen && !this.resources.some(({ name }) => isLabelIn(label, name));
  }

  /** What a taker declares, to be compared with what it declared before; undefined where it is not known. */
  digestOf(label: string): string | undefined {
    const declared = this.known.get(label);
    if (!declared) return undefined;
    return createHash("sha256").update(policyText(declared.body)).digest("hex").slice(0, 16);
  }

  digestsOf(labels: readonly string[]): Record<string, string> {
    return Object.fromEntries(labels.map((label) => [label, this.digestOf(label) ?? ""]));
  }

  /** Who of the takers, by these keys or others, may have it and be about to change it: nothing else there can be its own. */
  changing(takers: readonly string[], policy: Policy, list: PolicyList): string[] {
    const isOf = (label: string) => this.resources.filter(({ name }) => isLabelIn(label, name));
    const owners = new Set(takers.flatMap(isOf));
    return [...this.known.values()].flatMap(({ label, body }) => {
      const isAble = isOf(label).some((one) => owners.has(one)) && this.claims.heldBy(label) === undefined;
      const isThere = list.equalTo(body).some(({ policyId }) => this.claims.isFree(policyId));
      return isAble && !isThere && !isSamePolicy(body, policy) ? [label] : [];
    });
  }

  /** Whether the end of the taker leaves its policy in the zone. */
  isKept(label: string): boolean {
    return this.known.get(label)?.isKept === true;
  }

  /** Whether this run has seen which policies all of them hold. */
  areAllSeen(): boolean {
    return this.unclear.size === 0 && [...this.known.keys()].every((label) => this.claims.heldBy(label));
  }
}

/** Of the policies that leave the set those that resources beside it lack: ids to the labels of who may adopt them. */
export function handedOver(
  leaving: readonly string[],
  list: PolicyList,
  beside: PoliciesBeside,
  claims: PolicyClaims,
): Map<string, string[]> {
  const handed = new Map<string, string[]>();
  const all = new Set(leaving);
  for (const policyId of leaving) {
    const live = list.get(policyId);
    if (!live || claims.isHeld(policyId)) continue;
    const takers = beside.takersOf(live, list);
    const others = list
      .equalTo(live)
      .filter((one) => handed.has(one.policyId) || (!all.has(one.policyId) && claims.isFree(one.policyId)));
    if (takers.length <= others.length) continue;
    handed.set(
      policyId,
      takers.map(({ label }) => label),
    );
  }
  return handed;
}

/** A plan as the zone and the rest of the program make it: which policies only have another key, and which move away. */
export function planInZone(
  plan: SetPlan,
  list: PolicyList,
  due: Released,
  beside: PoliciesBeside,
  claims: PolicyClaims,
): { readonly plan: SetPlan; readonly handed: ReadonlyMap<string, string[]> } {
  const leaving = [...plan.dropped.map(({ policyId }) => policyId), ...Object.keys(due)];
  const handed = handedOver(leaving, list, beside, claims);
  const isThere = (wanted: PolicyBody): boolean => {
    const free = list
      .equalTo(wanted)
      .filter(({ policyId }) => claims.isFree(policyId) && !leaving.includes(policyId));
    return free.length > beside.lacking(wanted).length;
  };
  return { plan: withRenames(plan, isThere, (policyId) => handed.has(policyId)), handed };
}

/** What leaves the set may be what one of these declares. */
export function unclearFindings(plan: SetPlan, { unclear }: PoliciesBeside): Finding[] {
  if (plan.dropped.length === 0 || unclear.size === 0) return [];
  const dropped = shownList(plan.dropped.map(({ key }) => key));
  const message = `policies leave the set (${dropped}), and what other resources declare is not known before the update (${shownList([...unclear])}). A policy that one of them declares may be deleted and recreated. To move it instead, declare both without an await in between, with values that are known in a preview.`;
  return [warningOn("policies", "csp-hand-over-unclear", message)];
}

function isLabelIn(label: string, name: string): boolean {
  return label === name || label.startsWith(labelOf(name, ""));
}

function asNamed(beside: unknown): DeclaredResource {
  const { kind, name, args } = Object(beside) as { kind?: unknown; name?: unknown; args?: unknown };
  return { kind: String(kind), name: String(name), args: Object(args) as Properties };
}
