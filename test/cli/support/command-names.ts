import { programOf } from "../../../provider/src/cli/run";

/** Names of all commands of `page-guard`. */
export function commandNames(): string[] {
  const silent = { out() {}, err() {}, readStdin: async () => "" };
  const session = { env: {}, cwd: ".", isWatched: false, hasColour: false, now: Date.now, ...silent };
  return programOf(session, async () => undefined).commands.map((command) => command.name());
}
