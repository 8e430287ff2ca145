import type { Policy, PolicyBody } from "../../api/client-types";
import type { Run } from "../../lifecycle/run";
import { type Finding, makeError, makeInfo, makeWarning } from "../../model/finding";
import { onlyReports } from "../../model/policies/log-time";
import type { PolicyList } from "../../model/policies/policy-list";
import type { Properties } from "../../model/properties";
import { isUnknown } from "../../model/unknown";
import { urnParts } from "../../model/urn";
import { groupBy } from "../../text/data";
import { clean, cleanList, enumerate, pluralize } from "../../text/shown";
import { ZonePolicies } from "./zone-policies";

/** Returns the path of a policy's input: `policies.<key>.<property>` in a set, the property alone in a `CspPolicy`. */
export function makePath(key: string | undefined, property = ""): string {
  if (key === undefined) return property;
  const at = /^[\w$-]{1,80}$/.test(key) ? `policies.${key}` : `policies[${JSON.stringify(clean(key))}]`;
  return property === "" ? at : `${at}.${property}`;
}

export function placeFindings(key: string | undefined, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, property: makePath(key, finding.property) }));
}

/** Maximum number of findings of one code that are shown individually. */
const most = 20;

/** Codes of findings about a whole zone. A set shows each of their messages once. */
const ofZone = new Set<string>(["csp-impact-unknown", "csp-hidden-not-seen"]);

/** Returns at most `most` findings of each code, and one that lists the paths of the rest. Merges findings about the whole zone. */
export function few(findings: readonly Finding[]): Finding[] {
  const names = (some: readonly Finding[]) => cleanList(some.map(({ property }) => property));
  const same = groupBy(findings, (one) => (ofZone.has(one.code) ? one.message : one));
  const merged = [...same.values()].map((all) => {
    const message = `${all[0].message} This applies to ${names(all)}.`;
    return all.length === 1 ? all[0] : { ...all[0], property: "policies", message };
  });
  return [...groupBy(merged, ({ code }) => code).values()].flatMap((all) => {
    const { data: _data, place: _place, ...kind } = all[0];
    const message = `${pluralize(all.length - most, "more finding")} of this kind: ${names(all.slice(most))}.`;
    return all.length <= most ? all : [...all.slice(0, most), { ...kind, property: "", message }];
  });
}

/**
 * Returns an error if a set controls all policies of its zone (`others` is "refuse" or "delete") and another resource declares
 * policies there. The engine passes the resources one by one, so an update without a preview may find the conflict too late.
 */
export function notAloneFindings(run: Run, { zoneId }: Properties, urn: string, ownsAll: boolean): Finding[] {
  if (isUnknown(zoneId)) return [];
  const { ownership } = new ZonePolicies(run, String(zoneId));
  const { declaring } = ownership;
  declaring.set(urn, ownsAll);
  const set = ownsAll ? urn : [...declaring.keys()].find((other) => declaring.get(other));
  const beside = set === urn ? [...declaring.keys()].find((other) => other !== urn) : urn;
  if (set === undefined || beside === undefined) return [];
  const deleted = [...ownership.named].filter((id) => ownership.isDeleted(id));
  return [notAlone(urnParts(set).name, urnParts(beside).name, deleted)];
}

export function notAlone(set: string, beside: string, deleted: readonly string[] = []): Finding {
  const gone =
    deleted.length === 0
      ? ""
      : ` This update has already deleted: ${cleanList(deleted)}. Once the program is corrected, \`pulumi up --refresh\` recreates the policies that it declares.`;
  const message = `${set} controls all policies in the zone, because it sets others to "refuse" or "delete", and ${beside} declares policies in the same zone. Each would undo the other's work. Move all policies into one set, or set others to "keep".${gone}`;
  return makeError("", "csp-set-not-alone", message);
}

