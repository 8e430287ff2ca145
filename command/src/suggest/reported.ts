import { createHash } from "node:crypto";
import {
  BASE_DIRECTIVES,
  type Directives,
  explain,
  fromReports,
  type Granularity,
  hostOf,
  ownedDomain,
  pageUrlOf,
  type ReportedSources,
  type ReportedUse,
  type SeenItem,
  type SuggestionRemark,
} from "page-guard-csp";
import { pluralize } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { readReports } from "../explain/violation-reports";
import { readText } from "../shared/read-text";
import type { Session } from "../shared/session";
import { distinct } from "../shared/values";
import { type SelectionFlags, selectsPage } from "./selection";

export interface Reported extends ReportedSources {
  /** The directives that `--base` adds. */
  readonly base: Directives;
}

interface ReportFlags extends SelectionFlags {
  readonly reports?: string;
  readonly base?: boolean;
}

/** Returns the sources that pages need according to browsers' reports. Uses only reports from pages that the flags select. */
export async function reportedTo(
  session: Session,
  flags: ReportFlags,
  granularity: Granularity,
  owners: ReadonlySet<string | undefined>,
): Promise<Reported> {
  if (flags.reports === undefined) return { directives: {}, remarks: [], base: BASE_DIRECTIVES };
  const { requests, skipped } = readReports(await readText(session, flags.reports), flags.reports);
  const isOfPages = selectsPage(flags);
  const uses = requests.flatMap((one) => {
    const { kind } = one;
    const isOfZone = owners.size === 0 || owners.has(ownedDomain(hostOf(one.pageUrl)));
    return kind !== undefined && isOfZone && isOfPages(one.pageUrl) ? [{ ...one, kind }] : [];
  });
  const found = fromReports(uses, {
    granularity,
    sha256: (text) => createHash("sha256").update(text).digest("base64"),
  });
  const others = requests.length - uses.length;
  const rest =
    others > 0 ? [`${pluralize(others, "report")} from other pages, or without the kind of request`] : [];
  const unused = [...skipped, ...rest].map((reason) => `Reports not used: ${reason}.`);
  const targets = formTargets(uses);
  const { "form-action": own, ...withoutForms } = BASE_DIRECTIVES;
  const hosts = distinct(targets).map((host) => forTerminal(host, 100));
  const isFormOpen = found.directives["form-action"] !== undefined;
  const contradicted =
    flags.base === true &&
    hosts.length > 0 &&
    !isFormOpen &&
    `NOT ADDED: form-action ${own?.join(" ")}, because reports show forms that are sent to ${hosts.join(", ")}. Add form-action with the hosts that receive your forms.`;
  const remarks = [
    ...found.remarks,
    ...remark("form-action-not-added", "warning", contradicted),
    ...remark("reports-not-used", "note", ...unused),
  ];
  return { ...found, base: targets.length > 0 ? withoutForms : BASE_DIRECTIVES, remarks };
}

/**
 * Returns the hosts that show that `form-action 'self'` would block forms. If a form is redirected, browsers report
 * its first URL. So if a report names a URL that the policy allows, the policy has blocked a redirection to another host.
 */
function formTargets(uses: readonly ReportedUse[]): readonly string[] {
  return uses.flatMap(({ kind, url, pageUrl, policy }) => {
    const host = hostOf(url);
    if (kind !== "form") return [];
    if (host !== hostOf(pageUrl)) return [host];
    const isRedirected = policy !== "" && explain(policy, { kind, url, pageUrl }).verdict === "allowed";
    return isRedirected ? [`${host}, which redirects them`] : [];
  });
}

/** Returns the registered domains of the pages on which items were seen: the domains of the zone. */
export function findOwners(items: readonly SeenItem[]): ReadonlySet<string | undefined> {
  return new Set(items.map((seen) => ownedDomain(hostOf(pageUrlOf(seen)))).filter(Boolean));
}

export function remark(
  code: string,
  severity: SuggestionRemark["severity"],
  ...texts: readonly (string | false | undefined)[]
) {
  return texts.flatMap((text) => (text ? [{ code, severity, text }] : []));
}
