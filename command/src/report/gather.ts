import { isMalicious, upgraderOf } from "page-guard-csp";
import {
  enumerate,
  isEnforced,
  readMessage,
  readScripts,
  readZone,
  runInFlight,
  type Script,
} from "pulumi-page-guard/tools";
import { needsOfZone } from "../documents/audit/attention";
import type { AuditZone } from "../documents/audit/report-data";
import { forTerminal } from "../documents/escape";
import { readHistory } from "../inventory/history";
import { wantsVersions } from "../inventory/judge";
import { type PlaceFlags, readInventory } from "../inventory/place";
import { sortDistinct } from "../inventory/seen-script";
import { indexById, withHosts, withVersions } from "../inventory/zone-scripts";
import type { ConnectionFlags, StateFlags, ZoneFlags } from "../shared/options";
import type { Progress } from "../shared/progress";
import { Reader } from "../shared/reader";
import { type Session, today } from "../shared/session";
import { compareTexts } from "../shared/values";
import { someZones, zonesAtOnce } from "../shared/zones";
import { declaredZone } from "../state/declared-zone";
import { type ReadableZone, zonesInState } from "../state/zones-in-state";
import { spellPage, toPatterns } from "../suggest/selection";
import type { EarlierZone } from "./earlier";
import { auditPolicy } from "./policies";
import { auditScripts, type ZoneInventory } from "./scripts";

export interface GatherFlags extends ConnectionFlags, ZoneFlags, StateFlags, Partial<PlaceFlags> {
  readonly page?: readonly string[];
  readonly threshold: number;
}

interface AuditSubject extends ReadableZone {
  readonly inventory: ZoneInventory | undefined;
  /** URLs of the payment pages (PCI DSS requirement 6.4.3), each with an optional `*` at its end. */
  readonly pages: readonly string[];
  readonly before: EarlierZone | undefined;
}

/** Reads the zones, their declarations and their inventories. The result names parts that could not be read. */
export async function gather(
  session: Session,
  flags: GatherFlags,
  progress: Progress,
  earlier: readonly EarlierZone[] = [],
): Promise<AuditZone[]> {
  // Prepare all zones, connections and inventories before the first request, so that no request is sent if one of them is refused.
  const zones = await zonesToRead(session, flags, progress);
  const asked = toPatterns(flags.page);
  const missing: string[] = [];
  const subjects = zones.map((one): AuditSubject => {
    const before = earlier.find(({ id }) => id === one.zone.id);
    if (flags.inventory === undefined) return { ...one, before, inventory: undefined, pages: asked };
    const read = readInventory(session, { ...flags, inventory: flags.inventory }, one.zone);
    if (read.isMissing) missing.push(forTerminal(read.file));
    const patterns = read.entries.flatMap(({ pages }) =>
      pages.flatMap((page) => (page.endsWith("*") && spellPage(page)) || []),
    );
    const inventory = { ...read, history: readHistory(session, read.file, read.entries) };
    return { ...one, before, inventory, pages: sortDistinct([...asked, ...read.pages, ...patterns]) };
  });
  // Warn, because with a mistyped folder or zone name, the report would show every script as not approved.
  if (missing.length > 0)
    session.err(
      `Inventory files are missing: ${enumerate(missing, { most: 5, separator: ", " })}. In the zones of these files, no script therefore counts as approved. Check --inventory and the names of the zones, or run \`page-guard inventory update\`.\n`,
    );
  const day = today(session);
  return progress.during("Reading zones", () =>
    runInFlight(zonesAtOnce, subjects, async (subject) =>
      auditZone(subject, await readSubject(subject, day), { ...flags, today: day }),
    ),
  );
}

/** Returns the zones to read: those of --zone and --zones, or, if none is given, all zones in the state of --stack or --state. */
export async function zonesToRead(
  session: Session,
  flags: GatherFlags,
  progress: Progress,
): Promise<readonly ReadableZone[]> {
  if (flags.stack !== undefined || flags.state !== undefined) return zonesInState(session, flags, progress);
  const client = new Reader({ session, flags, progress }).client();
  return someZones(session, flags).map((zone) => ({ zone, declared: declaredZone(zone.id, []), client }));
}

