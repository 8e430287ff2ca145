import { isMalicious } from "page-guard-csp";
import {
  allInFlight,
  type Cookie,
  compareTexts,
  listed,
  messageOf,
  partialItems,
  plural,
  readScripts,
  readZone,
  type Script,
  type ZoneRead,
} from "pulumi-page-guard/tools";
import { sayHowLong } from "../how-long";
import { inventoryOf } from "../inventory/place";
import { withVersions } from "../inventory/zone-scripts";
import type { ConnectionFlags, StateFlags, ZoneFlags } from "../options";
import type { Progress } from "../progress";
import { Reader } from "../reader";
import { needsOfZone } from "../reports/audit/attention";
import type { AuditCookie, AuditPolicy, AuditReport, AuditZone } from "../reports/audit/report-data";
import { forTerminal } from "../reports/escape";
import { type Session, today } from "../session";
import { declaredZone } from "../state/declared-zone";
import { type ReadableZone, zonesInState } from "../state/inspect";
import { patternsOf } from "../suggest/selection";
import { someZones, zonesAtOnce } from "../zones";
import { historyOf } from "./history";
import { auditPolicy, earlierPolicies } from "./policies";
import { auditScripts, sortedOnce, type ZoneInventory } from "./scripts";

export interface GatherFlags extends ConnectionFlags, ZoneFlags, StateFlags {
  readonly inventory?: string;
  readonly references?: string;
  readonly page?: readonly string[];
  readonly threshold: number;
}

interface Subject extends ReadableZone {
  readonly inventory: ZoneInventory | undefined;
  /** The pages that 6.4.3 is about: URLs, `*` at their ends. */
  readonly pages: readonly string[];
}

/** Reads the zones, each with what the state and the inventory say of it. What cannot be read is in the result. */
export async function gather(
  session: Session,
  flags: GatherFlags,
  progress: Progress,
  since: AuditReport | undefined,
): Promise<AuditZone[]> {
  // All zones, connections and inventories before the first request: what is refused is refused before anything is sent.
  const zones = await zonesToRead(session, flags, progress);
  const asked = patternsOf(flags.page);
  const missing: string[] = [];
  const subjects = zones.map((one): Subject => {
    if (flags.inventory === undefined) return { ...one, inventory: undefined, pages: asked };
    const { isMissing, ...read } = inventoryOf(session, { ...flags, inventory: flags.inventory }, one.zone);
    if (isMissing) missing.push(forTerminal(read.file));
    const patterns = read.entries.flatMap(({ pages }) => pages.filter((page) => /^https?:.*\*$/.test(page)));
    const inventory = { ...read, history: historyOf(session, read.file) };
    return { ...one, inventory, pages: sortedOnce([...asked, ...read.pages, ...patterns]) };
  });
  // A mistyped folder or name would make a report in which nothing is approved.
  if (missing.length > 0)
    session.err(
      `There is no ${listed(missing, { most: 5, separator: ", " })}, so no script counts as approved there. Check --inventory and the names of the zones, or run \`page-guard inventory update\`.\n`,
    );
  const requests = subjects.reduce((sum, { pages }) => sum + usualRequests + pages.length, 0);
  sayHowLong(session, `Reading ${plural(subjects.length, "zone")}`, requests);
  return progress.during("Reading zones", () =>
    allInFlight(zonesAtOnce, subjects, async (subject) => {
      const { client, zone } = subject;
      const [read, onPages] = await Promise.all([
        readZone(client, zone.id, ["settings", "policies", "listed", "cookies"]),
        readByPage(subject),
      ]);
      const before = since?.data.zones.find(({ id }) => id === zone.id);
      const versions = await readVersions(subject, read, onPages, before);
      return auditZone(subject, [read, onPages, versions], { session, since: before && since, flags });
    }),
  );
}

/** The zones of the flags, else of the state, with what that declares. */
export async function zonesToRead(
  session: Session,
  flags: GatherFlags,
  progress: Progress,
): Promise<readonly ReadableZone[]> {
  if (flags.stack !== undefined || flags.state !== undefined) return zonesInState(session, flags, progress);
  const client = new Reader({ session, flags, progress }).client();
  return someZones(session, flags).map((zone) => ({ zone, declared: declaredZone(zone.id, []), client }));
}

/** Requests of a zone with up to 100 scripts, connections and cookies. */
const usualRequests = 5;

/** What was read beside the lists, or why it could not be; neither: it was not asked for. */
interface More<T> {
  readonly value?: T;
  readonly error?: unknown;
}

