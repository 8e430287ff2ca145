import { isMalicious } from "page-guard-csp";
import {
  allInFlight,
  compareTexts,
  listed,
  partialItems,
  plural,
  readScripts,
  readZone,
  type ZonePart,
  type ZoneRead,
} from "pulumi-page-guard/tools";
import { sayHowLong } from "../how-long";
import { parseInventory } from "../inventory/inventory-file";
import { fileOf, readInventory } from "../inventory/place";
import type { ConnectionFlags, StateFlags, ZoneFlags } from "../options";
import type { Progress } from "../progress";
import { Reader } from "../reader";
import { needsOfZone } from "../reports/audit/attention";
import type { AuditPolicy, AuditReport, AuditZone } from "../reports/audit/report-data";
import { forTerminal } from "../reports/escape";
import { type Session, today } from "../session";
import { declaredZone } from "../state/declared-zone";
import { type ReadableZone, zonesInState } from "../state/inspect";
import { patternsOf } from "../suggest/selection";
import { someZones, type ZoneRef, zonesAtOnce } from "../zones";
import { auditPolicy, earlierPolicies } from "./policies";
import { auditScripts, distinct, type ZoneInventory } from "./scripts";
import { auditWaf, beginParts, messageOf, positionOf, positionParts } from "./waf";

export interface GatherFlags extends ConnectionFlags, ZoneFlags, StateFlags {
  readonly inventory?: string;
  readonly page?: readonly string[];
  readonly threshold: number;
  readonly waf?: boolean;
}

interface Subject extends ReadableZone {
  readonly inventory: ZoneInventory | undefined;
  /** Pages whose scripts are listed one by one. */
  readonly pages: readonly string[];
}

/** Reads the zones, each with what the state and the inventory say of it. What cannot be read is in the result. */
export async function gather(
  session: Session,
  flags: GatherFlags,
  progress: Progress,
  since: AuditReport | undefined,
): Promise<AuditZone[]> {
  const subjects = await subjectsOf(session, flags, progress);
  warnOfMissing(session, subjects);
  const requests = subjects.reduce(
    (sum, { pages }) => sum + usualRequests + (flags.waf ? wafRequests : 0) + pages.length,
    0,
  );
  sayHowLong(session, `Reading ${plural(subjects.length, "zone")}`, requests);
  return progress.during("Reading zones", () =>
    allInFlight(zonesAtOnce, subjects, async (subject) => {
      const [read, byPage] = await Promise.all([readAll(subject, flags), readByPage(subject)]);
      return auditZone(subject, read, byPage, { now: session.now(), since, threshold: flags.threshold });
    }),
  );
}

/** All zones, connections and inventories before the first request: what is refused is refused before anything is sent. */
async function subjectsOf(session: Session, flags: GatherFlags, progress: Progress): Promise<Subject[]> {
  const hasState = flags.stack !== undefined || flags.state !== undefined;
  const zones = hasState
    ? await zonesInState(session, flags, progress)
    : someZones(session, flags).map((zone) => ({
        ...{ zone, declared: declaredZone(zone.id, []) },
        client: new Reader({ session, flags, progress }).client(),
      }));
  const asked = patternsOf(flags.page);
  return zones.map((one) => {
    const inventory = inventoryOf(session, flags, one.zone);
    return { ...one, inventory, pages: distinct([...asked, ...pagesOf(inventory)]) };
  });
}

