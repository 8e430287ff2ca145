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
import { AuthenticationError } from "../errors/api-error";
import { PageGuardError } from "../errors/page-guard-error";
import { whereOnline } from "../lifecycle/offline";
import type { Run } from "../lifecycle/run";
import { type Finding, warningOn } from "../model/finding";
import { bodyOf, declaredText } from "../model/policies/declared-policy";
import type { PolicyImpact } from "../model/policies/policy-impact";
import { declaredPolicySchema } from "../model/policies/policy-inputs";
import type { Properties } from "../model/properties";
import { containsUnknown } from "../model/unknown";
import { listed } from "../text/shown";
import { zonePolicies } from "./zone-policies";

/** Lines of blocked items that a finding shows. */
const maxLines = 20;
/** Hosts of blocked items, and sources that let something in, which findings name. */
const mostNamed = 20;

/** Whether a policy, once it is known, blocks what it does not allow. */
export function isBlocking({ action, enabled }: Properties): boolean {
  return action === "allow" && (enabled ?? true) === true;
}

/** What a policy that blocks would do, and whether the zone enforces it already. `inputs`: of its resource. */
export async function impactOf(run: Run, inputs: Properties, policy: Properties, isNew: boolean) {
  const isInForce = isNew && (await enforces(run, inputs, policy));
  const text = declaredText(policy);
  return { impact: await whereOnline(() => impactFindings(run, inputs, text, isInForce)), isInForce };
}

/**
 * Whether the zone enforces just this policy today, under whatever name: then nothing of it is new to visitors. Not
 * known offline.
 */
async function enforces(run: Run, now: Properties, policy: Properties): Promise<boolean> {
  const { zoneId, connection } = now;
  const known = declaredPolicySchema.safeParse(policy);
  if (containsUnknown([zoneId, connection, policy]) || !known.success) return false;
  const found = await whereOnline(async () => {
    const list = await zonePolicies(run, zoneId, connection as ConnectionArgs | undefined).list();
    return [list.enforces(bodyOf(known.data))];
  });
  return found.includes(true);
}

/**
 * What an `allow` policy would block of what is in use. One read of a zone's scripts and connections a run.
 * `isInForce`: the zone enforces the very policy today, so nothing of it is new to visitors.
 */
