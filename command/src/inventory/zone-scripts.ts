import { maliciousBelow } from "page-guard-csp";
import {
  allInFlight,
  ItemGoneError,
  type PageGuardClient,
  PageGuardError,
  partialItems,
  plural,
  readScripts,
  readZone,
  type Script,
} from "pulumi-page-guard/tools";
import { sayHowLong } from "../how-long";
import type { ConnectionFlags, ZoneFlags } from "../options";
import type { Progress } from "../progress";
import { Reader } from "../reader";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import { patternsOf } from "../suggest/selection";
import { someZones, type ZoneRef, zonesAtOnce } from "../zones";
import { isEnforced, type SeenScript, seenScripts } from "./seen-script";

export interface ScriptFlags extends ConnectionFlags, ZoneFlags {
  readonly page?: readonly string[];
  /** Integrity score below which a script counts as malicious. */
  readonly threshold?: number;
  readonly versions?: boolean;
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

/**
 * Reads the scripts and policies of zones: one request a page of a list, and one for the policies; with `versions` one more
 * for each script.
 */
export async function zoneScripts(
  session: Session,
  flags: ScriptFlags,
  progress: Progress,
): Promise<readonly (ZoneScripts | FailedZone)[]> {
  const zones = someZones(session, flags);
  const pages = patternsOf(flags.page);
  const client = new Reader({ session, flags, progress }).client();
  const { threshold = maliciousBelow } = flags;
  const readOne = async (zone: ZoneRef): Promise<ZoneScripts> => {
    const [read, { values, unread }] = await Promise.all([
      readScripts(client, zone.id, pages),
      readZone(client, zone.id, ["policies"]),
    ]);
    const { policies } = values;
    const items = flags.versions ? await versionsOf(zone, read.scripts) : read.scripts;
    return {
      zone,
      scripts: seenScripts(items, { policies, threshold, pages: read.pages }),
      enforces: policies?.some(isEnforced),
      lacks: [
        ...(read.isPartial ? [`Not all scripts were seen: ${partialItems}.`] : []),
        ...unread.map(
          ({ error }) =>
            `The policies were not compared: ${error instanceof Error ? forTerminal(error.message, 500) : "they could not be read"}`,
        ),
        ...(items.length === 0
          ? [
              "No script is on record. Check that monitoring is on and that the pages have been visited since.",
            ]
          : []),
      ],
    };
  };
  const versionsOf = ({ id, name }: ZoneRef, scripts: readonly Script[]) => {
    sayHowLong(session, `Reading the versions of ${scripts.length} scripts of ${name}`, scripts.length);
    return withVersions(client, id, scripts);
  };
  // Each zone has at least one page of each list.
  sayHowLong(
    session,
    `Reading ${plural(zones.length, "zone")}`,
    zones.length * (Math.max(1, pages.length) + 1),
  );
  return progress.during("Reading scripts", () =>
    allInFlight(zonesAtOnce, zones, async (zone) => {
      try {
        return await readOne(zone);
      } catch (error) {
        if (!(error instanceof PageGuardError)) throw error;
        return { zone, failure: `${forTerminal(error.message, 2000)} [${error.code}]` };
      }
    }),
  );
}

/** The client has no more requests under way. */
const atOnce = 16;

/** These scripts with their earlier versions and all their pages: one request each. An item may go while that is read. */
export async function withVersions(
  client: Pick<PageGuardClient, "getItem">,
  zoneId: string,
  scripts: readonly Script[],
): Promise<readonly Script[]> {
  return allInFlight(atOnce, scripts, async (script) => {
    try {
      const { pageUrls, versions } = await client.getItem("scripts", zoneId, script.id);
      return { ...script, ...(pageUrls && { pageUrls }), ...(versions && { versions }) };
    } catch (error) {
      if (error instanceof ItemGoneError) return script;
      throw error;
    }
  });
}
