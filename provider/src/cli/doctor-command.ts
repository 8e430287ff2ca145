import { Command } from "commander";
import { forTerminal } from "../reports/escape";
import { fileChecks } from "./doctor/backend-files";
import { lockChecks } from "./doctor/backend-lock";
import type { Check } from "./doctor/check";
import { environmentChecks } from "./doctor/environment";
import { engineCheck, nodeCheck, sdkChecks } from "./doctor/installation";
import { serviceChecks } from "./doctor/service";
import {
  type ConnectionFlags,
  type OutputFlags,
  withConnection,
  withOutput,
  withZones,
  type ZoneFlags,
} from "./options";
import { checkOutput, print } from "./output";
import { painter } from "./paint";
import { Progress } from "./progress";
import { type Conclude, type ExitCode, exitCode, packageVersion, type Session } from "./session";
import { zonesOf } from "./zones";

type DoctorFlags = ConnectionFlags & ZoneFlags & OutputFlags;

const example = `
Example:
  page-guard doctor --zone 8f14e45fceea167a5a36dedd4bea2543

Run it in the folder of the program.

Exit codes: 0 nothing stops an up; 1 could not do it; 2 something would stop it.`;

/** `page-guard doctor`: what would stop an `up`, and what to do about it. Changes nothing. */
export function doctorCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("doctor").description(
    "Look at Node, SDK, engine, connection, token, clock, locks and variables, and say what to do",
  );
  return withOutput(withConnection(withZones(command)))
    .addHelpText("after", example)
    .action((flags: DoctorFlags) => conclude(doctor(session, flags)));
}

async function doctor(session: Session, flags: DoctorFlags): Promise<ExitCode> {
  checkOutput(flags);
  const zones = zonesOf(session, flags);
  const progress = new Progress(session);
  const checks = await progress.during("Looking", async () => [
    nodeCheck(process.versions.node),
    ...sdkChecks(session),
    await engineCheck(session),
    ...(await serviceChecks(session, flags, zones, progress)),
    ...lockChecks(session),
    ...fileChecks(session),
    ...environmentChecks(session.env),
  ]);
  const isStopped = checks.some(({ status }) => status === "stops");
  print(session, flags, {
    text: `${[...checks.map((check) => line(session, check)), "", isStopped ? "Something would stop an `up`." : "Nothing would stop an `up`."].join("\n")}\n`,
    json: { checks, isStopped },
    report: {
      title: "page-guard doctor",
      version: packageVersion(),
      examined: checks.map(({ name }) => name),
      findings: checks
        .filter(({ status }) => status === "stops" || status === "warning")
        .map(({ name, status, message }) => ({
          code: `doctor-${name.replace(/\W+/g, "-").toLowerCase()}`,
          severity: status === "stops" ? "error" : "warning",
          message,
          subject: name,
        })),
    },
  });
  return isStopped ? exitCode.found : exitCode.fine;
}

function line(session: Session, { name, status, message }: Check): string {
  const paint = painter(session);
  const mark = {
    fine: paint.green("fine   "),
    warning: paint.yellow("warning"),
    stops: paint.red("STOPS  "),
    skipped: paint.dim("skipped"),
  }[status];
  return `${mark}  ${name}: ${forTerminal(message, 600)}`;
}
