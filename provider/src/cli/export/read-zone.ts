import type { Connection, Entrypoint, Policy, Script, Settings } from "../../api/client-types";
import { itemsInUse } from "../../api/paging/items-in-use";
import { ApiError } from "../../errors/api-error";
import { forTerminal } from "../../reports/escape";
import type { ReadClient } from "../reader";
import type { ZoneRef } from "../zones";

/** Something of a zone that is in no program, and why. */
export interface LeftOut {
  readonly what: string;
  /** As in the lock; of the policies as a whole none. */
  readonly key?: string;
  readonly why: string;
}

/** What a zone has. A part that could not be read is absent, and in `leftOut`. */
export interface ZoneFound {
  readonly zone: ZoneRef;
  readonly settings?: Settings;
  readonly policies?: readonly Policy[];
  readonly entrypoint?: Entrypoint;
  /** Undefined: the service does not tell. */
  readonly isPreviousWafOn?: boolean;
  /** Read where a policy enforces: what it may block. */
  readonly scripts: readonly Script[];
  readonly connections: readonly Connection[];
  /** The service does not show all of them. */
  readonly isPartial?: boolean;
  readonly leftOut: readonly LeftOut[];
}

/** Reads all of a zone, all pages. A part that the token may not see is left out; any other failure is one. */
export async function readZone(client: ReadClient, zone: ZoneRef): Promise<ZoneFound> {
  const leftOut: LeftOut[] = [];
  const failures: unknown[] = [];
  const part = async <T>(
    what: string,
    key: string | undefined,
    read: () => Promise<T>,
  ): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!isForbidden(error)) throw error;
      failures.push(error);
      leftOut.push({ what, ...(key !== undefined && { key }), why: forTerminal(error.message, 500) });
      return undefined;
    }
  };
  const [settings, policies, entrypoint, status] = await Promise.all([
    part("the settings", "settings", () => client.getSettings(zone.id)),
    part("the policies", undefined, () => client.listPolicies(zone.id)),
    part("the WAF rules", "entrypoint", async () => (await client.getEntrypoint(zone.id)) ?? { rules: [] }),
    // The previous WAF's interface ends with it, in whatever words.
    client.getWafStatus(zone.id).catch((error: unknown) => {
      if (error instanceof ApiError && error.facts.httpStatus !== undefined) return undefined;
      throw error;
    }),
  ]);
  // Nothing at all: that is no zone with gaps, but a wrong id or a wrong token.
  if (failures.length === 3) throw failures[0];
  const isEnforcing = policies?.some(({ action, enabled }) => action === "allow" && enabled) ?? false;
  return {
    zone,
    ...(settings && { settings }),
    ...(policies && { policies }),
    ...(entrypoint && { entrypoint }),
    ...(status?.oldEnabled !== undefined && { isPreviousWafOn: status.oldEnabled }),
    ...(isEnforcing ? await itemsInUse(client, zone.id) : { scripts: [], connections: [] }),
    leftOut,
  };
}

function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && [403, 404].includes(error.facts.httpStatus ?? 0);
}
