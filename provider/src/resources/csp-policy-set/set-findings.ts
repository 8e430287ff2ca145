import type { ConnectionArgs, Policy } from "../../api/client-types";
import type { Run } from "../../lifecycle/run";
import { entryPath } from "../../lifecycle/secret-inputs";
import { errorOn, type Finding, infoOn, warningOn } from "../../model/finding";
import type { PolicyList } from "../../model/policies/policy-list";
import type { Properties } from "../../model/properties";
import { containsUnknown } from "../../model/unknown";
import {
  countsFromNow,
  nearMissFindings,
  newAllowFinding,
  onePolicyForTwo,
} from "../../policies/create-findings";
import { actionFindings, declarationFindings, settingFindings } from "../../policies/findings";
import { impactOf, isBlocking, uncheckedFindings } from "../../policies/impact";
import type { ZonePolicies } from "../../policies/zone-policies";
import { grouped } from "../../text/data";
import { listed, shown, shownList } from "../../text/shown";
import { changedKeys, entriesOf } from "./entries";
import { isReleased, type SetPlan } from "./plan";
import type { State } from "./state";
import { othersOf } from "./undeclared";

/** Findings on one policy of a set, at its key. */
export function findingsAt(key: string, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, property: pathOf(key, finding.property) }));
}

export function pathOf(key: string, property = ""): string {
  const at = entryPath("policies", key);
  return property === "" ? at : `${at}.${property}`;
}

/** What can be said of all policies without a request. */
export function declaredFindings(inputs: Properties, wanted: "all" | "errors"): Finding[] {
  const each = findingsOfEach(inputs, (entry) => declarationFindings(entry, inputs, wanted));
  return [...settingFindings(inputs["lint"]), ...releaseFindings(inputs), ...each];
}

function releaseFindings(inputs: Properties): Finding[] {
  const { release } = inputs;
  if (!Array.isArray(release) || release.length === 0) return [];
  if (othersOf(inputs) !== "keep") {
    const message = `release goes with others "keep" only: with others "${othersOf(inputs)}" no policy of the zone is left to another resource. Leave release out, or set others to "keep".`;
    return [errorOn("release", "csp-release-unclear", message)];
  }
  const both = release.filter((key) => typeof key === "string" && entriesOf(inputs)?.has(key));
  if (both.length === 0) return [];
  const message = `declared in policies and named in release: ${shownList(both)}. Remove each from policies, so that it leaves the set, or from release, so that it stays.`;
  return [errorOn("release", "csp-release-unclear", message)];
}

function findingsOfEach(inputs: Properties, find: (entry: Properties) => readonly Finding[]): Finding[] {
  return [...(entriesOf(inputs) ?? [])].flatMap(([key, entry]) => findingsAt(key, find(entry)));
}

/** Fields whose change lets nothing be blocked that was not blocked before. */
const harmless = new Set(["description"]);

/** The policies that may start to block something, by key. */
function blockingIn(inputs: Properties, before: Properties | undefined): [string, Properties][] {
  const changed = changedKeys(before ?? {}, inputs);
  return [...(entriesOf(inputs) ?? [])].filter(([key, entry]) => {
    const fields = changed.get(key);
    const isOther = fields?.length === 0 || fields?.some((field) => !harmless.has(field));
    return isOther === true && isBlocking(entry);
  });
}

/** What the policies that are new or changed would block, and what can't be checked. */
export async function blockingFindings(
  run: Run,
  inputs: Properties,
  before: Properties | undefined,
): Promise<Finding[]> {
  const { zoneId, impact, connection } = inputs;
  const findings: Finding[] = [];
  const unchecked: [string, Properties][] = [];
  for (const [key, entry] of blockingIn(inputs, before)) {
    const now = { zoneId, impact, connection, expression: entry["expression"] };
    const isNew = !entriesOf(before ?? {})?.has(key);
    const found = await impactOf(run, now, entry, isNew);
    findings.push(...findingsAt(key, found.impact));
    if (!found.isInForce) unchecked.push([key, entry]);
  }
  return [...few(sameOnce(findings)), ...uncheckedOf(run, inputs, unchecked)];
}

/** What is so for several policies because of their zone is reported once, with their names. */
function sameOnce(findings: readonly Finding[]): Finding[] {
  const same = grouped(findings, ({ code, message, property }) => {
    const isOfZone = code === "csp-impact-unknown" || code === "csp-hidden-not-seen";
    return JSON.stringify([code, message, isOfZone ? "" : property]);
  });
  return [...same.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0) return group;
    const paths = group.map(({ property }) => property);
    const message = `${first.message} This is so for ${listed(paths, { separator: ", " })}.`;
    return [{ ...first, property: "policies", message }];
  });
}

