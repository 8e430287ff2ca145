import { maliciousBelow } from "page-guard-csp";
import {
  allInFlight,
  ItemGoneError,
  jsonOf,
  PageGuardError,
  partialItems,
  readScripts,
  readZone,
  type Script,
  type ScriptsRead,
  type ZoneRead,
  z,
} from "pulumi-page-guard/tools";
import { sayHowLong } from "../how-long";
import type { ConnectionFlags, ZoneFlags } from "../options";
import { writeText } from "../output";
import type { Progress } from "../progress";
import { type ReadClient, Reader } from "../reader";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import { patternsOf } from "../suggest/selection";
import { someZones, type ZoneRef, zonesAtOnce } from "../zones";
import { readInventory } from "./place";
import { isEnforced, type SeenScript, seenScripts } from "./seen-script";

export interface ScriptFlags extends ConnectionFlags, ZoneFlags {
  readonly page?: readonly string[];
  /** Integrity score below which a script counts as malicious. */
  readonly threshold?: number;
  readonly versions?: string;
}

/** What an inventory is compared with. */
export interface ZoneScripts {
  readonly zone: ZoneRef;
  readonly scripts: readonly SeenScript[];
  /** Whether it enforces a policy; undefined: not known. */
  readonly enforces: boolean | undefined;
  /** What could not be read, in sentences that are safe to show. */
  readonly lacks: readonly string[];
}

/** A zone of which nothing could be read. */
export interface FailedZone {
  readonly zone: ZoneRef;
  readonly failure: string;
}

/** What the lists of a zone say. */
interface ListedZone {
  readonly zone: ZoneRef;
  readonly read: ScriptsRead;
  readonly policies: ZoneRead;
}

/** Reads the scripts and policies of zones: one request a page of a list, and one for the policies. */
export async function zoneScripts(
  session: Session,
  flags: ScriptFlags,
  progress: Progress,
): Promise<readonly (ZoneScripts | FailedZone)[]> {
  const zones = someZones(session, flags);
  const pages = patternsOf(flags.page);
  const client = new Reader({ session, flags, progress }).client();
  const { versions: folder } = flags;
  return progress.during("Reading scripts", async () => {
    if (folder !== undefined) {
      const listed = await allInFlight(zonesAtOnce, zones, (zone) =>
        unlessFailed(zone, () => listOne(client, zone, pages)),
      );
      return withAllVersions(session, client, flags, { listed, folder, sent: progress.requests });
    }
    // Each zone has at least one page of each list.
    sayHowLong(session, `Reading ${zones.length} zones`, zones.length * (Math.max(1, pages.length) + 1));
    return allInFlight(zonesAtOnce, zones, (zone) =>
      unlessFailed(zone, async () => seenZone(await listOne(client, zone, pages), flags)),
    );
  });
}

/** Plans the single reads of all zones before the first one, to say once how long they take. */
async function withAllVersions(
  session: Session,
  client: ReadClient,
  flags: ScriptFlags,
  { listed, folder, sent }: { listed: readonly (ListedZone | FailedZone)[]; folder: string; sent: number },
): Promise<readonly (ZoneScripts | FailedZone)[]> {
  const planned = listed.map((one) =>
    "failure" in one ? one : { ...one, plan: planVersions(session, one.zone, one.read.scripts, folder) },
  );
  const reads = planned.flatMap((one) => ("failure" in one ? [] : one.plan.missing)).length;
  if (reads > 0) sayHowLong(session, `Reading the versions of ${reads} scripts`, sent + reads);
  return allInFlight(zonesAtOnce, planned, async (one) => {
    if ("failure" in one) return one;
    const { zone, read, plan } = one;
    return unlessFailed(zone, async () => {
      const scripts = await withVersions(session, client, zone, read.scripts, folder, plan);
      return seenZone({ ...one, read: { ...read, scripts } }, flags);
    });
  });
}

async function unlessFailed<Result>(
  zone: ZoneRef,
  work: () => Promise<Result>,
): Promise<Result | FailedZone> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PageGuardError)) throw error;
    return { zone, failure: `${forTerminal(error.message, 2000)} [${error.code}]` };
  }
}

