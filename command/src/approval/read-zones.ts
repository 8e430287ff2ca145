import { allInFlight } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import type { ConnectionFlags } from "../options";
import { type StackConfig, saysAll } from "../program-connection";
import { Progress } from "../progress";
import { stackConnection } from "../pulumi/stack-connection";
import { type ReadClient, Reader } from "../reader";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import { zonesAtOnce } from "../zones";
import type { PlannedZone } from "./plan";

export interface Approving {
  readonly session: Session;
  /** Arguments of the `pulumi config` that reads the stack's connection, if the environment lacks it. */
  readonly config: readonly string[];
  /** If the events come from a file: its name, and the flags that say how to reach the zones. */
  readonly file?: { readonly name: string; readonly flags: ConnectionFlags } | undefined;
  /** One that remembers its answers: a review, its approval and its undo see the same zones. */
  readonly reader?: Reader;
}

/** Reads several zones, each where it will be changed. If one of them is refused, nothing is sent. */
export async function readZones<Zone extends PlannedZone, T>(
  approving: Approving,
  zones: readonly Zone[],
  read: (client: ReadClient, zone: Zone) => Promise<T>,
): Promise<T[]> {
  const clientFor = await clientsOf(approving, zones);
  const readable = zones.map((zone) => ({ zone, client: clientFor(zone) }));
  return new Progress(approving.session).during("Reading zones", () =>
    allInFlight(zonesAtOnce, readable, ({ client, zone }) => read(client, zone)),
  );
}

/** How each zone is reached. @throws CommandError, when it is asked for one that cannot be. */
export async function clientsOf(
  { session, file, config: command, reader }: Approving,
  zones: readonly PlannedZone[],
): Promise<(zone: PlannedZone) => ReadClient> {
  const progress = new Progress(session);
  const one = reader ?? new Reader({ session, flags: file?.flags ?? {}, progress, file: file?.name });
  const needsConfig = zones.length > 0 && file === undefined && !saysAll(session.env);
  const config = needsConfig ? await stackConnection(session, command) : {};
  return (zone) => clientOf(one, zone, config);
}

function clientOf(
  reader: Reader,
  { zoneId, connections, isConnectionHidden }: PlannedZone,
  config: StackConfig,
): ReadClient {
  if (isConnectionHidden) {
    throw new CommandError(
      `Failed to read zone ${zoneId}: the connection of one of its resources is secret or not known yet, so the zone cannot be read where it will be changed. Write it in plain text: it holds no token.`,
    );
  }
  const urls = new Set(connections.map((argument) => reader.connection({ argument, config }).baseUrl));
  if (urls.size > 1) {
    throw new CommandError(
      `Failed to read zone ${zoneId}: its resources have different base URLs (${forTerminal([...urls].join(", "))}). Give all of them the same connection.`,
    );
  }
  return reader.client({ argument: connections[0], config });
}