/** Reads the parts of a zone for a report. `onPages` maps the id of each script to the payment pages on which it was seen. */
async function readSubject({ client, zone, pages, inventory, before }: AuditSubject, day: string) {
  const unread: AuditZone["unread"] = [];
  const attempt = async <T>(part: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      unread.push({ part, reason: readMessage(error) });
      return undefined;
    }
  };
  const [{ values, unread: parts }, onPages] = await Promise.all([
    readZone(client, zone.id, ["settings", "policies", "listed", "cookies"]),
    pages.length === 0
      ? undefined
      : attempt("scripts by page", async () => (await readScripts(client, zone.id, pages)).pages),
  ]);
  // To see what was served between two runs, read the versions of scripts on payment pages, of scripts whose contents have
  // changed, and of scripts whose versions the inventory needs.
  const known = new Map(before?.scripts?.flatMap(({ urls, hashes }) => urls.map((url) => [url, hashes])));
  const isWanted = wantsVersions(inventory?.entries ?? [], day);
  const listed = values.listed?.scripts ?? [];
  const hasChanged = ({ url, hash }: Script) =>
    hash !== undefined && known.get(url)?.includes(hash) === false;
  const withMore = await attempt("versions of scripts", () =>
    withVersions(client, zone.id, listed, (one) => onPages?.has(one.id) || hasChanged(one) || isWanted(one)),
  );
  const lists = parts
    // Not every plan includes cookies. So cookies count as unread only if the request failed, not if the service refused it.
    .filter(({ part, why }) => part !== "cookies" || why === "failed")
    .map(({ part: name, error }) => {
      const part = name === "listed" ? "scripts and connections" : name;
      return { part, reason: readMessage(error) };
    });
  const scripts = values.listed && (withMore ?? listed);
  const { listed: items, policies } = values;
  const placed =
    items && (await attempt("pages on other hosts", () => withHosts(client, zone.id, items, policies)));
  return { ...values, scripts, placed: placed ?? items, onPages, unread: [...lists, ...unread] };
}

function auditZone(
  { zone, declared, inventory, pages, before }: AuditSubject,
  { settings, policies, listed: items, cookies, ...read }: Awaited<ReturnType<typeof readSubject>>,
  context: GatherFlags & { readonly today: string },
): AuditZone {
  const declaredById = new Map(declared.policies.map((one) => [one.policyId, one]));
  const isUpgraded = upgraderOf(policies?.filter(isEnforced) ?? []);
  const audited = policies?.map((policy) =>
    auditPolicy(policy, {
      ...context,
      items: read.placed,
      isUpgraded,
      declared: declaredById.get(policy.policyId),
      before,
    }),
  );
  // Use the descriptions from `audited`, which hides those that the stack keeps secret.
  const shownPolicies = policies?.map((policy, index) => ({
    ...policy,
    description: audited?.[index]?.description ?? "",
  }));
  const scripts =
    read.scripts &&
    auditScripts(read.scripts, {
      ...context,
      policies: shownPolicies,
      onHosts: read.placed && indexById(read.placed.scripts),
      inventory,
      seenOn: read.onPages,
      since: before?.readAt.scripts,
    });
  const facts = {
    id: zone.id,
    name: zone.name,
    unread: read.unread,
    paymentPages: [...pages],
    settings: settings ? { enabled: settings.enabled, updatedAt: settings.updatedAt ?? null } : null,
    inventory: inventory
      ? { file: inventory.file, entries: inventory.entries.length, faults: [...inventory.faults] }
      : null,
    pages: sortDistinct((scripts ?? []).flatMap((script) => script.pages)),
    scripts: scripts ?? null,
    cookies:
      cookies?.map((cookie) => ({
        name: cookie.name,
        type: cookie.type ?? null,
        host: cookie.host ?? null,
        domain: cookie.domainAttribute ?? null,
        path: cookie.pathAttribute ?? null,
        sameSite: cookie.sameSiteAttribute ?? null,
        isSecure: cookie.secureAttribute ?? null,
        isHttpOnly: cookie.httpOnlyAttribute ?? null,
        page: cookie.firstPageUrl ?? null,
        firstSeen: cookie.firstSeenAt ?? null,
        lastSeen: cookie.lastSeenAt ?? null,
      })) ?? null,
    hidden: read.placed?.hidden ?? null,
    connections: items
      ? {
          all: items.connections.length,
          malicious: items.connections.filter((item) => isMalicious(item) === true).length,
        }
      : null,
    policies:
      audited?.sort(
        (left, right) => compareTexts(left.description, right.description) || compareTexts(left.id, right.id),
      ) ?? null,
  };
  return { ...facts, needs: [...needsOfZone(facts)] };
}
