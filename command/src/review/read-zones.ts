import {
  allInFlight,
  type ConnectionArgs,
  grouped,
  isKindName,
  kinds,
  readZone,
  type ZonePart,
} from "pulumi-page-guard/tools";
import { type PreviewStep, secretValue, unknownValue, zonesOf } from "../preview/preview-read";
import { stackConnection } from "../pulumi/stack-connection";
import { CommandError } from "../shared/command-error";
import { argumentOf, saysAll } from "../shared/program-connection";
import type { Progress } from "../shared/progress";
import type { Reader } from "../shared/reader";
import type { Session } from "../shared/session";
import { compareTexts } from "../shared/values";
import { namesOf, zonesAtOnce } from "../shared/zones";

export interface Reading {
  readonly session: Session;
  readonly progress: Progress;
  readonly reader: Reader;
  /**
   * Command line that reads the stack's connection with `pulumi config`, if the environment lacks it; undefined if the events
   * come from a file.
   */
  readonly config?: readonly string[] | undefined;
}

/** A zone that has resources of the stack. */
export interface PlannedZone {
  readonly zoneId: string;
  /** Parts of the zone that its resources change. */
  readonly needed: readonly ZonePart[];
  /** Whether a resource of the zone has a secret input: then only digests of policies and rules are kept. */
  readonly isClosed: boolean;
  readonly connections: readonly ConnectionArgs[];
  /** Whether a resource of the zone has a connection that is secret or unknown. */
  readonly isConnectionHidden: boolean;
}

export function plannedZones(steps: readonly PreviewStep[]): PlannedZone[] {
  const inZones = steps.flatMap((step) => zonesOf(step).map((zoneId) => ({ zoneId, step })));
  const planned = [...grouped(inZones, ({ zoneId }) => zoneId)].map(([zoneId, group]): PlannedZone => {
    const inside = group.map(({ step }) => step);
    // A deletion uses the connection in the state.
    const connections = inside.map(({ after, connections: { was, becomes } }) => (after ? becomes : was));
    return {
      zoneId,
      needed: inside.flatMap(({ kind }) => partsOf(kind)),
      isClosed: inside.some(({ before, after }) => holds([before, after], [secretValue])),
      connections: connections.map(argumentOf),
      isConnectionHidden: holds(connections, [secretValue, unknownValue]),
    };
  });
  return planned.sort((left, right) => compareTexts(left.zoneId, right.zoneId));
}

/** Returns the parts of a zone that resources of this kind change. */
export function partsOf(kind: string): readonly ZonePart[] {
  return isKindName(kind) ? kinds[kind]().parts : [];
}

function holds(value: unknown, marks: readonly unknown[]): boolean {
  if (typeof value !== "object" || value === null) return marks.includes(value);
  return Object.values(value).some((one) => holds(one, marks));
}

/** A zone that was read, or the reason why it was not. */
export type ReadZone<Zone> = { readonly zone: Zone } & (
  | { readonly read: Awaited<ReturnType<typeof readZone>> }
  | { readonly read?: undefined; readonly error: unknown }
);

/** Reads the `parts` of each zone. For a zone that cannot be read, the result contains the reason. */
export async function readZones<Zone extends PlannedZone>(
  { session, progress, reader, config: command }: Reading,
  zones: readonly Zone[],
  parts: (zone: Zone) => readonly ZonePart[],
): Promise<ReadZone<Zone>[]> {
  const needsConfig = zones.length > 0 && command !== undefined && !saysAll(session.env);
  const config = needsConfig ? await stackConnection(session, command) : {};
  const nameOf = namesOf(session);
  return progress.during("Reading zones", () =>
    allInFlight(zonesAtOnce, zones, async (zone): Promise<ReadZone<Zone>> => {
      const { zoneId, connections, isConnectionHidden } = zone;
      try {
        const urls = new Set(connections.map((argument) => reader.connection({ argument, config }).baseUrl));
        if (isConnectionHidden || urls.size > 1)
          throw new CommandError(
            `Failed to read zone ${nameOf(zoneId)}: the connection of one of its resources is secret or not known yet, or has another base URL than the others. Give all resources of the zone the same connection, in plain text: a connection contains no token.`,
          );
        const client = reader.client({ argument: connections[0], config });
        return { zone, read: await readZone(client, zoneId, parts(zone)) };
      } catch (error) {
        return { zone, error };
      }
    }),
  );
}
