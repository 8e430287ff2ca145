import { type Impact, nothingSeen, render, renderLetIn, restrictsListed, unseenKinds } from "page-guard-csp";
import type { ConnectionArgs } from "../../api/client-types";
import { isApiError } from "../../errors/api-error";
import { PageGuardError } from "../../errors/page-guard-error";
import type { ItemsInUse } from "../../functions/items-in-use";
import { whereOnline } from "../../lifecycle/offline";
import type { Run } from "../../lifecycle/run";
import { type Finding, makeWarning } from "../../model/finding";
import { declaredText, toBody } from "../../model/policies/declared-policy";
import { enforces } from "../../model/policies/enforcement";
import { declaredPolicySchema } from "../../model/policies/policy-inputs";
import type { Properties } from "../../model/properties";
import { containsUnknown, isUnknown } from "../../model/unknown";
import { cleanList } from "../../text/shown";
import { actionFindings } from "./findings";
import { computeImpact, toBlockedData, toLetInData } from "./impact-data";
import { few, placeFindings } from "./zone-findings";
import { ZonePolicies } from "./zone-policies";

/** Maximum number of lines about blocked items in a message. */
const maxLines = 20;

/** A policy that is new or changed. `key`: its key, if it belongs to a set. */
export interface Changed {
  readonly key?: string;
  readonly policy: Properties;
  /** Names of the changed fields; undefined for a new policy. */
  readonly fields?: readonly string[] | undefined;
}

/** Reads the zone and returns findings about new and changed policies. `beforeCreate`: returns further findings for a create. */
export async function changeFindings(
  run: Run,
  inputs: Properties,
  changed: readonly Changed[],
  beforeCreate: (() => Promise<readonly Finding[]>) | undefined,
): Promise<Finding[]> {
  const blocking = changed.filter(({ policy, fields }) => {
    const mayBlockMore = fields?.some((field) => field !== "description") ?? true;
    return mayBlockMore && enforces(policy) !== "no";
  });
  const { zoneId, connection, policies } = inputs;
  // If all policies of a set are unknown, any of them may be enforced.
  if (isUnknown(policies)) blocking.push({ policy: { value: policies } });
  if (containsUnknown([zoneId, connection])) return uncheckedFindings(run, inputs, blocking);
  // Before any request is sent, refuse actions that the service does not know.
  const service = () => run.service(connection as ConnectionArgs | undefined);
  const refused = changed.flatMap(({ key, policy }) =>
    placeFindings(key, actionFindings(policy["action"], service)),
  );
  if (refused.length > 0) return refused;
  const createFindings = beforeCreate ? await whereOnline(beforeCreate, []) : [];
  return [...createFindings, ...(await blockingFindings(run, inputs, blocking))];
}

/** Returns findings about items in use that policies would block, and about policies that cannot be checked. */
async function blockingFindings(
  run: Run,
  inputs: Properties,
  policies: readonly Changed[],
): Promise<Finding[]> {
  const { zoneId, connection, impact: level } = inputs;
  const zone = new ZonePolicies(run, String(zoneId), connection as ConnectionArgs | undefined);
  const findings: Finding[] = [];
  const unchecked: Changed[] = [];
  for (const one of policies) {
    const { policy, key, fields } = one;
    // Nothing changes for visitors if the zone already enforces a policy that equals this one in all but the description.
    const known = containsUnknown(policy) ? undefined : declaredPolicySchema.safeParse(policy).data;
    const isEnforced =
      known !== undefined &&
      fields === undefined &&
      (await whereOnline(async () => (await zone.list()).enforces(toBody(known)), false));
    const found = await whereOnline(() => impactFindings(zone, policy, level, isEnforced), []);
    findings.push(...placeFindings(key, found));
    if (!isEnforced) unchecked.push(one);
  }
  return [...few(findings), ...uncheckedFindings(run, inputs, unchecked)];
}

