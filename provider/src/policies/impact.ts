import {
  hostsOf,
  type Impact,
  impact,
  type LetIn,
  nothingSeen,
  render,
  renderLetIn,
  restrictsListed,
  seenItems,
  unseenKinds,
} from "page-guard-csp";
import type { ConnectionArgs } from "../api/client-types";
import { type ItemsInUse, partialItems } from "../api/paging/items-in-use";
import { isApiError } from "../errors/api-error";
import { PageGuardError } from "../errors/page-guard-error";
import { whereOnline } from "../lifecycle/offline";
import type { Run } from "../lifecycle/run";
import { type Finding, warningOn } from "../model/finding";
import { bodyOf, declaredText } from "../model/policies/declared-policy";
import type { PolicyImpact } from "../model/policies/policy-impact";
import { declaredPolicySchema } from "../model/policies/policy-inputs";
import type { Properties } from "../model/properties";
import { containsUnknown } from "../model/unknown";
import { grouped } from "../text/data";
import { listed, shown } from "../text/shown";
import { few, findingsAt, pathOf } from "./at-key";
import { zonePolicies } from "./zone-policies";

/** Lines of blocked items that a finding shows. */
const maxLines = 20;
/** Hosts of blocked items, and sources that let something in, which findings name. */
const mostNamed = 20;

/** A policy that may start to block something; `key`: in a set. */
interface Blocking {
  readonly key?: string;
  readonly policy: Properties;
  readonly isNew: boolean;
}

/** What policies would block of what is in use, and what can't be checked. `inputs`: of their resource. */
export async function blockingFindings(
  run: Run,
  inputs: Properties,
  policies: readonly Blocking[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const unchecked: Blocking[] = [];
  for (const one of policies) {
    const isInForce = one.isNew && (await enforces(run, inputs, one.policy));
    const found = await whereOnline(() => impactFindings(run, inputs, one.policy, isInForce));
    findings.push(...findingsAt(one.key, found));
    if (!isInForce) unchecked.push(one);
  }
  return [...few(sameOnce(findings)), ...uncheckedFindings(run, inputs, unchecked)];
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
    const message = `${first.message} This is so for ${joined(group.map(({ property }) => property))}.`;
    return [{ ...first, property: "policies", message }];
  });
}

/** Whether the zone enforces just this policy today, under whatever name: then nothing of it is new to visitors. */
async function enforces(run: Run, { zoneId, connection }: Properties, policy: Properties): Promise<boolean> {
  const known = declaredPolicySchema.safeParse(policy);
  if (containsUnknown([zoneId, connection, policy]) || !known.success) return false;
  const zone = zonePolicies(run, zoneId, connection as ConnectionArgs | undefined);
  const found = await whereOnline(async () => [(await zone.list()).enforces(bodyOf(known.data))]);
  return found.includes(true);
}

/** One read of a zone's scripts and connections a run. */
async function impactFindings(
  run: Run,
  { zoneId, connection, impact: level = "warn" }: Properties,
  policy: Properties,
  isInForce: boolean,
): Promise<Finding[]> {
  const { expression } = policy;
  const text = declaredText(policy);
  if (level === "off" || typeof text !== "string" || typeof expression !== "string") return [];
  if (containsUnknown([zoneId, text, expression, connection])) return [];
  const zone = zonePolicies(run, zoneId, connection as ConnectionArgs | undefined);
  let inUse: ItemsInUse;
  try {
    inUse = await zone.itemsInUse();
  } catch (error) {
    // What the token may not read is no finding about a policy: nothing of the zone can be planned.
    const isAboutPolicy = error instanceof PageGuardError && !isApiError(error, "PG_AUTHENTICATION");
    if (!isAboutPolicy || level === "error") throw error;
    const message = `could not check what this policy would block: ${error.message} Set impact: "off" to skip this check.`;
    return [warningOn("", "csp-impact-unknown", message)];
  }
  const items = seenItems(inUse.scripts, inUse.connections);
  const found = impact(text, items, { hosts: hostsOf(expression) });
  zone.noteImpact({ value: text, expression }, summary(found));
  const findings = found.blockedCount > 0 ? [blockedFinding(found, level, isInForce)] : [];
  if (found.letsIn.length > 0) {
    const lines = renderLetIn(found, { maxLines }).join("\n");
    const message = `with action "allow" this policy ${lines}\nTake it off the pages; name what is needed of these hosts by path or URL.`;
    findings.push(warningOn("", "csp-lets-malicious-in", message, letInData(found.letsIn)));
  }
  if (found.pathUnknownHosts.length > 0) {
    const message = `host allowed, path not known: ${joined(found.pathUnknownHosts)}. The service reports connections without their path, so those to these hosts may be blocked. Set useConnectionUrlPath: true, or name the hosts without a path.`;
    findings.push(warningOn("", "csp-impact-unknown", message));
  }
  const nothing = nothingSeen(found);
  if (nothing !== undefined && restrictsListed(text)) {
    const message = `${nothing}, so what this policy would block is not known. See that monitoring is on and that pages have been visited since, or leave action at "log".`;
    findings.push(warningOn("", "csp-impact-unknown", message));
  }
  if (inUse.isPartial) {
    const message = `not all that is in use could be checked: ${partialItems}. This policy may block some of them: keep action at "log" until the reports show none.`;
    findings.push(warningOn("", "csp-hidden-not-seen", message));
  }
  return findings;
}