export async function impactFindings(
  run: Run,
  now: Properties,
  text: unknown,
  isInForce = false,
): Promise<Finding[]> {
  const level = now["impact"] ?? "warn";
  const { zoneId, expression, connection } = now;
  if (level === "off" || typeof text !== "string" || typeof expression !== "string") return [];
  if (containsUnknown([zoneId, text, expression, connection])) return [];
  const zone = zonePolicies(run, zoneId, connection as ConnectionArgs | undefined);
  let inUse: ItemsInUse;
  try {
    inUse = await zone.itemsInUse();
  } catch (error) {
    // What the token may not read is no finding about a policy: nothing of the zone can be planned.
    const isAboutPolicy = error instanceof PageGuardError && !(error instanceof AuthenticationError);
    if (!isAboutPolicy || level === "error") throw error;
    const message = `could not check what this policy would block: ${error.message} Set impact: "off" to skip this check.`;
    return [warningOn("", "csp-impact-unknown", message)];
  }
  const items = seenItems(inUse.scripts, inUse.connections);
  const found = impact(text, items, { hosts: hostsOf(expression) });
  zone.noteImpact({ value: text, expression }, summary(found));
  const findings: Finding[] = [];
  if (found.blockedCount > 0) findings.push(blockedFinding(found, level, isInForce));
  if (found.letsIn.length > 0) {
    const lines = renderLetIn(found, { maxLines }).join("\n");
    const message = `with action "allow" this policy ${lines}\nTake it off the pages; name what is needed of these hosts by path or URL.`;
    findings.push(warningOn("", "csp-lets-malicious-in", message, letInData(found.letsIn)));
  }
  if (found.pathUnknownHosts.length > 0) {
    const message = `host allowed, path not known: ${listed(found.pathUnknownHosts, { separator: ", " })}. The service reports connections without their path, so those to these hosts may be blocked. Set useConnectionUrlPath: true, or name the hosts without a path.`;
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
  if (isInForce) {
    const message = `the zone enforces this policy already, so nothing changes for visitors. It ${lines}`;
    return warningOn("", "csp-blocks-already", message, blockedData(found));
  }
  const { breaks, keepsOut } = found;
  const isLoss = breaks.scripts + breaks.connections > 0;
  const isGain = keepsOut.scripts + keepsOut.connections > 0;
  const advice = [
    ...(isLoss ? [`Allow what is needed, or leave action at "log".`] : []),
    ...(isGain ? ["Take what is malicious off the pages."] : []),
  ].join(" ");
  return {
    severity: level === "error" && isLoss ? "error" : "warning",
    code: "csp-blocks-in-use",
    property: "",
    message: `with action "allow" this policy ${lines}\n${advice}`,
    data: blockedData(found),
  };
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
  return {
    blocked: blockedCount,
    breaks,
    keepsOut,
    /** Scripts and connections that were checked. */
    examined: checkedCount,
    hosts,
    moreHosts: groups.length - hosts.length,
  };
}

/** `data` of the finding `csp-lets-malicious-in`. */
export function letInData(letsIn: readonly LetIn[]) {
  const sources = letsIn.slice(0, mostNamed).map(({ items: _, ...one }) => one);
  // One that several sources let in counts once.
  const items = [...new Set(letsIn.flatMap((one) => one.items))];
  const scripts = items.filter(({ kind }) => kind === "script").length;
  return {
    scripts,
    connections: items.length - scripts,
    sources,
    moreSources: letsIn.length - sources.length,
  };
}

/** One `allow` policy as it is declared; `name` and `pathOf` its inputs where it is one of several. */
export interface BlockingPolicy {
  readonly policy: Properties;
  readonly name?: string;
  readonly pathOf?: (input: string) => string;
}

/** What of `allow` policies was not checked: a preview that is silent about it says that nothing is blocked. */
export function uncheckedFindings(
  run: Run,
  inputs: Properties,
  policies: readonly BlockingPolicy[],
): Finding[] {
  if (inputs["impact"] === "off") return [];
  return [...(run.isOffline ? [] : lateFindings(inputs, policies)), ...unseenFindings(policies)];
}

/** Because of values that are not known before the update. */
function lateFindings(inputs: Properties, policies: readonly BlockingPolicy[]): Finding[] {
  const lateOf = (values: Properties, names: readonly string[]) =>
    names.filter((name) => containsUnknown(values[name]));
  const ofZone = lateOf(inputs, ["zoneId", "connection"]);
  const unchecked = policies.flatMap(({ policy, name, pathOf = String }) => {
    const late = lateOf(policy, ["expression", "value", "directives"]).map(pathOf);
    return ofZone.length + late.length === 0 ? [] : [{ name, late }];
  });
  if (unchecked.length === 0) return [];
  const late = [...ofZone, ...unchecked.flatMap((one) => one.late)];
  const names = unchecked.flatMap(({ name }) => name ?? []);
  const which = policiesNamed(names);
  const message = `${joined(late)} ${late.length === 1 ? "is" : "are"} not known before the update, so the preview could not check what ${which} would block. The update checks this before it changes anything.`;
  return [warningOn("", "csp-impact-unknown", message)];
}

/** Because the service lists scripts and connections alone; in one line. */
export function unseenFindings(policies: readonly BlockingPolicy[]): Finding[] {
  const restricting = policies.flatMap(({ policy, name }) => {
    const text = declaredText(policy);
    const kinds = typeof text === "string" ? unseenKinds(text) : [];
    return kinds.length === 0 ? [] : [{ kinds, name }];
  });
  if (restricting.length === 0) return [];
  const kinds = [...new Set(restricting.flatMap((one) => one.kinds))];
  const names = restricting.flatMap(({ name }) => name ?? []);
  const verb = names.length > 1 ? "restrict" : "restricts";
  const message = `with action "allow" ${policiesNamed(names)} also ${verb} ${new Intl.ListFormat("en-GB").format(kinds)}. The service does not list these, so they were not checked: open the pages with action "log" first.`;
  return [warningOn("", "csp-not-checked", message)];
}

function policiesNamed(names: readonly string[]): string {
  if (names.length === 0) return "this policy";
  return `the ${names.length === 1 ? "policy" : "policies"} ${joined(names)}`;
}

function joined(texts: readonly string[]): string {
  return listed(texts, { separator: ", " });
}
