import { Command, CommanderError } from "commander";
import { PageGuardError } from "../errors/page-guard-error";
import { forTerminal } from "../reports/escape";
import { applyCommand } from "./apply-command";
import { CommandError } from "./command-error";
import { commentCommand } from "./comment-command";
import { coverageCommand } from "./coverage-command";
import { doctorCommand } from "./doctor-command";
import { driftCommand } from "./drift-command";
import { explainCommand } from "./explain-command";
import { exportCommand } from "./export-command";
import { fleetCommand } from "./fleet-command";
import { inventoryCommand } from "./inventory-command";
import { issueCommand } from "./issue-command";
import { lintCommand } from "./lint-command";
import { moveStateCommand } from "./move-state-command";
import { reportCommand } from "./report-command";
import { reviewCommand } from "./review-command";
import { type Conclude, type ExitCode, exitCode, packageVersion, type Session } from "./session";
import { simulatorCommand } from "./simulator-command";
import { suggestCommand } from "./suggest-command";

const exitCodes = `
Exit codes: 0 fine; 1 failed; 2 found something.`;

/** Runs a command line (without node and script). Never rejects: failures are written to the session. */
export async function run(argv: readonly string[], session: Session): Promise<ExitCode> {
  let ended: ExitCode = exitCode.fine;
  const conclude: Conclude = async (work) => {
    ended = await work;
  };
  const program = programOf(session, conclude);
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    return failureOf(error, session);
  }
  return ended;
}

export function programOf(session: Session, conclude: Conclude): Command {
  const program = new Command("page-guard")
    .description("Tools for the Pulumi resources of pulumi-page-guard")
    .version(packageVersion(), "-v, --version", "print the version")
    .addHelpText("after", exitCodes);
  const commands = [
    exportCommand(session, conclude),
    coverageCommand(session, conclude),
    driftCommand(session, conclude),
    suggestCommand(session, conclude),
    explainCommand(session, conclude),
    lintCommand(session, conclude),
    doctorCommand(session, conclude),
    reviewCommand(session, conclude),
    commentCommand(session, conclude),
    issueCommand(session, conclude),
    applyCommand(session, conclude),
    inventoryCommand(session, conclude),
    reportCommand(session, conclude),
    fleetCommand(session, conclude, run),
    moveStateCommand(session, conclude),
    simulatorCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands, ...commands.flatMap((one) => one.commands)]) {
    command
      .exitOverride()
      .helpOption("-h, --help", "show this help")
      .showHelpAfterError(`(${wholeName(command)} --help shows the options)`)
      .configureOutput({
        writeOut: (text) => session.out(text),
        writeErr: (text) => session.err(text),
        outputError: (text, write) => write(`${text.trimEnd()} [PG_USAGE]\n`),
        // Fixed: the pages in docs/ show it.
        getOutHelpWidth: () => 100,
        getErrHelpWidth: () => 100,
      });
  }
  return program.helpCommand(false);
}

/** `page-guard inventory check` */
function wholeName(command: Command): string {
  return command.parent ? `${wholeName(command.parent)} ${command.name()}` : command.name();
}

function failureOf(error: unknown, session: Session): ExitCode {
  if (error instanceof CommanderError) {
    // Commander throws for --help and --version, too.
    return error.exitCode === 0 ? exitCode.fine : exitCode.failed;
  }
  session.err(`${messageOf(error)}\n`);
  return exitCode.failed;
}

/** Expected failures explain themselves; the others come with their stack. */
function messageOf(error: unknown): string {
  if (error instanceof CommandError) return `${error.message} [${error.code}]`;
  if (error instanceof PageGuardError) return `${forTerminal(error.message, 2000)} [${error.code}]`;
  if (error instanceof RangeError && error.message.startsWith("Maximum call stack"))
    return "Failed to read the input: it is nested too deeply. [PG_COMMAND]";
  // The system refused: a port in use, a file where a folder should be.
  if (error instanceof Error && "syscall" in error) return `${forTerminal(error.message, 2000)} [PG_COMMAND]`;
  return error instanceof Error ? (error.stack ?? error.message) : forTerminal(String(error));
}