/** Of policies that may start to block something, what was not checked. */
export function uncheckedInSet(run: Run, inputs: Properties, before: Properties | undefined): Finding[] {
  return uncheckedOf(run, inputs, blockingIn(inputs, before));
}

function uncheckedOf(run: Run, inputs: Properties, blocking: readonly [string, Properties][]): Finding[] {
  const policies = blocking.map(([key, policy]) => ({
    policy,
    name: shown(key),
    pathOf: (input: string) => pathOf(key, input),
  }));
  return uncheckedFindings(run, inputs, policies);
}

/** How many policies are named one by one. */
const most = 20;

/** The first ones of each code, and where the others are. */
function few(findings: readonly Finding[]): Finding[] {
  return [...grouped(findings, ({ code }) => code).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined || all.length <= most) return all;
    const { data: _data, place: _place, ...kind } = first;
    const rest = all.slice(most).map(({ property }) => property);
    const message = `The same applies to ${listed(rest, { separator: ", " })}.`;
    return [...all.slice(0, most), { ...kind, property: "", message }];
  });
}

/** What becomes of declared policies that the set does not have in its state yet. */
export function missingFindings(
  plan: SetPlan,
  list: PolicyList,
  zone: ZonePolicies,
  { minimumLogDays, onDestroy }: Properties,
): Finding[] {
  const taken = new Set<string>();
  const adopted: string[] = [];
  const findings: Finding[] = [];
  let isCounting = false;
  const isFree = ({ policyId }: Policy) => zone.ownership.isFree(policyId) && !taken.has(policyId);
  for (const { key, wanted } of plan.missing) {
    const equal = list.equalTo(wanted).findLast(isFree);
    if (equal) {
      taken.add(equal.policyId);
      adopted.push(shown(key));
      isCounting ||= countsFromNow(equal);
    } else {
      findings.push(...findingsAt(key, newAllowFinding(wanted, minimumLogDays)));
      findings.push(...findingsAt(key, nearMissFindings(list, zone, wanted)));
    }
  }
  if (adopted.length === 0) return few(findings);
  const after = onDestroy === "keep" ? "" : ", and deleted on destroy";
  const which = adopted.length === 1 ? "exactly this policy" : `exactly these ${adopted.length} policies`;
  const message = `the zone has ${which} already: ${listed(adopted, { separator: ", " })}. Unless another resource of this stack owns them, they will be adopted instead of created a second time${after}.${isCounting ? countingFromNow : ""}`;
  return [infoOn("policies", "csp-adopted", message), ...few(findings)];
}

const countingFromNow = " The days of log count from now on.";

/** What leaves the set, and what another resource has of it. */
export function leavingFindings(
  { dropped, lost, missing }: SetPlan,
  { ownership }: ZonePolicies,
  { release }: Properties,
  { released = {} }: State,
): Finding[] {
  const declared = new Set(missing.map(({ key }) => key));
  const findings = lost
    .filter(({ key }) => declared.has(key))
    .map(({ key, policyId }) => onePolicyForTwo(pathOf(key), policyId, ownership.ownerOf(policyId)));
  const deleted = dropped.filter(({ key }) => !isReleased(release, key)).map(({ key }) => key);
  if (deleted.length > 0) {
    const one = deleted.length === 1;
    const message = `${shownList(deleted)} ${one ? "leaves" : "leave"} the set: ${one ? "its policy is" : "their policies are"} deleted, unless another resource of this update adopts ${one ? "it" : "them"} before. To keep ${one ? "it" : "them"} for another resource, name ${one ? "it" : "each"} in release.`;
    findings.push(warningOn("policies", "csp-key-removed", message));
  }
  const before = Object.keys(released);
  if (before.length > 0) {
    const message = `an earlier version released ${before.length === 1 ? "a policy" : "policies"} for other resources: ${shownList(before)}. The set no longer manages ${before.length === 1 ? "it" : "them"}. What no other resource declares stays in the zone: delete it there if nobody needs it.`;
    findings.push(warningOn("policies", "csp-released-before", message));
  }
  return few(findings);
}

/** An action that only one of the service's names knows, before it is sent to the other one. */
export function sentActionFindings(run: Run, inputs: Properties): Finding[] {
  const connection = inputs["connection"] as ConnectionArgs | undefined;
  if (containsUnknown(connection)) return [];
  return findingsOfEach(inputs, ({ action }) => actionFindings(action, () => run.service(connection)));
}
