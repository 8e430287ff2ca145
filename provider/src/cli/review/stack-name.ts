import { basename } from "node:path";
import { runPulumi } from "../approval/run-pulumi";
import type { Session } from "../session";

/** The stack that a preview is about where it ended too early to say so: by its flags, else the selected one. */
export async function stackNameOf(session: Session, given: readonly string[]): Promise<string | undefined> {
  const named = flagIn(given, "--stack", "-s");
  if (named !== undefined) return simple(named);
  const [executable = "pulumi"] = given;
  if (!/^pulumi(\.exe)?$/.test(basename(executable))) return undefined;
  const folder = flagIn(given, "--cwd", "-C");
  const where = folder === undefined ? [] : ["--cwd", folder];
  const { code, stdout } = await runPulumi(session, [
    ...[executable, "stack", "--show-name", ...where],
    "--non-interactive",
  ]);
  return code === 0 && stdout.trim() !== "" ? simple(stdout.trim()) : undefined;
}

/** `--stack x`, `--stack=x`, `-s x`, `-sx`. */
function flagIn(args: readonly string[], long: string, short: string): string | undefined {
  for (const [index, arg] of args.entries()) {
    if (arg === long || arg === short) return args[index + 1];
    if (arg.startsWith(`${long}=`)) return arg.slice(long.length + 1);
    if (arg.startsWith(short) && !arg.startsWith("--")) return arg.slice(short.length).replace(/^=/, "");
  }
  return undefined;
}

/** URNs have the name alone, without organisation and project. */
function simple(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
