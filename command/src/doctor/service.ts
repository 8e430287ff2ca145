import { PageGuardError, readZone, valuesOf } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import type { ConnectionFlags } from "../options";
import type { Progress } from "../progress";
import { selectedStackConnection } from "../pulumi/stack-connection";
import { connectionFor, Reader } from "../reader";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import type { ZoneRef } from "../zones";
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
  let connection: Check;
  try {
    const { baseUrl, tokenSource, service } = connectionFor(flags, session.env, program);
    const from = tokenSource ?? "an argument";
    connection = fine("connection", forTerminal(`${baseUrl} (${service}), token from ${from}`));
  } catch (error) {
    return [stops("connection", knownReason(error))];
  }
  if (zones.length === 0) return [connection, skipped("token", "give a zone with --zone to test a read.")];
  let [date, askedAt]: [string | undefined, number] = [undefined, session.now()];
  const onAnswer = (headers: Readonly<Record<string, string | undefined>>): void => {
    [date, askedAt] = [headers["date"] ?? date, session.now()];
  };
  const client = new Reader({ session, flags, progress, onAnswer }).client(program);
  const tokens: Check[] = [];
  for (const { id, name } of zones) {
    try {
      valuesOf(await readZone(client, id, ["settings"]));
      tokens.push(fine("token", `it reads the settings of ${name}`));
    } catch (error) {
      tokens.push(stops("token", `${name}: ${knownReason(error)}`));
    }
  }
  return [connection, ...tokens, clockCheck(date, askedAt)];
}

function knownReason(error: unknown): string {
  if (error instanceof PageGuardError || error instanceof CommandError)
    return forTerminal(error.message, 500);
  throw error;
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
