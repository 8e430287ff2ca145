import { Command, Option } from "commander";
import { forTerminal } from "../reports/escape";
import { jsonOf } from "../text/json-of";
import { listed } from "../text/listed";
import { CommandError } from "./command-error";
import { nameOfFile, ofStack, readText } from "./read-text";
import { type Conclude, type ExitCode, exitCode, packageVersion, type Session } from "./session";
import { type Manager, movedState } from "./state/moved-state";

const example = `
Example:
  pulumi stack export --file before.json
  page-guard move-state --to plugin before.json > after.json
  pulumi stack import --file after.json

Exit codes: 0 written; 1 failed.`;

/** `page-guard move-state`: a state for a program in another language. Makes no request and writes no file. */
export function moveStateCommand(session: Session, conclude: Conclude): Command {
  return new Command("move-state")
    .description("Rewrite what `pulumi stack export` gives for a program in another language, and back")
    .argument("<state>", "the file that it has written; - reads standard input")
    .addOption(
      new Option("--to <side>", "the provider plugin, or the dynamic resources of TypeScript")
        .choices(["plugin", "dynamic"])
        .makeOptionMandatory(),
    )
    .addHelpText("after", example)
    .action((file: string, { to }: { readonly to: Manager }) => conclude(moveState(session, file, to)));
}

async function moveState(session: Session, file: string, to: Manager): Promise<ExitCode> {
  const content = jsonOf(await readText(session, file, ofStack));
  if (content === undefined)
    throw new CommandError(`Failed to read the state of ${forTerminal(nameOfFile(file))}: it is not JSON.`);
  const { state, moved } = movedState(content, to, packageVersion());
  session.out(`${JSON.stringify(state, undefined, 4)}\n`);
  const names = listed(
    moved.map((name) => forTerminal(name)),
    { separator: ", " },
  );
  session.err(
    moved.length === 0
      ? "No resource was moved: none is managed by the other side.\n"
      : `Moved ${moved.length}: ${names}. Import this, change the program, and run \`pulumi preview\`: it has to be empty.\n`,
  );
  return exitCode.fine;
}
