import { allInFlight, PageGuardError, readZone, valuesOf } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import type { ConnectionFlags } from "../options";
import type { Progress } from "../progress";
import { selectedStackConnection } from "../pulumi/stack-connection";
import { Reader } from "../reader";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import { type ZoneRef, zonesAtOnce } from "../zones";
import { type Check, fine, skipped, stops, warning } from "./check";

/** A clock that is further off breaks certificates and waits. */
const tolerableMs = 120_000;

/** Base URL, token and clock, with one read for each zone. */
export async function serviceChecks(
  session: Session,
  flags: ConnectionFlags,
  zones: readonly ZoneRef[],
  progress: Progress,
): Promise<readonly Check[]> {
  const program = { config: await selectedStackConnection(session) };
  let [date, askedAt]: [string | undefined, number] = [undefined, session.now()];
  const onAnswer = (headers: Readonly<Record<string, string | undefined>>): void => {
    [date, askedAt] = [headers["date"] ?? date, session.now()];
  };
  const reader = new Reader({ session, flags, progress, onAnswer });
  const connection = await tried("connection", "", () => {
    const { baseUrl, tokenSource = "an argument", service } = reader.connection(program);
    return forTerminal(`${baseUrl} (${service}), token from ${tokenSource}`);
  });
  if (connection.status === "stops") return [connection];
  if (zones.length === 0) return [connection, skipped("token", "give a zone with --zone to test a read.")];
  const client = reader.client(program);
  const tokens = await allInFlight(zonesAtOnce, zones, ({ id, name }) =>
    tried("token", `${name}: `, async () => {
      valuesOf(await readZone(client, id, ["settings"]));
      return `it reads the settings of ${name}`;
    }),
  );
  return [connection, ...tokens, clockCheck(date, askedAt)];
}

/** Fine with what it returns; stops an `up` for a failure that explains itself. */
async function tried(name: string, where: string, work: () => string | Promise<string>): Promise<Check> {
  try {
    return fine(name, await work());
  } catch (error) {
    if (!(error instanceof PageGuardError || error instanceof CommandError)) throw error;
    return stops(name, where + forTerminal(error.message, 500));
  }
}

function clockCheck(date: string | undefined, now: number): Check {
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return skipped("clock", "the answer had no date.");
  const off = Math.abs(theirs - now);
  if (off <= tolerableMs) return fine("clock", "same as the service");
  return warning(
    "clock",
    `it is ${Math.round(off / 60_000)} min ${now > theirs ? "ahead of" : "behind"} the service. Set it by NTP: days in log and waits depend on it.`,
  );
}