/** Returns findings about one policy. `level`: the input `impact`; `isEnforced`: whether the zone enforces the policy already. */
async function impactFindings(
  zone: ZonePolicies,
  policy: Properties,
  level: unknown = "warn",
  isEnforced: boolean,
): Promise<Finding[]> {
  const { expression } = policy;
  const text = declaredText(policy);
  if (level === "off" || typeof text !== "string" || typeof expression !== "string") return [];
  if (containsUnknown([text, expression])) return [];
  let inUse: ItemsInUse;
  try {
    inUse = await zone.itemsInUse({ value: text, expression });
  } catch (error) {
    // A refused token prevents every plan in the zone, so it is not a finding about this policy.
    const isAboutPolicy = error instanceof PageGuardError && !isApiError(error, "PG_AUTHENTICATION");
    if (!isAboutPolicy || level === "error") throw error;
    const message = `could not check what this policy would block: ${error.message} Set impact: "off" to skip this check.`;
    return [makeWarning("", "csp-impact-unknown", message)];
  }
  const found = computeImpact(inUse, { value: text, expression });
  // While `action` or `enabled` is unknown, the finding is only a warning. The update knows both values, and can fail.
  const isSure = !containsUnknown([policy["action"], policy["enabled"]]);
  const findings = found.blockedCount > 0 ? [blockedFinding(found, isSure ? level : "warn", isEnforced)] : [];
  if (found.letsIn.length > 0) {
    const lines = renderLetIn(found, { maxLines }).join("\n");
    const message = `with action "allow" this policy ${lines}\nRemove the malicious items from the pages, and replace these sources with the paths or URLs that you need.`;
    findings.push(makeWarning("", "csp-lets-malicious-in", message, toLetInData(found.letsIn)));
  }
  if (found.pathUnknownHosts.length > 0) {
    const message = `the policy allows only some paths of these hosts: ${cleanList(found.pathUnknownHosts, { max: 300 })}. The service reports connections without their path, so connections to these hosts may be blocked. Set useConnectionUrlPath: true, or name the hosts without a path.`;
    findings.push(makeWarning("", "csp-impact-unknown", message));
  }
  const nothing = nothingSeen(found);
  if (nothing !== undefined && restrictsListed(text)) {
    const message = `${nothing}, so the impact of this policy is not known. Check that monitoring is on and that visitors have opened pages since it was switched on, or leave action at "log".`;
    findings.push(makeWarning("", "csp-impact-unknown", message));
  }
  if (inUse.hidden !== undefined) {
    const message = `not everything in use could be checked: ${inUse.hidden}. This policy may block some of the unchecked items: keep action at "log" until the reports show no violations.`;
    findings.push(makeWarning("", "csp-hidden-not-seen", message));
  }
  return findings;
}

/** Returns the finding about blocked items: an error if `level` is "error" and an item is not malicious, otherwise a warning. */
function blockedFinding(found: Impact, level: unknown, isEnforced: boolean): Finding {
  const lines = render(found, { maxLines }).join("\n");
  const data = toBlockedData(found);
  if (isEnforced) {
    const message = `the zone already enforces this policy, so nothing changes for visitors. If the policy were new, it ${lines}`;
    return makeWarning("", "csp-blocks-already", message, data);
  }
  const isLoss = found.breaks.scripts + found.breaks.connections > 0;
  const severity = level === "error" && isLoss ? "error" : "warning";
  const advice = isLoss
    ? `Allow what is needed, or leave action at "log".`
    : "Remove the malicious items from the pages.";
  const message = `with action "allow" this policy ${lines}\n${advice}`;
  return { severity, code: "csp-blocks-in-use", property: "", message, data };
}

/**
 * Returns findings about parts of `allow` policies that were not checked: they depend on values that are unknown before the
 * update, or restrict more than the scripts and connections that the service lists. Without these findings, people would take a
 * silent preview as proof that nothing is blocked.
 */
function uncheckedFindings(run: Run, inputs: Properties, policies: readonly Changed[]): Finding[] {
  if (inputs["impact"] === "off") return [];
  const { zoneId, connection } = inputs;
  const isUndecided = ({ policy: { expression, value, directives } }: Changed) =>
    containsUnknown([zoneId, connection, expression, value, directives]);
  const findUnseenKinds = ({ policy }: Changed) => {
    const text = declaredText(policy);
    return typeof text === "string" ? unseenKinds(text) : [];
  };
  const undecided = run.isOffline ? [] : policies.filter(isUndecided);
  const restricting = policies.filter((one) => findUnseenKinds(one).length > 0);
  const findings: Finding[] = [];
  if (undecided.length > 0) {
    const message = `the impact of ${namePolicies(undecided)} depends on values that are not known before the update, so the preview could not check it. The update checks it before it changes anything.`;
    findings.push(makeWarning("", "csp-impact-unknown", message));
  }
  if (restricting.length > 0) {
    const kinds = new Intl.ListFormat("en-GB").format(new Set(restricting.flatMap(findUnseenKinds)));
    const restrict = restricting.length > 1 ? "restrict" : "restricts";
    const message = `with action "allow" ${namePolicies(restricting)} also ${restrict} ${kinds}. The service does not list these, so they were not checked. To check them, set action to "log" first, and open the pages in a browser.`;
    findings.push(makeWarning("", "csp-not-checked", message));
  }
  return findings;
}

function namePolicies(policies: readonly Changed[]): string {
  const names = policies.flatMap(({ key }) => (key === undefined ? [] : [key]));
  return names.length === 0 ? "this policy" : cleanList(names);
}