/** Returns findings about declared policies that the update will adopt or create. `key`: key of the policy in a set. */
export function missingFindings(
  missing: readonly { readonly key?: string; readonly wanted: PolicyBody }[],
  list: PolicyList,
  zone: ZonePolicies,
  { minimumLogDays, onDestroy }: Properties,
): Finding[] {
  const adopted = new Map<Policy, string | undefined>();
  const isFree = (policy: Policy) => zone.ownership.isFree(policy.policyId) && !adopted.has(policy);
  const findings = missing.flatMap(({ key, wanted }) => {
    const policy = list.equalTo(wanted).findLast(isFree);
    if (policy) {
      adopted.set(policy, key);
      return [];
    }
    const others = nearMissFindings(list, zone, wanted);
    return placeFindings(key, [...newAllowFindings(wanted, minimumLogDays), ...others]);
  });
  return [...adoptionFindings(adopted, onDestroy), ...few(findings)];
}

/** Returns an error for a new policy that would block at once, although `minimumLogDays` requires that it logs first. */
function newAllowFindings(policy: PolicyBody, days: unknown): Finding[] {
  if (typeof days !== "number" || days <= 0 || policy.action !== "allow") return [];
  const message = `a new policy cannot have logged for ${pluralize(days, "day")} (minimumLogDays) yet. Create it with action "log" and change it to "allow" later.`;
  return [makeError("action", "csp-not-logged-yet", message)];
}

function adoptionFindings(adopted: ReadonlyMap<Policy, string | undefined>, onDestroy: unknown): Finding[] {
  if (adopted.size === 0) return [];
  const isSet = ![...adopted.values()].includes(undefined);
  const names = [...adopted].map(([{ policyId }, key]) => clean(key ?? `id ${policyId}`));
  const these = names.length === 1 ? "this policy" : `these ${names.length} policies`;
  const what = `exactly ${these} already: ${enumerate(names, { separator: ", " })}`;
  const after = onDestroy === "keep" ? "" : ` From then on, a destroy deletes ${these}.`;
  // The service does not say how long an adopted policy has been logging.
  const isLogging = [...adopted.keys()].some(({ action, enabled }) => onlyReports(action) && enabled);
  const alias = isSet
    ? ""
    : ` If you only renamed this resource, add aliases: [{ name: "the old name" }] to its options to keep the days counted so far.`;
  const logged = isLogging ? ` The days in "log" are counted from now.${alias}` : "";
  const owned = names.length === 1 ? "it, it is" : "them, they are";
  const message = `the zone has ${what}. Unless another resource in this stack owns ${owned} adopted, not created a second time.${after}${logged}`;
  const policyIds = [...adopted.keys()].map(({ policyId }) => policyId);
  return [makeInfo(isSet ? "policies" : "", "csp-adopted", message, { policyIds })];
}

/** Returns a warning about a policy in the state that another resource owns or that this run has deleted. */
export function onePolicyForTwo(property: string, policyId: string, by: string | undefined): Finding {
  const what =
    by === undefined
      ? `another resource has deleted the policy ${clean(policyId)} in this update`
      : `the policy ${clean(policyId)} also belongs to ${clean(urnParts(by).name)}, which continues to manage it`;
  return makeWarning(property, "csp-one-policy-for-two", `${what}. This resource gets a policy of its own.`);
}

/** Warns of unmanaged policies that differ from a declared one in a single field: the program probably means one of them. */
function nearMissFindings(list: PolicyList, { ownership }: ZonePolicies, wanted: PolicyBody): Finding[] {
  const near = list.nearTo(wanted).filter(({ policy }) => ownership.isFree(policy.policyId));
  if (near.length === 0) return [];
  // The message quotes only the zone's values, because declared values may be secret.
  const named = near.map(({ policy, field }) => {
    const there = field === "enabled" ? String(policy.enabled) : `"${clean(policy[field])}"`;
    return `${clean(policy.policyId)} differs only in ${field} (in the zone: ${there})`;
  });
  const message = `the zone already has a policy that closely matches: ${enumerate(named, { most: 3 })}. The update creates the declared policy as well. The existing policy stays as it is, unless another resource in this stack owns it. To adopt that policy instead, declare it as it is in the zone, apply, and then change it. If this resource used to have another name, add aliases: [{ name: "the old name" }] to its options.`;
  return [
    makeWarning("", "csp-near-miss", message, { policyIds: near.map(({ policy }) => policy.policyId) }),
  ];
}
