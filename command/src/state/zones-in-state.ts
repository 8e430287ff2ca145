import { CommandError } from "../shared/command-error";
import type { OutputFlags, ReadFlags, StateFlags } from "../shared/options";
import type { Progress } from "../shared/progress";
import { nameFile } from "../shared/read-text";
import { type ReadClient, Reader, type ReaderOptions } from "../shared/reader";
import type { Session } from "../shared/session";
import { distinct } from "../shared/values";
import { findZones, makeZoneNamer, readZoneFlags, type ZoneRef } from "../shared/zones";
import { type DeclaredZone, declaredZone } from "./declared-zone";
import { readState } from "./read-state";
import { recordedConnection, recordedResources } from "./recorded";

export interface InspectFlags extends ReadFlags, StateFlags {}

/** A zone with a client that uses the program's connection. */
export interface ReadableZone {
  readonly zone: ZoneRef;
  readonly declared: DeclaredZone;
  readonly client: ReadClient;
}

/**
 * Returns the zones of `--zone` and `--zones`, even if they are not in the state. Without these flags, returns the zones in the
 * state, in the order of `zones.yaml` if the working directory has one. Creates all clients before the first request, so that
 * nothing is sent if the connection to one of the zones is refused.
 */
export async function zonesInState(
  session: Session,
  flags: Omit<InspectFlags, keyof OutputFlags>,
  progress: Progress,
  { onAnswer, mayBeEmpty }: Pick<ReaderOptions, "onAnswer"> & { readonly mayBeEmpty?: boolean } = {},
): Promise<readonly ReadableZone[]> {
  const named = makeZoneNamer(session, flags);
  const given = readZoneFlags(session, flags);
  const state = await readState(session, flags);
  const recorded = recordedResources(state);
  const inState = new Set(recorded.map(({ zoneId }) => zoneId));
  const inOrder = distinct([...findZones(session, flags).map(({ id }) => id), ...inState]);
  const ids = given.length > 0 ? given.map(({ id }) => id) : inOrder.filter((id) => inState.has(id));
  if (ids.length === 0 && !mayBeEmpty) {
    session.tell?.({ isEmpty: true });
    throw new CommandError(
      "The state has no resources of pulumi-page-guard, so there is no zone to read. Name one with --zone ID.",
    );
  }
  const file = flags.state === undefined ? undefined : nameFile(flags.state);
  const reader = new Reader({ session, flags, progress, file, onAnswer });
  return ids.map((id) => ({
    zone: { id, name: named(id) },
    declared: declaredZone(id, recorded),
    client: reader.client(recordedConnection(id, recorded, state)),
  }));
}