/** Those that the lists can be filtered by; people may write others. */
function pagesOf(inventory: ZoneInventory | undefined): readonly string[] {
  const pages = inventory?.entries.flatMap((entry) => entry.pages) ?? [];
  return pages.filter((page) => /^https?:\/\/[^\s,*"\\]+\*?$/.test(page));
}

/** A zone without a file has an empty inventory: nothing of it is approved. */
function inventoryOf(session: Session, { inventory }: GatherFlags, zone: ZoneRef): ZoneInventory | undefined {
  if (inventory === undefined) return undefined;
  const file = fileOf({ inventory }, zone);
  const text = readInventory(session, file);
  return { file, isMissing: text === undefined, ...parseInventory(text ?? "") };
}

/** A mistyped folder or name would make a report in which nothing is approved. */
function warnOfMissing({ err }: Session, subjects: readonly Subject[]): void {
  const missing = subjects.flatMap(({ inventory }) =>
    inventory?.isMissing ? [forTerminal(inventory.file)] : [],
  );
  if (missing.length > 0)
    err(
      `There is no ${listed(missing, { most: 5, separator: ", " })}, so no script counts as approved there. Check --inventory and the names of the zones, or run \`page-guard inventory update\`.\n`,
    );
}

/** Requests of a zone with up to 100 scripts and connections. */
const usualRequests = 4;
/** Requests that tell where its migration is. */
const wafRequests = 5;

/** What decides about a migration that has ended is not asked for. */
async function readAll({ client, zone }: Subject, { waf }: GatherFlags): Promise<ZoneRead> {
  const parts: readonly ZonePart[] = ["settings", "policies", "listed"];
  if (!waf) return readZone(client, zone.id, parts);
  const read = await readZone(client, zone.id, [...parts, ...positionParts]);
  const at = positionOf(read);
  if (at !== "old" && at !== "unclear") return read;
  const more = await readZone(client, zone.id, beginParts);
  return { values: { ...read.values, ...more.values }, unread: [...read.unread, ...more.unread] };
}

/** Pages of each script by its id, where the lists of all pages could be read. */
interface ByPage {
  readonly pages?: ReadonlyMap<string, readonly string[]> | undefined;
  readonly error?: unknown;
}

async function readByPage({ client, zone, pages }: Subject): Promise<ByPage> {
  if (pages.length === 0) return {};
  try {
    return { pages: (await readScripts(client, zone.id, pages)).pages };
  } catch (error) {
    return { error };
  }
}

function auditZone(
  { zone, declared, inventory, pages }: Subject,
  read: ZoneRead,
  byPage: ByPage,
  { now, since, threshold }: { now: number; since: AuditReport | undefined; threshold: number },
): AuditZone {
  const { settings, policies, listed } = read.values;
  const earlier = earlierPolicies(since, zone.id);
  const declaredById = new Map(declared.policies.map((one) => [one.policyId, one]));
  const audited = policies?.map((policy) =>
    auditPolicy(policy, {
      items: listed,
      declared: declaredById.get(policy.policyId),
      now,
      earlier: earlier.get(policy.policyId),
      threshold,
    }),
  );
  // By the name that the report shows: what the stack keeps secret is not in it.
  const shownPolicies = policies?.map((policy, index) => ({
    ...policy,
    description: audited?.[index]?.description ?? "",
  }));
  const scripts = listed
    ? auditScripts(listed.scripts, {
        ...{ policies: shownPolicies, inventory, threshold, today: today({ now: () => now }) },
        seenOn: byPage.pages && { asked: pages, pages: byPage.pages },
      })
    : null;
  const facts = {
    id: zone.id,
    name: zone.name,
    unread: unreadOf(read, byPage),
    settings: settings ? { enabled: settings.enabled, updatedAt: settings.updatedAt ?? null } : null,
    inventory: inventory
      ? { file: inventory.file, entries: inventory.entries.length, faults: [...inventory.faults] }
      : null,
    pages: distinct((scripts ?? []).flatMap(({ pages }) => pages)),
    scripts,
    hidden: listed?.isPartial ? partialItems : null,
    connections: listed
      ? {
          all: listed.connections.length,
          malicious: listed.connections.filter((item) => isMalicious(item) === true).length,
        }
      : null,
    policies: audited?.sort(byNameAndId) ?? null,
    waf: auditWaf(read),
  };
  return { ...facts, needs: needsOfZone(facts) };
}

const partNames: Readonly<Partial<Record<ZonePart, string>>> = {
  listed: "scripts and connections",
  entrypoint: "WAF rules",
  compatibility: "WAF migration check",
  wafStatus: "WAF status",
  wafConfiguration: "WAF configuration to migrate",
  uriOverrides: "URI overrides",
};

/** The interface of the migration may be gone, and may refuse to propose a configuration: both are answers. */
function unreadOf({ unread }: ZoneRead, { error: byPage }: ByPage): AuditZone["unread"] {
  const migration: readonly ZonePart[] = ["compatibility", "wafStatus", ...beginParts];
  return [
    ...unread
      .filter(({ part, why }) => !(migration.includes(part) && why === "gone"))
      .filter(({ part, why }) => !(part === "wafConfiguration" && why === "refused"))
      .map(({ part, error }) => ({ part: partNames[part] ?? part, reason: messageOf(error) })),
    ...(byPage === undefined ? [] : [{ part: "scripts by page", reason: messageOf(byPage) }]),
  ];
}

function byNameAndId(left: AuditPolicy, right: AuditPolicy): number {
  return compareTexts(left.description, right.description) || compareTexts(left.id, right.id);
}
