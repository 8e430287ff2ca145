import { basename } from "node:path";
import { parseArgs } from "node:util";
import { UsageError } from "../shared/usage-error";

export type PulumiPreview = ReturnType<typeof listCommands>;
export type PulumiUp = ReturnType<typeof pulumiUp>;

/** Flags that select the stack. `pulumi` commands other than `preview` and `up` get only these flags. */
const ofStack = {
  stack: { type: "string", short: "s" },
  cwd: { type: "string", short: "C" },
  "config-file": { type: "string" },
} as const;

/** Other flags that take a value and have a short form. With this list, `parseArgs` does not mistake a value for the operation. */
const withValues = {
  target: { type: "string", short: "t" },
  config: { type: "string", short: "c" },
  message: { type: "string", short: "m" },
  parallel: { type: "string", short: "p" },
  verbose: { type: "string", short: "v" },
} as const;

/** Flags that the previews of `apply` do not get: flags that only `up` has, and flags that make sense only for a person. */
const notOfPreview = /^(-[yf]+|--(yes|skip-preview|continue-on-error|strict|diff|expect-no-changes)(=.*)?)$/;

const refused: readonly (readonly [RegExp, string])[] = [
  [/^--show-secrets/, "the approved file and the output must not contain secrets in plain text"],
  [/^--plan(=|$)/, "the approved file contains the plan"],
  [/^--event-log/, "the command reads the events itself"],
  [/^--remote/, "only a preview or an update that runs on this machine can be checked"],
  [/^--$/, "pulumi takes only flags here"],
];

/** Parses the command of `apply -- pulumi up …`. @throws UsageError for any other command and for forbidden flags. */
export function pulumiUp(given: readonly string[]) {
  const usage = "Give the update to run at the end: page-guard apply --approved FILE -- pulumi up …";
  const [executable, flags] = commandLine(given, /^(up|update)$/, usage);
  return {
    // Our flags come first, because a given flag that lacks its value would take the next flag as the value.
    up: [executable, "up", "--yes", "--skip-preview", "--non-interactive", ...flags],
    ...listCommands(
      executable,
      flags.filter((flag) => !notOfPreview.test(flag)),
    ),
  };
}

/** Parses the command of `review -- pulumi preview …`; the default is `pulumi preview`. @throws UsageError for other commands. */
export function pulumiPreview(given: readonly string[]): PulumiPreview {
  const usage = "A review runs only `pulumi preview`: page-guard review -- pulumi preview …";
  return listCommands(
    ...commandLine(given.length === 0 ? ["pulumi", "preview"] : given, /^pre(view)?$/, usage),
  );
}

/** Whether the flags, or the environment variables for these flags, select some of the resources of the stack. */
export function isSelective(flags: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const isSet = Object.keys(env).some((name) => env[name] && /^PULUMI_OPTION_(TARGET|EXCLUDE)/.test(name));
  const { tokens } = parseFlags(flags);
  return isSet || tokens.some((token) => token.kind === "option" && /^(target|exclude)/.test(token.name));
}

function listCommands(executable: string, flags: readonly string[]) {
  const { values } = parseFlags(flags);
  const stackFlags = Object.entries(values).flatMap(([name, value]) =>
    Object.hasOwn(ofStack, name) && typeof value === "string" ? [`--${name}`, value] : [],
  );
  return {
    preview: [executable, "preview", "--json", "--non-interactive", ...flags],
    /** Command for a preview that prints one JSON document at its end. */
    digest: [executable, "preview", "--json", "--show-sames", "--non-interactive", ...flags],
    /** The stack that the flags name; undefined if they name none. */
    stack: typeof values["stack"] === "string" ? values["stack"] : undefined,
    selected: [executable, "stack", ...stackFlags, "--show-name", "--non-interactive"],
    exported: [executable, "stack", "export", ...stackFlags, "--non-interactive"],
    config: [executable, "config", ...stackFlags, "--json", "--show-secrets", "--non-interactive"],
  };
}

/** Returns the executable and the flags. The operation is the first argument that is neither a flag nor the value of a flag. */
function commandLine([executable = "", ...args]: readonly string[], operation: RegExp, usage: string) {
  const at = parseFlags(args).tokens.find(({ kind }) => kind === "positional")?.index ?? -1;
  if (!/^pulumi(\.exe)?$/.test(basename(executable)) || !operation.test(args[at] ?? ""))
    throw new UsageError(usage);
  const flags = args.filter((_, index) => index !== at);
  for (const [flag, why] of refused) {
    const found = flags.find((one) => flag.test(one));
    if (found !== undefined) throw new UsageError(`Leave out ${found.replace(/=.*/s, "")}: ${why}.`);
  }
  return [executable, flags] as const;
}

function parseFlags(flags: readonly string[]) {
  return parseArgs({
    args: [...flags],
    options: { ...ofStack, ...withValues },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
}
