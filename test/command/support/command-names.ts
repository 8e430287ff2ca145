import { programOf } from "../../../command/src/run";

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
  const silent = { out() {}, err() {}, readStdin: async () => "" };
  const session = { env: {}, cwd: ".", isWatched: false, hasColour: false, now: Date.now, ...silent };
  return programOf(session, async () => undefined).commands;
}
