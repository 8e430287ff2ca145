import { basename } from "node:path";
import { UsageError } from "../usage-error";

/** A `pulumi up` as it was given, and the commands that are made of it. */
export interface PulumiUp {
  readonly up: readonly string[];
  readonly preview: readonly string[];
  /** Asks for the stack's config. */
  readonly config: readonly string[];
}

/** Flags of `up` that a preview does not know, or that are ours to give. */
const notOfPreview = new Set([
  "--yes",
  "-y",
  "--skip-preview",
  "-f",
  "--continue-on-error",
  "--strict",
  "--json",
  "-j",
  "--diff",
  "--expect-no-changes",
  "--non-interactive",
]);
/** The same with a value. */
const notOfPreviewWithValue = new Set(["--secrets-provider"]);
/** Say which stack of which folder. */
const ofStack = new Set(["--stack", "-s", "--cwd", "-C", "--config-file"]);

/**
 * What to run for `-- pulumi up …`.
 *
 * @throws CommandError for another command, or one that brings a plan of its own.
 */
export function pulumiUp(given: readonly string[]): PulumiUp {
  const at = given.findIndex((arg, index) => index > 0 && (arg === "up" || arg === "update"));
  const [executable = ""] = given;
  if (!/^pulumi(\.exe)?$/.test(basename(executable)) || at < 0) {
    throw new UsageError(
      "Give the update to run at the end: page-guard apply --approved FILE -- pulumi up …",
    );
  }
  const args = given.slice(1);
  if (args.some((arg) => arg === "--plan" || arg.startsWith("--plan="))) {
    throw new UsageError(
      "Leave out --plan: the approved file is the plan, and says what the zones held besides.",
    );
  }
  const own = ["--yes", "--skip-preview", "--non-interactive"];
  return {
    up: [...given, ...own.filter((flag) => !given.includes(flag))],
    preview: [executable, ...previewArgs(args), "--json", "--non-interactive"],
    config: configCommand(given),
  };
}

/** Asks for the config of the stack that a command is about. */
export function configCommand([executable = "pulumi", ...args]: readonly string[]): readonly string[] {
  return [executable, "config", ...picked(args, ofStack), "--json", "--show-secrets", "--non-interactive"];
}

function previewArgs(args: readonly string[]): string[] {
  const kept: string[] = [];
  let isDone = false;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    const [name = ""] = arg.split("=", 1);
    if (!isDone && (arg === "up" || arg === "update")) {
      isDone = true;
      kept.push("preview");
    } else if (notOfPreviewWithValue.has(name)) {
      if (!arg.includes("=")) index += 1;
    } else if (!notOfPreview.has(name)) kept.push(arg);
  }
  return kept;
}

/** Those flags with their values. */
function picked(args: readonly string[], names: ReadonlySet<string>): string[] {
  return args.flatMap((arg, index) => {
    const [name = ""] = arg.split("=", 1);
    if (!names.has(name)) return [];
    const next = args[index + 1];
    return arg.includes("=") || next === undefined ? [arg] : [arg, next];
  });
}
