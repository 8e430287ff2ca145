import { Command, Option } from "commander";
import { createColors } from "picocolors";
import { forTerminal } from "../documents/escape";
import { chooseForge, type ForgeFlags, onForge } from "../forge/forges";
import { type ReadFlags, withReading } from "../shared/options";
import { print } from "../shared/output";
import { Progress } from "../shared/progress";
import type { Conclude, ExitCode, Session } from "../shared/session";
import { approvalChecks } from "./approval";
import type { Check } from "./check";
import { machineChecks } from "./machine";
import { serviceChecks } from "./service";

interface DoctorFlags extends ReadFlags, ForgeFlags {
  readonly stack?: string;
  readonly environment?: string;
}

const example = `
Examples:
  page-guard doctor --zone 8f14e45fceea167a5a36dedd4bea2543
  page-guard doctor --stack production
  page-guard doctor --environment production

Run it in the program's folder. With --environment, it checks only whether that environment requires approval.

GitHub: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL. The job needs the permission actions: read.
GitLab: GITLAB_TOKEN (scope read_api, role Maintainer), CI_PROJECT_ID, CI_API_V4_URL.

Exit codes: 0 nothing would stop an up; 1 failed; 2 something would stop it, or no approval is required.`;

export function doctorCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("doctor").description(
    "Check Node, SDK, engine, connection, token, clock and variables, and say what to do",
  );
  return withReading(command)
    .option("--stack <name>", "test whether each zone of this stack can be read with its own connection")
    .addOption(
      new Option(
        "--environment <name>",
        "check on GitHub or GitLab whether jobs of this environment wait for approval",
      ).conflicts(["zone", "zones", "stack"]),
    )
    .addOption(onForge)
    .addHelpText("after", example)
    .action((flags: DoctorFlags) => conclude(doctor(session, flags)));
}

async function doctor(session: Session, flags: DoctorFlags): Promise<ExitCode> {
  const progress = new Progress(session);
  const { environment } = flags;
  const runChecks = async () =>
    environment === undefined
      ? [...(await machineChecks(session)), ...(await serviceChecks(session, flags, progress))]
      : approvalChecks(session, chooseForge(session, flags), environment);
  // Pulumi and the forge take most of the time, so a count of requests would not show the progress.
  const checks = await progress.during("Checking", runChecks, false);
  const isStopped = checks.some(({ status }) => status === "stops");
  const lines = checks.map((check) => `${line(session, check)}\n`);
  const aboutUp = isStopped ? "Something would stop an `up`." : "Nothing would stop an `up`.";
  const aboutJobs = isStopped
    ? "Jobs of this environment must not apply updates yet."
    : "Jobs of this environment may apply updates.";
  const end = environment === undefined ? aboutUp : aboutJobs;
  return print(session, flags, {
    text: `${lines.join("")}\n${end}\n`,
    json: { checks, isStopped },
    isFound: isStopped,
    title: "page-guard doctor",
    examined: checks.map(({ name }) => name),
    findings: checks
      .filter(({ status }) => status === "stops" || status === "warning")
      .map(({ name: subject, status, message }) => ({
        code: `doctor-${subject.replace(/\W+/g, "-").toLowerCase()}`,
        severity: status === "stops" ? "error" : "warning",
        message,
        subject,
      })),
  });
}

function line(session: Session, { name, status, message }: Check): string {
  const paint = createColors(session.hasColour);
  const mark = {
    fine: paint.green("fine   "),
    warning: paint.yellow("warning"),
    stops: paint.red("STOPS  "),
    skipped: paint.dim("skipped"),
  }[status];
  return `${mark}  ${name}: ${forTerminal(message, 600)}`;
}
