import { programOf } from "../../../command/src/run";
import { sessionOf } from "./console";

/** Names of all commands of `page-guard`. */
export function commandNames(): string[] {
  return commands().map((command) => command.name());
}

/** Names of the commands below one. */
export function subcommandNames(name: string): string[] {
  const found = commands().find((command) => command.name() === name);
  return (found?.commands ?? []).map((command) => command.name());
}

function commands(): ReturnType<typeof programOf>["commands"] {
  return programOf(sessionOf({}), async () => undefined).commands;
}
