import type { PolicyBody } from "../../api/client-types";
import type { Finding } from "../../lifecycle/finding";
import type { Properties } from "../../lifecycle/kind";
import type { Run } from "../../lifecycle/run";
import { isSameZone } from "../../lifecycle/same-zone";
import { containsUnknown, unknownValue } from "../../lifecycle/unknown";
import { urnParts } from "../../lifecycle/urn";
import { listed } from "../../text/listed";
import { shown } from "../../text/shown";
import { bodyOf } from "../csp-policy/declared-policy";
import { PolicyList } from "../csp-policy/policy-list";
import { declaredPolicySchema } from "../csp-policy/state";
import type { ZonePolicies } from "../csp-policy/zone-policies";
import { entriesOf } from "./entries";
import type { Plan } from "./plan";

interface KnownBeside {
  readonly name: string;
  readonly body: PolicyBody;
  /** Another set takes what it finds; for a `CspPolicy` something is left to find. */
  readonly isInSet: boolean;
}

/** What the program declares as `CspPolicy` and in other sets beside a set, in the same go. */
export interface PoliciesBeside {
  readonly known: readonly KnownBeside[];
  /** Names of those of which something is known later only. */
  readonly unclear: readonly string[];
  /** Names of those that are known to be of the same zone. */
  readonly inZone: readonly string[];
  countOf(wanted: PolicyBody): number;
  /** How many `CspPolicy` resources that declare it have none yet. */
  lacking(wanted: PolicyBody, list: PolicyList, zone: ZonePolicies): number;
}

const key = Symbol("policies beside sets");

export function noteBeside(run: Run, urn: string, beside: unknown): void {
  run.memory(key, () => new Map<string, unknown>()).set(urn, beside);
}

export function policiesBeside(run: Run, urn: string, zoneId: string): PoliciesBeside {
  const noted = run.memory(key, () => new Map<string, unknown>()).get(urn);
  const known: KnownBeside[] = [];
  const unclear = new Set<string>();
  const inZone = new Set<string>();
  for (const { kind, name, args } of Array.isArray(noted) ? noted.map(asNamed) : []) {
    const zone = args["zoneId"];
    if (!containsUnknown(zone) && !isSameZone(zone, zoneId)) continue;
    if (!containsUnknown(zone)) inZone.add(name);
    const isInSet = kind === "CspPolicySet";
    for (const entry of isInSet ? (entriesOf(args)?.values() ?? [unknownValue]) : [args]) {
      const policy = declaredPolicySchema.safeParse(entry);
      if (containsUnknown([zone, entry]) || !policy.success) unclear.add(name);
      else known.push({ name, body: bodyOf(policy.data), isInSet });
    }
  }
  const declared = new PolicyList(known.map(({ body }, index) => ({ ...body, policyId: String(index) })));
  const declaring = (wanted: PolicyBody) =>
    declared.equalTo(wanted).flatMap(({ policyId }) => known[Number(policyId)] ?? []);
  return {
    known,
    unclear: [...unclear],
    inZone: [...inZone],
    countOf: (wanted) => declaring(wanted).length,
    lacking(wanted, list, zone) {
      const owners = list.equalTo(wanted).map(({ policyId }) => urnParts(zone.ownerOf(policyId) ?? "").name);
      return declaring(wanted).filter(({ name, isInSet }) => !isInSet && !owners.includes(name)).length;
    },
  };
}

/**
 * Ids of dropped policies that resources beside the set declare and have none for yet: they take them over as they are.
 * A resource that was there before the set let go has one of its own already.
 */
export function handedOver(
  plan: Plan,
  list: PolicyList,
  { countOf }: PoliciesBeside,
  zone: ZonePolicies,
): Set<string> {
  const own = new Set([...plan.kept, ...plan.dropped].map(({ policyId }) => policyId));
  const handed = new Set<string>();
  for (const { policyId } of plan.dropped) {
    const live = list.get(policyId);
    if (!live) continue;
    const alike = list.equalTo(live);
    const theirs = alike.filter((one) => !own.has(one.policyId) || handed.has(one.policyId)).length;
    if (countOf(live) <= theirs) continue;
    handed.add(policyId);
    // One that is about to be changed to say the same has one of its own, which nobody can know yet.
    zone.offer(live);
  }
  return handed;
}

/** What is dropped may be what one of these is going to declare: nobody can tell yet. */
export function unclearFindings(plan: Plan, { unclear }: PoliciesBeside): Finding[] {
  if (plan.dropped.length === 0 || unclear.length === 0) return [];
  const dropped = listed(
    plan.dropped.map((one) => shown(one.key)),
    { separator: ", " },
  );
  const message = `${dropped} leaves the set, and what ${listed(
    unclear.map((name) => shown(name)),
    { separator: ", " },
  )} declares is not known before the update: if it is one of these, it is deleted and made anew. To hand it over, write its values down in the program.`;
  return [{ severity: "warning", code: "csp-hand-over-unclear", property: "policies", message }];
}

function asNamed(beside: unknown): { kind: string; name: string; args: Properties } {
  const { kind, name, args } = Object(beside) as { kind?: unknown; name?: unknown; args?: unknown };
  return { kind: String(kind), name: String(name), args: Object(args) as Properties };
}
