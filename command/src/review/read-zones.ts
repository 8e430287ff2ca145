import {
  findKind,
  groupBy,
  isChanging,
  readZone,
  runInFlight,
  type ZonePart,
  type ZoneValues,
} from "pulumi-page-guard/tools";
import { readReason } from "../documents/escape";
import {
  listZones,
  type PreviewRead,
  type PreviewStep,
  secretValue,
  unknownValue,
} from "../preview/preview-read";
import { stackConnection } from "../pulumi/stack-connection";
import { CommandError } from "../shared/command-error";
import { type ConnectionArgument, parseArgument, saysAll } from "../shared/program-connection";
import type { Progress } from "../shared/progress";
import type { Reader } from "../shared/reader";
import type { Session } from "../shared/session";
import { compareTexts } from "../shared/values";
import { makeZoneNamer, zonesAtOnce } from "../shared/zones";

export interface ReadingContext {
  readonly session: Session;
  readonly progress: Progress;
  readonly reader: Reader;
  /**
   * Command that reads the connection of the stack, if the environment does not set the whole connection. Undefined if the
   * events come from a file, because this command then does not run `pulumi`.
   */
  readonly configCommand?: readonly string[] | undefined;
}

/** A zone in which the stack has resources. */
export interface PlannedZone {
  readonly zoneId: string;
  /** Parts of the zone that these resources change. */
  readonly needed: readonly ZonePart[];
  /** Whether a resource in the zone has a secret input. If so, an approval contains only digests of policies and rules. */
  readonly hasSecretInputs: boolean;
  readonly connections: readonly ConnectionArgument[];
  /** Whether a resource in the zone has a connection that is secret or unknown. */
  readonly isConnectionHidden: boolean;
}

export function plannedZones(steps: readonly PreviewStep[]): PlannedZone[] {
  const inZones = steps.flatMap((step) => listZones(step).map((zoneId) => ({ zoneId, step })));
  const planned = [...groupBy(inZones, ({ zoneId }) => zoneId)].map(([zoneId, group]): PlannedZone => {
    const inside = group.map(({ step }) => step);
    // A deletion uses the connection in the state.
    const connections = inside.map(({ after, connections: { was, becomes } }) => (after ? becomes : was));
    return {
      zoneId,
      needed: inside.flatMap(({ kind }) => listParts(kind)),
      hasSecretInputs: inside.some(({ before, after }) => holds([before, after], [secretValue])),
      connections: connections.map(parseArgument),
      isConnectionHidden: holds(connections, [secretValue, unknownValue]),
    };
  });
  return planned.sort((left, right) => compareTexts(left.zoneId, right.zoneId));
}

/** Returns the parts of a zone that resources of this kind change. */
export function listParts(kind: string): readonly ZonePart[] {
  return findKind(kind)?.parts ?? [];
}

function holds(value: unknown, marks: readonly unknown[]): boolean {
  if (typeof value !== "object" || value === null) return marks.includes(value);
  return Object.values(value).some((one) => holds(one, marks));
}

/** A zone with its values, or with the error that prevented reading it. */
export type ReadZone<Zone> = { readonly zone: Zone } & (
  | { readonly read: Awaited<ReturnType<typeof readZone>> }
  | { readonly read?: undefined; readonly error: unknown }
);

/** Reads the `parts` of each zone. Does not throw if a zone cannot be read, but returns the error with the zone. */
export async function readZones<Zone extends PlannedZone>(
  { session, progress, reader, configCommand }: ReadingContext,
  zones: readonly Zone[],
  parts: (zone: Zone) => readonly ZonePart[],
): Promise<ReadZone<Zone>[]> {
  const needsConfig = zones.length > 0 && configCommand !== undefined && !saysAll(session.env);
  const config = needsConfig ? await stackConnection(session, configCommand) : {};
  const nameOf = makeZoneNamer(session);
  return progress.during("Reading zones", () =>
    runInFlight(zonesAtOnce, zones, async (zone): Promise<ReadZone<Zone>> => {
      const { zoneId, connections, isConnectionHidden } = zone;
      try {
        const urls = new Set(connections.map((argument) => reader.connection({ argument, config }).baseUrl));
        if (isConnectionHidden || urls.size > 1)
          throw new CommandError(
            `Failed to read zone ${nameOf(zoneId)}: the connection of one of its resources is secret or not known yet, or has a different base URL from the others. Give all resources in the zone the same connection, in plain text. A connection contains no token.`,
          );
        const client = reader.client({ argument: connections[0], config });
        return { zone, read: await readZone(client, zoneId, parts(zone)) };
      } catch (error) {
        return { zone, error };
      }
    }),
  );
}

/** Contents of the zones in a plan, as they are before the update. */
export interface ZonesRead {
  readonly values: ReadonlyMap<string, ZoneValues>;
  /** Zones and parts of zones that could not be read. The reason names the zone. */
  readonly unread: readonly { readonly zone: string; readonly reason: string }[];
}

export const usualParts = ["settings", "policies", "entrypoint"] as const satisfies readonly ZonePart[];

/** Reads the parts of each zone that the plan changes. */
export async function readChangedZones(reading: ReadingContext, { steps }: PreviewRead): Promise<ZonesRead> {
  const zones = plannedZones(steps.filter((step) => step.isOurs && isChanging(step)));
  const nameOf = makeZoneNamer(reading.session);
  const all = await readZones(reading, zones, ({ needed }) =>
    usualParts.filter((part) => needed.includes(part)),
  );
  return {
    values: new Map(all.flatMap(({ zone, read }) => (read ? [[zone.zoneId, read.values]] : []))),
    unread: all.flatMap((one) => {
      const { zoneId: zone } = one.zone;
      const because = (why: string) => ({ zone, reason: `${nameOf(zone)}: ${why}` });
      if (!one.read) return [because(readReason(one.error))];
      return one.read.unread.map(({ part, error }) => because(`${part}: ${readReason(error)}`));
    }),
  };
}