/** Pages of each script by its id. */
async function readByPage({
  client,
  zone,
  pages,
}: Subject): Promise<More<ReadonlyMap<string, readonly string[]>>> {
  if (pages.length === 0) return {};
  try {
    return { value: (await readScripts(client, zone.id, pages)).pages ?? new Map() };
  } catch (error) {
    return { error };
  }
}

/** What was served between two runs: of what is on payment pages, and of what has other contents than before. */
async function readVersions(
  { client, zone }: Subject,
  { values }: ZoneRead,
  { value: onPages }: More<ReadonlyMap<string, readonly string[]>>,
  before: AuditZone | undefined,
): Promise<More<readonly Script[]>> {
  const known = new Map(before?.scripts?.flatMap(({ urls, hashes }) => urls.map((url) => [url, hashes])));
  const wanted = (values.listed?.scripts ?? []).filter(
    ({ id, url, hash }) => onPages?.has(id) || (hash && known.get(url)?.includes(hash) === false),
  );
  try {
    return { value: await withVersions(client, zone.id, wanted) };
  } catch (error) {
    return { error };
  }
}

type ZoneReads = readonly [
  read: ZoneRead,
  onPages: More<ReadonlyMap<string, readonly string[]>>,
  versions: More<readonly Script[]>,
];

function auditZone(
  { zone, declared, inventory, pages }: Subject,
  [read, onPages, versions]: ZoneReads,
  { session, since, flags }: { session: Session; since: AuditReport | undefined; flags: GatherFlags },
): AuditZone {
  const { settings, policies, listed, cookies } = read.values;
  const { threshold, references } = flags;
  const earlier = earlierPolicies(since, zone.id);
  const declaredById = new Map(declared.policies.map((one) => [one.policyId, one]));
  const audited = policies?.map((policy) =>
    auditPolicy(policy, {
      items: listed,
      declared: declaredById.get(policy.policyId),
      earlier: earlier.get(policy.policyId),
      threshold,
    }),
  );
  // By the name that the report shows: what the stack keeps secret is not in it.
  const shownPolicies = policies?.map((policy, index) => ({
    ...policy,
    description: audited?.[index]?.description ?? "",
  }));
  const withMore = new Map(versions.value?.map((script) => [script.id, script]));
  const scripts = listed
    ? auditScripts(
        listed.scripts.map((script) => withMore.get(script.id) ?? script),
        {
          ...{ policies: shownPolicies, inventory, threshold, references, today: today(session) },
          ...{ seenOn: onPages.value, since: since?.head.madeAt },
        },
      )
    : null;
  const facts = {
    id: zone.id,
    name: zone.name,
    unread: [
      // Not every plan has cookies.
      ...read.unread
        .filter(({ part, why }) => part !== "cookies" || why === "failed")
        .map(({ part, error }) => ({
          part: part === "listed" ? "scripts and connections" : part,
          reason: messageOf(error),
        })),
      ...[onPages, versions].flatMap(({ error }, index) =>
        error === undefined
          ? []
          : [{ part: index === 0 ? "scripts by page" : "versions of scripts", reason: messageOf(error) }],
      ),
    ],
    settings: settings ? { enabled: settings.enabled, updatedAt: settings.updatedAt ?? null } : null,
    inventory: inventory
      ? { file: inventory.file, entries: inventory.entries.length, faults: [...inventory.faults] }
      : null,
    paymentPages: [...pages],
    pages: sortedOnce((scripts ?? []).flatMap(({ pages }) => pages)),
    scripts,
    cookies: cookies?.map(cookieOf) ?? null,
    hidden: listed?.isPartial ? partialItems : null,
    connections: listed
      ? {
          all: listed.connections.length,
          malicious: listed.connections.filter((item) => isMalicious(item) === true).length,
        }
      : null,
    policies: audited?.sort(byNameAndId) ?? null,
  };
  return { ...facts, needs: needsOfZone(facts) };
}

function cookieOf(cookie: Cookie): AuditCookie {
  return {
    name: cookie.name,
    type: cookie.type ?? null,
    host: cookie.host ?? null,
    domain: cookie.domainAttribute ?? null,
    path: cookie.pathAttribute ?? null,
    sameSite: cookie.sameSiteAttribute ?? null,
    isSecure: cookie.secureAttribute ?? null,
    isHttpOnly: cookie.httpOnlyAttribute ?? null,
    firstSeen: cookie.firstSeenAt ?? null,
    lastSeen: cookie.lastSeenAt ?? null,
    page: cookie.firstPageUrl ?? null,
  };
}

function byNameAndId(left: AuditPolicy, right: AuditPolicy): number {
  return compareTexts(left.description, right.description) || compareTexts(left.id, right.id);
}
