import { basename } from "node:path";
import { parseArgs } from "node:util";
import { forTerminal } from "../../reports/escape";
import { UsageError } from "../usage-error";

// From `pulumi gen-completion bash` of the pinned engine; a test compares.
const withValue =
  "color config,c config-file cwd,C exclude,x import-file memprofilerate message,m otel-traces override-env parallel,p policy-pack policy-pack-config profiling replace save-plan secrets-provider stack,s target,t target-replace tracing verbose,v";
const switches =
  "attach-debugger config-path continue-on-error debug,d diff disable-integrity-checking emoji,e exclude-dependents expect-no-changes fully-qualify-stack-names,Q ignore-protect json,j logflow logtostderr neo non-interactive refresh,r run-program show-config show-full-output show-policy-remediations show-reads show-replacement-steps show-sames show-secrets skip-config-validation skip-plugin-pre-install skip-preview,f strict suppress-outputs suppress-permalink suppress-progress target-dependents urns yes,y";
const ofUpAlone = new Set(["continue-on-error", "secrets-provider", "skip-preview", "strict", "yes"]);

/**
 * By their long names. One that takes a value takes it also as the next argument, a switch only after `=`. `preview` refuses
 * those that are of `up` alone.
 */
export const knownFlags = new Map(
  [withValue, switches].flatMap((flags) =>
    flags.split(" ").map((flag) => {
      const [name = "", short] = flag.split(",");
      const takesValue = flags === withValue;
      return [name, { short, takesValue, isOfUpAlone: ofUpAlone.has(name) }] as const;
    }),
  ),
);

/** Command lines of a review. */
export interface PulumiPreview {
  readonly preview: readonly string[];
  /** Names of the given flags. */
  readonly given: ReadonlySet<string>;
  readonly stack: string | undefined;
  /** Prints the selected stack. */
  readonly selected: readonly string[];
  /** Prints the config of the stack. */
  readonly config: readonly string[];
}

/** Command lines of an apply. */
export interface PulumiUp extends PulumiPreview {
  readonly up: readonly string[];
}

interface Flag {
  readonly name: string;
  readonly args: readonly string[];
  readonly value?: string;
}

/** Make a preview print its events. */
const ofPreview = ["json", "non-interactive"];
/** Make an update run without a question. */
const ofUp = ["yes", "skip-preview", "non-interactive"];
/** Do not apply to a preview that a program reads. */
const notOfPreview = ["diff", "expect-no-changes"];
const ofStack = ["stack", "cwd", "config-file"];

const usageOfApply = "Give the update to run at the end: page-guard apply --approved FILE -- pulumi up …";
const usageOfReview = "A review runs only `pulumi preview`: page-guard review -- pulumi preview …";

/** For the environment of a preview: nothing may confirm an update. */
export const unconfirmed = {
  PULUMI_SKIP_CONFIRMATIONS: undefined,
  PULUMI_OPTION_YES: undefined,
  PULUMI_OPTION_SKIP_PREVIEW: undefined,
} as const satisfies NodeJS.ProcessEnv;

/** What to run for `-- pulumi up …`. @throws UsageError for another command, or one with a plan. */
export function pulumiUp(given: readonly string[]): PulumiUp {
  if (given.some((arg) => /^--plan(=|$)/.test(arg))) {
    throw new UsageError("Leave out --plan: the approved file contains the plan.");
  }
  const { executable, flags } = commandLine(given, ["up", "update"], usageOfApply);
  if (flags.some(({ name }) => name === "remote")) {
    throw new UsageError("Leave out --remote: only an update that runs here can be held to the approval.");
  }
  const previewed = flags.filter(
    ({ name }) => !knownFlags.get(name)?.isOfUpAlone && !notOfPreview.includes(name),
  );
  return {
    up: [executable, "up", ...withOwn(flags, ofUp)],
    preview: [executable, "preview", ...withOwn(previewed, ofPreview)],
    ...questions(executable, flags),
  };
}

/** What to run for `review -- pulumi preview …`, or without a command. @throws UsageError for another command. */
export function pulumiPreview(given: readonly string[]): PulumiPreview {
  const usual = given.length === 0 ? ["pulumi", "preview"] : given;
  const { executable, flags } = commandLine(usual, ["preview", "pre"], usageOfReview);
  return {
    preview: [executable, "preview", ...withOwn(flags, ofPreview)],
    ...questions(executable, flags),
  };
}

function questions(executable: string, flags: readonly Flag[]): Omit<PulumiPreview, "preview"> {
  const kept = flags.filter(({ name }) => ofStack.includes(name)).flatMap(({ args }) => args);
  return {
    given: new Set(flags.map(({ name }) => name)),
    stack: flags.findLast(({ name }) => name === "stack")?.value,
    selected: [executable, "stack", ...kept, "--show-name", "--non-interactive"],
    config: [executable, "config", ...kept, "--json", "--show-secrets", "--non-interactive"],
  };
}

/** The flags with our own in place of given ones of the same names. */
function withOwn(flags: readonly Flag[], own: readonly string[]): string[] {
  return [
    ...flags.filter(({ name }) => !own.includes(name)).flatMap(({ args }) => args),
    ...own.map((name) => `--${name}`),
  ];
}

/**
 * Parses a command line with the subcommand anywhere. An unknown flag needs its value after a `=`: otherwise the next
 * argument could be its value or the subcommand.
 */
function commandLine(
  [executable = "", ...args]: readonly string[],
  subcommands: readonly string[],
  usage: string,
) {
  if (!/^pulumi(\.exe)?$/.test(basename(executable))) throw new UsageError(usage);
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const flags = tokens.flatMap((token) => (token.kind === "option" ? flagOf(token, args) : []));
  const [subcommand = "", extra] = tokens.flatMap((token) =>
    token.kind === "option" ? [] : token.kind === "positional" ? token.value : "--",
  );
  if (!subcommands.includes(subcommand)) throw new UsageError(usage);
  if (extra !== undefined) {
    throw new UsageError(`Leave out ${forTerminal(extra)}: pulumi ${subcommand} takes only flags here.`);
  }
  return { executable, flags };
}

const options = Object.fromEntries(
  [...knownFlags].map(([name, { short, takesValue }]) => [
    name,
    { type: takesValue ? ("string" as const) : ("boolean" as const), ...(short && { short }) },
  ]),
);

interface OptionToken {
  readonly index: number;
  readonly name: string;
  /** `--stack`, `-s`. */
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function flagOf({ index, name, rawName, value, inlineValue }: OptionToken, args: readonly string[]): Flag {
  const known = knownFlags.get(name);
  const isLong = rawName.startsWith("--");
  const given = forTerminal(args[index] ?? "");
  if (!known && !(isLong && name !== "" && inlineValue)) {
    throw new UsageError(
      `page-guard does not know the pulumi flag ${given}, so it cannot tell whether a value follows. Write --flag=value, or --flag=true for a switch.`,
    );
  }
  if (value === undefined) {
    if (known?.takesValue) throw new UsageError(`${given} requires a value.`);
    return { name, args: [rawName] };
  }
  const whole = inlineValue ? [`${rawName}${isLong ? "=" : ""}${value}`] : [rawName, value];
  return { name, args: whole, value: isLong ? value : value.replace(/^=/, "") };
}
