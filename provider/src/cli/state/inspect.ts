import { allInFlight } from "../../lifecycle/in-flight";
import { readZone, valuesOf, type ZonePart, type ZoneValues } from "../../zone/read-zone";
import { CommandError } from "../command-error";
import { readLock } from "../export/lock";
import type { OutputFlags, ReadFlags, StateFlags } from "../options";
import type { Progress } from "../progress";
import { nameOfFile } from "../read-text";
import { type ReadClient, Reader } from "../reader";
import type { Session } from "../session";
import { namesOf, type ZoneRef, zonesAtOnce, zonesOf } from "../zones";
import { type DeclaredZone, declaredZone, declaredZones } from "./declared-zone";
import { readState } from "./read-state";
import { recordedConnection, recordedResources } from "./recorded";

export interface InspectFlags extends ReadFlags, StateFlags {}

export interface InspectedZone {
  readonly zone: ZoneRef;
  readonly declared: DeclaredZone;
  /** Without parts that were deleted. */
  readonly live: ZoneValues;
}

/** A zone with a client that reaches it as the program does. */
export interface ReadableZone extends Omit<InspectedZone, "live"> {
  readonly client: ReadClient;
}

/**
 * The zones of a state, or those of `--zone` and `--zones`, which need not be in the state. All clients are made before the
 * first request: if one is refused, nothing is sent.
 */
export async function zonesInState(
  session: Session,
  flags: Omit<InspectFlags, keyof OutputFlags>,
  progress: Progress,
  exported?: Parameters<typeof namesOf>[2],
): Promise<readonly ReadableZone[]> {
  const named = namesOf(session, flags, exported);
  const given = zonesOf(session, flags);
  const state = await readState(session, flags);
  const recorded = recordedResources(state);
  const inState = declaredZones(recorded);
  const zones =
    given.length === 0
      ? inState
      : given.map(({ id }) => inState.find(({ zoneId }) => zoneId === id) ?? declaredZone(id, []));
  if (zones.length === 0) {
    throw new CommandError(
      "The state has no resources of pulumi-page-guard, so there is no zone to read. Name one with --zone ID.",
    );
  }
  const file = flags.state === undefined ? undefined : nameOfFile(flags.state);
  const reader = new Reader({ session, flags, progress, file });
  return zones.map((declared) => ({
    zone: { id: declared.zoneId, name: named(declared.zoneId) },
    declared,
    client: reader.client(recordedConnection(declared.zoneId, recorded, state)),
  }));
}

/**
 * Reads the zones of a state.
 *
 * @throws the service's answer for a zone that it does not know, unless the zone `mayBeGone` and the state declares something
 * in it.
 */
export async function inspect(
  session: Session,
  flags: InspectFlags,
  progress: Progress,
  wanted: { readonly settings: boolean; readonly mayBeGone: boolean },
): Promise<readonly InspectedZone[]> {
  const readable = await zonesInState(session, flags, progress, readLock(session.cwd)?.zones);
  return progress.during("Reading zones", () =>
    allInFlight(zonesAtOnce, readable, async ({ zone, declared, client }) => {
      const parts: readonly ZonePart[] = [
        ...(declared.settings || wanted.settings ? (["settings"] as const) : []),
        ...(["policies", "entrypoint"] as const),
        ...(declared.migration ? (["wafStatus"] as const) : []),
      ];
      const read = await readZone(client, zone.id, parts);
      const live = valuesOf(read, ({ why }) => why === "gone");
      const isRead = live.policies !== undefined || live.entrypoint !== undefined;
      if (isRead || (wanted.mayBeGone && declared.resources.length > 0)) return { zone, declared, live };
      throw read.unread[0]?.error;
    }),
  );
}