async function listOne(client: ReadClient, zone: ZoneRef, pages: readonly string[]): Promise<ListedZone> {
  const [read, policies] = await Promise.all([
    readScripts(client, zone.id, pages),
    readZone(client, zone.id, ["policies"]),
  ]);
  return { zone, read, policies };
}

function seenZone(
  { zone, read, policies: { values, unread } }: ListedZone,
  { threshold = maliciousBelow }: ScriptFlags,
): ZoneScripts {
  const { policies } = values;
  const scripts = seenScripts(read.scripts, { policies, threshold, pages: read.pages });
  return {
    zone,
    scripts,
    enforces: policies?.some(isEnforced),
    lacks: [
      ...(read.isPartial ? [`Not all scripts were seen: ${partialItems}.`] : []),
      ...unread.map(
        ({ error }) =>
          `The policies were not compared: ${error instanceof Error ? forTerminal(error.message, 500) : "they could not be read"}`,
      ),
      ...(scripts.length === 0
        ? ["No script is on record. Check that monitoring is on and that the pages have been visited since."]
        : []),
    ],
  };
}

/** The client has no more requests under way. */
const atOnce = 16;
/** What is kept where a run is cut off. */
const savedEvery = 500;

/** A field that is not there is absent, as in an item of the service. */
const versionSchema = z.object({ hash: z.string().exactOptional(), fetchedAt: z.string().exactOptional() });
const keptSchema = z.record(
  z.string(),
  z.object({
    /** What the list said when it was read: the same again means that there is no new version. */
    of: z.string(),
    pageUrls: z.array(z.string()).exactOptional(),
    versions: z.array(versionSchema).exactOptional(),
  }),
);
type Kept = z.infer<typeof keptSchema>;

/** What is known of a zone's scripts from earlier runs, and what is missing: one request each. */
function planVersions(session: Session, zone: ZoneRef, scripts: readonly Script[], folder: string) {
  const before = keptIn(session, folder, zone);
  const kept: Kept = Object.create(null);
  for (const { id } of scripts) if (before[id]) kept[id] = before[id];
  return { kept, missing: scripts.filter((script) => kept[script.id]?.of !== versionOf(script)) };
}

/** The scripts with their earlier versions and all their pages: one request for each that has changed since the last run. */
async function withVersions(
  session: Session,
  client: Pick<ReadClient, "getItem">,
  zone: ZoneRef,
  scripts: readonly Script[],
  folder: string,
  { kept, missing }: ReturnType<typeof planVersions>,
): Promise<readonly Script[]> {
  let read = 0;
  const save = () => writeText(session, fileOfZone(folder, zone), `${JSON.stringify(kept)}\n`);
  try {
    await allInFlight(atOnce, missing, async (script) => {
      const one = await itemOf(client, zone, script);
      kept[script.id] = {
        of: versionOf(script),
        ...(one?.pageUrls && { pageUrls: [...one.pageUrls] }),
        ...(one?.versions && {
          versions: one.versions.map(({ hash, fetchedAt }) => ({
            ...(hash && { hash }),
            ...(fetchedAt && { fetchedAt }),
          })),
        }),
      };
      read += 1;
      if (read % savedEvery === 0) save();
    });
  } finally {
    if (read > 0) save();
  }
  return scripts.map((script) => {
    const { of: _, ...known } = kept[script.id] ?? {};
    return { ...script, ...known };
  });
}

/** An item may go while the list is read. */
async function itemOf(
  client: Pick<ReadClient, "getItem">,
  zone: ZoneRef,
  { id }: Script,
): Promise<Script | undefined> {
  try {
    return await client.getItem("scripts", zone.id, id);
  } catch (error) {
    if (error instanceof ItemGoneError) return undefined;
    throw error;
  }
}

function versionOf({ hash, fetchedAt }: Script): string {
  return `${hash ?? ""} ${fetchedAt ?? ""}`;
}

/** What can't be read is read from the service again. */
function keptIn(session: Session, folder: string, zone: ZoneRef): Kept {
  const text = readInventory(session, fileOfZone(folder, zone));
  const read = keptSchema.safeParse(text === undefined ? {} : jsonOf(text));
  return Object.assign(Object.create(null), read.data);
}

/** Of several zones each has its own. */
function fileOfZone(folder: string, { id }: ZoneRef): string {
  return `${folder}/${id}.json`;
}
