import { createHash } from "node:crypto";
import type { Policy, PolicyBody } from "../../api/client-types";
import { checkedResources } from "../../lifecycle/checked-resources";
import type { DeclaredResource } from "../../lifecycle/declarations";
import { type Finding, warningOn } from "../../lifecycle/finding";
import type { Properties } from "../../lifecycle/kind";
import type { Run } from "../../lifecycle/run";
import { containsUnknown } from "../../lifecycle/unknown";
import { moveForCertain } from "../../policies/create-findings";
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

/** A policy that another resource of the program declares in the same zone. */
interface SiblingPolicy {
  /** As `PolicyClaims` calls it. */
  readonly label: string;
  readonly body: PolicyBody;
  /** Another set takes what it finds; for a `CspPolicy` something is left to find. */
  readonly isInSet: boolean;
  /** Its removal leaves the policy in the zone. */
  readonly isKept: boolean;
}

const kinds = ["CspPolicy", "CspPolicySet"];

/** As far as it is known now: a plugin learns more with each check. */
export function siblingPolicies(run: Run, urn: string, zoneId: string, isOpen = !!run.declarations) {
  const noted = checkedResources(run).get(urn)?.beside;
  const resources = run.declarations?.beside(urn, kinds) ?? (Array.isArray(noted) ? noted.map(asNamed) : []);
  return new SiblingPolicies(resources, zoneId, zonePolicies(run, zoneId).claims, isOpen);
}

/** For a set that releases something: when nothing more is to be learnt. */
export async function allSiblingPolicies(run: Run, urn: string, zoneId: string): Promise<SiblingPolicies> {
  await run.declarations?.untilQuiet(run.sleep);
  return siblingPolicies(run, urn, zoneId, false);
}

/** What the program declares as `CspPolicy` and in other sets, besides this set. */
export class SiblingPolicies {
  readonly known = new Map<string, SiblingPolicy>();
  /** Their names. */
  readonly partlyUnknownResources = new Set<string>();
  /** Names of those that are known to be of the same zone. */
  readonly inZone = new Set<string>();
  /** With labels for ids. */
  private readonly declared: PolicyList;

  constructor(
    private readonly resources: readonly DeclaredResource[],
    zoneId: string,
    readonly claims: PolicyClaims,
    /** Whether more resources may follow. */
    private readonly isOpen: boolean,
  ) {
    for (const { kind, name, args } of resources) {
      const zone = args["zoneId"];
      if (!containsUnknown(zone) && !isSameZone(zone, zoneId)) continue;
      if (!containsUnknown(zone)) this.inZone.add(name);
      const isInSet = kind === "CspPolicySet";
      const entries = isInSet ? entriesOf(args) : new Map([[undefined, args]]);
      if (!entries) this.partlyUnknownResources.add(name);
      for (const [key, entry] of entries ?? []) {
        const policy = declaredPolicySchema.safeParse(entry).data;
        if (containsUnknown([zone, entry]) || !policy) this.partlyUnknownResources.add(name);
        else {
          const label = labelOf(name, key);
          const isKept = args["onDestroy"] === "keep";
          this.known.set(label, { label, body: bodyOf(policy), isInSet, isKept });
        }
      }
    }
    this.declared = new PolicyList(
      [...this.known.values()].map(({ body, label }) => ({ ...body, policyId: label })),
    );
  }

  /** Those that declare it. */
  declaring(wanted: PolicyBody): SiblingPolicy[] {
    return this.declared.equalTo(wanted).flatMap(({ policyId }) => this.known.get(policyId) ?? []);
  }

  /** Those that declare it and hold no policy yet, as far as this run has seen them. */
  lacking(wanted: PolicyBody): SiblingPolicy[] {
    return this.declaring(wanted).filter(({ label }) => this.holdsNone(label));
  }

  /** Those that lack it, or hold a policy that this update will change to match. */
  adoptersOf(policy: Policy, list: PolicyList): SiblingPolicy[] {
    return this.declaring(policy).filter(({ label, body }) => {
      const held = this.claims.heldBy(label);
      const own = list.get(held ?? "");
      return held === undefined || (own !== undefined && !isSamePolicy(own, body));
    });
  }

  /** Takers that are still declared and may have what was released for them: no other policy is known to be their own. */
  thatMayHave(labels: readonly string[]): string[] {
    return labels.filter((label) => {
      const mayBeIn = [...this.partlyUnknownResources].some((name) => isLabelIn(label, name));
      return this.holdsNone(label) && (this.known.has(label) || mayBeIn || this.mayFollow(label));
    });
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
      const isAble = isOf(label).some((one) => owners.has(one)) && this.holdsNone(label);
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
    return this.partlyUnknownResources.size === 0 && ![...this.known.keys()].some(this.holdsNone);
  }

  private readonly holdsNone = (label: string): boolean => this.claims.heldBy(label) === undefined;
}

/** Policies that move to other resources: ids to the labels of those that may adopt them. */
export type HandOvers = ReadonlyMap<string, readonly string[]>;

/** Of the policies that leave the set those that its siblings lack. */
export function handOversOf(leaving: readonly string[], list: PolicyList, siblings: SiblingPolicies) {
  const { claims } = siblings;
  const handOvers = new Map<string, readonly string[]>();
  const all = new Set(leaving);
  for (const policyId of leaving) {
    const live = list.get(policyId);
    if (!live || claims.isHeld(policyId)) continue;
    const adopters = siblings.adoptersOf(live, list).map(({ label }) => label);
    const isOther = ({ policyId: id }: Policy) => handOvers.has(id) || (!all.has(id) && claims.isFree(id));
    if (adopters.length > list.equalTo(live).filter(isOther).length) handOvers.set(policyId, adopters);
  }
  return handOvers;
}

/** A plan as the zone and the rest of the program make it: which policies only have another key, and which move away. */
export function planInZone(plan: SetPlan, list: PolicyList, toDelete: Released, siblings: SiblingPolicies) {
  const leaving = [...plan.dropped.map(({ policyId }) => policyId), ...Object.keys(toDelete)];
  const plannedHandOvers: HandOvers = handOversOf(leaving, list, siblings);
  const isFree = ({ policyId }: Policy) => siblings.claims.isFree(policyId) && !leaving.includes(policyId);
  const isThere = (wanted: PolicyBody) =>
    list.equalTo(wanted).filter(isFree).length > siblings.lacking(wanted).length;
  return { plan: withRenames(plan, isThere, (policyId) => plannedHandOvers.has(policyId)), plannedHandOvers };
}

/** What leaves the set may be what one of these declares. */
export function uncertainMoveFindings(
  { dropped }: SetPlan,
  { partlyUnknownResources }: SiblingPolicies,
): Finding[] {
  if (dropped.length === 0 || partlyUnknownResources.size === 0) return [];
  const leaving = shownList(dropped.map(({ key }) => key));
  const message = `policies leave the set: ${leaving}. It is not known yet what other resources declare: ${shownList([...partlyUnknownResources])}. A policy that one of them declares may be deleted and recreated. ${moveForCertain("the set", "that resource")}`;
  return [warningOn("policies", "csp-hand-over-unclear", message)];
}

function isLabelIn(label: string, name: string): boolean {
  return label === name || label.startsWith(labelOf(name, ""));
}

function asNamed(beside: unknown): DeclaredResource {
  const { kind, name, args } = Object(beside) as { kind?: unknown; name?: unknown; args?: unknown };
  return { kind: String(kind), name: String(name), args: Object(args) as Properties };
}
