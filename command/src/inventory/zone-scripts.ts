import { hostsInDoubt, hostsOf, maliciousBelow, seenItems } from "page-guard-csp";
import {
  isEnforced,
  PageGuardError,
  type Policy,
  readMessage,
  readScripts,
  readSeenOn,
  readZone,
  runInFlight,
  type Script,
} from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import type { ConnectionFlags, ZoneFlags } from "../shared/options";
import type { Progress } from "../shared/progress";
import { type ReadClient, Reader } from "../shared/reader";
import type { Session } from "../shared/session";
import { someZones, type ZoneRef, zonesAtOnce } from "../shared/zones";
import { toPatterns } from "../suggest/selection";
import { readSeenScripts, type SeenScript } from "./seen-script";

export interface ScriptFlags extends ConnectionFlags, ZoneFlags {
  readonly page?: readonly string[];
  /** Integrity score below which a script counts as malicious. */
  readonly threshold?: number;
  readonly versions?: boolean;
}

/** Scripts of a zone, for the comparison with its inventory. */
export interface ZoneScripts {
  readonly zone: ZoneRef;
  readonly scripts: readonly SeenScript[];
  /** Policies of the zone; undefined if unknown. */
  readonly policies?: readonly Policy[] | undefined;
  /** Whether Page Guard is on; undefined if unknown. */
  readonly isWatched?: boolean | undefined;
  /** Sentences about parts that could not be read, safe to show. */
  readonly lacks: readonly string[];
  /** Set if the zone could not be read at all. */
  readonly isUnread?: true;
}

/** Reads the scripts and policies of zones and, with `wants`, their settings. docs/commands/inventory.md says how many requests this takes. */
export async function zoneScripts(
  session: Session,
  flags: ScriptFlags,
  progress: Progress,
  /** Selects the scripts whose versions `check` needs. If it is given, the settings of each zone are read, too. */
  wants?: (zone: ZoneRef) => (script: Script) => boolean,
): Promise<readonly ZoneScripts[]> {
  const zones = someZones(session, flags);
  const pages = toPatterns(flags.page);
  const client = new Reader({ session, flags, progress }).client();
  const { threshold = maliciousBelow } = flags;
  const readOne = async (zone: ZoneRef): Promise<ZoneScripts> => {
    const [read, { values, unread }] = await Promise.all([
      readScripts(client, zone.id, pages),
      readZone(client, zone.id, wants ? ["settings", "policies"] : ["policies"]),
    ]);
    const isWanted = flags.versions ? () => true : (wants?.(zone) ?? (() => false));
    const scripts = await withVersions(client, zone.id, read.scripts, isWanted);
    const { policies, settings } = values;
    const listed = { scripts, connections: [], hidden: read.hidden };
    const placed = await withHosts(client, zone.id, listed, policies);
    const none =
      "The service lists no script. Check that monitoring is on, and that people have visited the pages since it was switched on.";
    return {
      zone,
      scripts: readSeenScripts(scripts, {
        policies,
        threshold,
        pages: read.pages,
        onHosts: indexById(placed.scripts),
      }),
      policies,
      isWatched: settings?.enabled,
      lacks: [
        ...(placed.hidden ? [`Not all scripts were seen: ${forTerminal(placed.hidden, 1000)}.`] : []),
        ...unread.map(
          ({ part, error }) => `The ${part} were not compared: ${forTerminal(readMessage(error), 500)}`,
        ),
        ...(read.scripts.length === 0 ? [none] : []),
      ],
    };
  };
  return progress.during("Reading scripts", () =>
    runInFlight(zonesAtOnce, zones, async (zone) => {
      try {
        return await readOne(zone);
      } catch (error) {
        if (!(error instanceof PageGuardError)) throw error;
        const lacks = [`${forTerminal(error.message, 2000)} [${error.code}]`];
        return { zone, scripts: [], lacks, isUnread: true };
      }
    }),
  );
}

/** Adds pages to items: one page on each host that an enforced policy selects and on which the service has seen the item. */
export function withHosts(
  client: Pick<ReadClient, "listAll">,
  zoneId: string,
  items: Parameters<typeof readSeenOn>[2],
  policies: readonly Policy[] = [],
): ReturnType<typeof readSeenOn> {
  const seen = seenItems(items.scripts, items.connections);
  const lists = policies
    .filter(isEnforced)
    .flatMap(({ expression }) => hostsInDoubt(undefined, seen, hostsOf(expression)));
  return readSeenOn(client, zoneId, items, lists, "all");
}

export function indexById(scripts: readonly Script[]): ReadonlyMap<string, Script> {
  return new Map(scripts.map((script) => [script.id, script]));
}

/** Number of scripts that are read at the same time. More would not be faster: the client does not send more requests at once. */
const atOnce = 16;

/** Adds the earlier versions and all pages to each wanted script that still exists, with one request per script. */
export async function withVersions(
  client: Pick<ReadClient, "getItem">,
  zoneId: string,
  scripts: readonly Script[],
  isWanted: (script: Script) => boolean,
): Promise<readonly Script[]> {
  return runInFlight(atOnce, scripts, async (script) => {
    if (!isWanted(script)) return script;
    try {
      const { pageUrls, versions } = await client.getItem("scripts", zoneId, script.id);
      return { ...script, ...(pageUrls && { pageUrls }), ...(versions && { versions }) };
    } catch (error) {
      if (error instanceof PageGuardError && error.code === "PG_ITEM_GONE") return script;
      throw error;
    }
  });
}
