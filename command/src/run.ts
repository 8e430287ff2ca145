import { Command, CommanderError } from "commander";
import { CspError } from "page-guard-csp";
import { PageGuardError } from "pulumi-page-guard/tools";
import { forTerminal } from "./documents/escape";
import { packageVersion } from "./package-version";
import { CommandError } from "./shared/command-error";
import { type Conclude, type ExitCode, exitCode, type Session } from "./shared/session";

type CommandMaker = (session: Session, conclude: Conclude, runCommand: typeof run) => Command;

/** The commands, as `--help` groups them. A run loads only its own command: loading all of them takes more than twice as long. */
const groups: Readonly<Record<string, Readonly<Record<string, () => CommandMaker>>>> = {
  Adopt: {
    export: () => (require("./export/command") as typeof import("./export/command")).exportCommand,
    doctor: () => (require("./doctor/command") as typeof import("./doctor/command")).doctorCommand,
  },
  "Write policies": {
    suggest: () => (require("./suggest/command") as typeof import("./suggest/command")).suggestCommand,
    explain: () => (require("./explain/command") as typeof import("./explain/command")).explainCommand,
    lint: () => (require("./lint/command") as typeof import("./lint/command")).lintCommand,
  },
  "Pull request": {
    review: () => (require("./review/command") as typeof import("./review/command")).reviewCommand,
    comment: () => (require("./comment/command") as typeof import("./comment/command")).commentCommand,
    apply: () => (require("./apply/command") as typeof import("./apply/command")).applyCommand,
    fleet: () => (require("./fleet/command") as typeof import("./fleet/command")).fleetCommand,
  },
  "Every night": {
    drift: () => (require("./drift/command") as typeof import("./drift/command")).driftCommand,
    issue: () => (require("./issue/command") as typeof import("./issue/command")).issueCommand,
  },
  Audit: {
    inventory: () =>
      (require("./inventory/command") as typeof import("./inventory/command")).inventoryCommand,
    report: () => (require("./report/command") as typeof import("./report/command")).reportCommand,
  },
};

/** Runs a command line. `argv` begins with the name of the command. Never rejects: failures are written to the session. */
export async function run(argv: readonly string[], session: Session): Promise<ExitCode> {
  let ended: ExitCode = exitCode.fine;
  const conclude: Conclude = async (work) => {
    ended = await work;
  };
  const program = makeProgram(session, conclude, argv[0]);
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    // Commander throws for --help and --version, too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.fine : exitCode.failed;
    const reason = failureText(error);
    session.err(`${reason}\n`);
    session.tell?.({ reason });
    return exitCode.failed;
  }
  return ended;
}

/** Returns the program with the command `asked`, or with all commands if there is no such command. */
export function makeProgram(session: Session, conclude: Conclude, asked?: string): Command {
  const program = new Command("page-guard")
    .description("Tools for the Pulumi resources of pulumi-page-guard")
    .version(packageVersion(), "-v, --version", "print the version")
    .addHelpText("after", "\nExit codes: 0 fine; 1 failed; 2 found something.");
  const all = Object.entries(groups).flatMap(([group, makers]) =>
    Object.entries(makers).map(([name, load]) => ({ group, name, load })),
  );
  const one = all.filter(({ name }) => name === asked);
  for (const { group, load } of one.length > 0 ? one : all)
    program.addCommand(load()(session, conclude, run).helpGroup(`${group}:`));
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command
      .exitOverride()
      .helpOption("-h, --help", "show this help")
      .showHelpAfterError(`(${wholeName(command)} --help shows the options)`)
      .configureOutput({
        writeOut: (text) => session.out(text),
        writeErr: (text) => session.err(text),
        outputError: (text, write) => write(`${forTerminal(text, 2000)} [PG_USAGE]\n`),
        // The width at which pages in docs/ show the help texts.
        getOutHelpWidth: () => 100,
        getErrHelpWidth: () => 100,
      });
  }
  return program.helpCommand(false);
}

/** Returns the names of a command and its parents: `page-guard inventory check`. */
function wholeName(command: Command): string {
  return command.parent ? `${wholeName(command.parent)} ${command.name()}` : command.name();
}

/** Returns the message of an expected failure, or the stack trace of any other failure. */
function failureText(error: unknown): string {
  if (error instanceof CommandError) return `${error.message} [${error.code}]`;
  if (error instanceof PageGuardError || error instanceof CspError)
    return `${forTerminal(error.message, 2000)} [${error.code}]`;
  if (error instanceof RangeError && error.message.startsWith("Maximum call stack"))
    return "Failed to read the input: it is nested too deeply. [PG_COMMAND]";
  // Yarn does not install peer dependencies.
  if (error instanceof Error && /^Cannot find module '@pulumi\/pulumi/.test(error.message))
    return "Failed to load @pulumi/pulumi: it is not installed. Add it to this project: npm install @pulumi/pulumi. [PG_COMMAND]";
  // The operating system refused an operation: a port is in use, or a file is where a folder should be.
  if (error instanceof Error && "syscall" in error) return `${forTerminal(error.message, 2000)} [PG_COMMAND]`;
  return error instanceof Error ? (error.stack ?? error.message) : forTerminal(String(error));
}

export { processSession } from "./shared/session";