/** Loss fails where `level` says so; gain alone never does. */
function blockedFinding(found: Impact, level: unknown, isInForce: boolean): Finding {
  const lines = render(found, { maxLines }).join("\n");
  const data = blockedData(found);
  if (isInForce) {
    const message = `the zone enforces this policy already, so nothing changes for visitors. It ${lines}`;
    return warningOn("", "csp-blocks-already", message, data);
  }
  const isAny = ({ scripts, connections }: Impact["breaks"]) => scripts + connections > 0;
  const isLoss = isAny(found.breaks);
  const advice = [
    ...(isLoss ? [`Allow what is needed, or leave action at "log".`] : []),
    ...(isAny(found.keepsOut) ? ["Take what is malicious off the pages."] : []),
  ].join(" ");
  const severity = level === "error" && isLoss ? "error" : "warning";
  const message = `with action "allow" this policy ${lines}\n${advice}`;
  return { severity, code: "csp-blocks-in-use", property: "", message, data };
}

function summary({ blockedCount, checkedCount, keepsOut, letsIn, groups }: Impact): PolicyImpact {
  const named = groups.slice(0, mostNamed).map(({ host, items }) => [host, items.length] as const);
  return {
    blocked: blockedCount,
    keepsOut: keepsOut.scripts + keepsOut.connections,
    letsIn: new Set(letsIn.flatMap(({ items }) => items)).size,
    examined: checkedCount,
    hosts: Object.fromEntries(named),
  };
}

/** `data` of the finding `csp-blocks-in-use`: of all that is blocked (`breaks` and `keepsOut` together) the first hosts. */
export function blockedData({ blockedCount, breaks, keepsOut, checkedCount, groups }: Impact) {
  const hosts = groups.slice(0, mostNamed).map(({ items: _, ...group }) => group);
  const moreHosts = groups.length - hosts.length;
  return { blocked: blockedCount, breaks, keepsOut, examined: checkedCount, hosts, moreHosts };
}

/** `data` of the finding `csp-lets-malicious-in`. */
export function letInData(letsIn: readonly LetIn[]) {
  const sources = letsIn.slice(0, mostNamed).map(({ items: _, ...one }) => one);
  // One that several sources let in counts once.
  const items = [...new Set(letsIn.flatMap((one) => one.items))];
  const scripts = items.filter(({ kind }) => kind === "script").length;
  const moreSources = letsIn.length - sources.length;
  return { scripts, connections: items.length - scripts, sources, moreSources };
}

/** What of `allow` policies was not checked: a preview that is silent about it says that nothing is blocked. */
export function uncheckedFindings(run: Run, inputs: Properties, policies: readonly Blocking[]): Finding[] {
  if (inputs["impact"] === "off") return [];
  return [...(run.isOffline ? [] : lateFindings(inputs, policies)), ...unseenFindings(policies)];
}

/** Because of values that are not known before the update. */
function lateFindings(inputs: Properties, policies: readonly Blocking[]): Finding[] {
  const lateOf = (values: Properties, names: readonly string[]) =>
    names.filter((name) => containsUnknown(values[name]));
  const ofZone = lateOf(inputs, ["zoneId", "connection"]);
  const lateIn = ({ policy, key }: Blocking) =>
    lateOf(policy, ["expression", "value", "directives"]).map((input) => pathOf(key, input));
  const unchecked = policies.filter((one) => ofZone.length + lateIn(one).length > 0);
  if (unchecked.length === 0) return [];
  const late = [...ofZone, ...unchecked.flatMap(lateIn)];
  const message = `${joined(late)} ${late.length === 1 ? "is" : "are"} not known before the update, so the preview could not check what ${named(unchecked)} would block. The update checks this before it changes anything.`;
  return [warningOn("", "csp-impact-unknown", message)];
}

/** Because the service lists scripts and connections alone; in one line. */
function unseenFindings(policies: readonly Blocking[]): Finding[] {
  const kindsOf = ({ policy }: Blocking) => {
    const text = declaredText(policy);
    return typeof text === "string" ? unseenKinds(text) : [];
  };
  const restricting = policies.filter((one) => kindsOf(one).length > 0);
  if (restricting.length === 0) return [];
  const kinds = [...new Set(restricting.flatMap(kindsOf))];
  const verb = restricting.length > 1 ? "restrict" : "restricts";
  const message = `with action "allow" ${named(restricting)} also ${verb} ${new Intl.ListFormat("en-GB").format(kinds)}. The service does not list these, so they were not checked: open the pages with action "log" first.`;
  return [warningOn("", "csp-not-checked", message)];
}

function named(policies: readonly Blocking[]): string {
  const names = policies.flatMap(({ key }) => (key === undefined ? [] : [shown(key)]));
  if (names.length === 0) return "this policy";
  return `the ${names.length === 1 ? "policy" : "policies"} ${joined(names)}`;
}

function joined(texts: readonly string[]): string {
  return listed(texts, { separator: ", " });
}
