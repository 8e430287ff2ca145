import { errorOn, type Finding, warningOn } from "../../model/finding";
import type { Properties } from "../../model/properties";
import { few, findingsAt, pathOf } from "../../policies/at-key";
import { type Changed, declarationFindings, settingFindings } from "../../policies/findings";
import { onePolicyForTwo } from "../../policies/new-policies";
import type { ZonePolicies } from "../../policies/zone-policies";
import { shownList } from "../../text/shown";
import { changedKeys, entriesOf } from "./entries";
import { isReleased, type SetPlan } from "./plan";
import type { State } from "./state";
import { othersOf } from "./undeclared";

/** What can be said of all policies without a request. */
export function declaredFindings(inputs: Properties, wanted: "all" | "errors"): Finding[] {
  const each = [...(entriesOf(inputs) ?? [])].flatMap(([key, entry]) =>
    findingsAt(key, declarationFindings(entry, inputs, wanted)),
  );
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

/** The policies that are new or changed. `before`: the inputs of the last update. */
export function changedIn(inputs: Properties, before: Properties | undefined): Changed[] {
  const changed = changedKeys(before ?? {}, inputs);
  const known = before && entriesOf(before);
  return [...(entriesOf(inputs) ?? [])].flatMap(([key, policy]) => {
    const fields = changed.get(key);
    if (!fields) return [];
    const mayBlockMore = fields.length === 0 || fields.some((field) => field !== "description");
    return [{ key, policy, isNew: !known?.has(key), mayBlockMore }];
  });
}

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
    const [leaves, are, them, each] =
      deleted.length === 1
        ? ["leaves", "its policy is", "it", "it"]
        : ["leave", "their policies are", "them", "each"];
    const message = `${shownList(deleted)} ${leaves} the set: ${are} deleted, unless another resource of this update adopts ${them} before. To keep ${them} for another resource, name ${each} in release.`;
    findings.push(warningOn("policies", "csp-key-removed", message));
  }
  const before = Object.keys(released);
  if (before.length > 0) {
    const message = `an earlier version released policies for other resources: ${shownList(before)}. The set no longer manages them. What no other resource declares stays in the zone: delete it there if nobody needs it.`;
    findings.push(warningOn("policies", "csp-released-before", message));
  }
  return few(findings);
}
