import {
  findKind,
  PageGuardError,
  pluralize,
  readZone,
  requireValues,
  runInFlight,
  type ZonePart,
} from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { selectedStackConnection } from "../pulumi/stack-connection";
import { CommandError } from "../shared/command-error";
import type { ReadFlags, StateFlags } from "../shared/options";
import type { Progress } from "../shared/progress";
import { Reader } from "../shared/reader";
import type { Session } from "../shared/session";
import { distinct } from "../shared/values";
import { readZoneFlags, zonesAtOnce } from "../shared/zones";
import { type ReadableZone, zonesInState } from "../state/zones-in-state";
import { type Check, fine, skipped, stops, warning } from "./check";

/** Largest tolerated error of the clock, in milliseconds. A larger error breaks certificate checks and waiting times. */
const tolerableMs = 120_000;

/** Checks the connection, the token and the clock. Reads the settings of each zone or, with --stack, the declared objects. */
export async function serviceChecks(session: Session, flags: ReadFlags & StateFlags, progress: Progress) {
  let [date, askedAt]: [string | undefined, number] = [undefined, session.now()];
  const onAnswer = (headers: Readonly<Record<string, string | undefined>>): void => {
    [date, askedAt] = [headers["date"] ?? date, session.now()];
  };
  const { stack } = flags;
  let zones: readonly (Pick<ReadableZone, "zone" | "client"> & Partial<ReadableZone>)[] = [];
  const found = await runCheck(stack === undefined ? "connection" : "stack", "", async () => {
    if (stack !== undefined) {
      zones = await zonesInState(session, flags, progress, { onAnswer, mayBeEmpty: true });
      const inState = zones.filter((one) => listDeclaredParts(one).length > 0);
      return `${pluralize(inState.length, "zone")} in the state of ${forTerminal(stack)}`;
    }
    const reader = new Reader({ session, flags, progress, onAnswer });
    const program = { config: await selectedStackConnection(session) };
    const { baseUrl, tokenSource = "an argument", service } = reader.connection(program);
    zones = readZoneFlags(session, flags).map((zone) => ({ zone, client: reader.client(program) }));
    return forTerminal(`${baseUrl} (${service}), token from ${tokenSource}`);
  });
  if (found.status === "stops") return [found];
  if (zones.length === 0) return [found, skipped("token", "name a zone with --zone to test the token.")];
  const tokens = await runInFlight(zonesAtOnce, zones, (one) => {
    const {
      zone: { id, name },
      client,
    } = one;
    return runCheck("token", `${name}: `, async () => {
      // The stack may have nothing in a zone that a flag names.
      const declared = listDeclaredParts(one);
      const parts = distinct<ZonePart>(declared.length > 0 ? declared : ["settings"]);
      const read = await readZone(client, id, parts);
      // The API of a migration is gone once the migration has finished.
      requireValues(read, ({ why }) => why === "gone" && read.unread.length < parts.length);
      const what = declared.length > 0 ? "declared objects" : "settings";
      return `it can read the ${what} of ${name}`;
    });
  });
  return [found, ...tokens, clockCheck(date, askedAt)];
}

/** Returns the parts of a zone that the resources in the state can change. */
function listDeclaredParts({ declared }: Partial<ReadableZone>): readonly ZonePart[] {
  return declared?.resources.flatMap(({ kind }) => findKind(kind)?.parts ?? []) ?? [];
}

/** Runs a check. The result is `fine` with the message that `work` returns, or `stops` if `work` throws. */
async function runCheck(name: string, where: string, work: () => string | Promise<string>): Promise<Check> {
  try {
    return fine(name, await work());
  } catch (error) {
    if (!(error instanceof PageGuardError || error instanceof CommandError)) throw error;
    return stops(name, where + forTerminal(error.message, 500));
  }
}

function clockCheck(date: string | undefined, now: number): Check {
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return skipped("clock", "the response of the service has no date.");
  const off = Math.abs(theirs - now);
  if (off <= tolerableMs) return fine("clock", "same as the service");
  const direction = now > theirs ? "ahead of" : "behind";
  return warning(
    "clock",
    `it is ${Math.round(off / 60_000)} min ${direction} the service. Synchronize it with NTP, because waiting times and the number of days that a policy has logged depend on it.`,
  );
}
