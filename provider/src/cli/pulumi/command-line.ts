import { basename } from "node:path";
import { forTerminal } from "../../reports/escape";
import { UsageError } from "../usage-error";
import { knownFlags } from "./flags";

/** What a review runs. */
export interface PulumiPreview {
  readonly preview: readonly string[];
  /** Names of the flags that are given. */
  readonly given: ReadonlySet<string>;
  /** The stack that the flags name. */
  readonly stack: string | undefined;
  /** Asks which stack is selected. */
  readonly selected: readonly string[];
  /** Asks for the stack's config. */
  readonly config: readonly string[];
}

/** What an apply runs. */
export interface PulumiUp extends PulumiPreview {
  readonly up: readonly string[];
}

/** A command line, taken apart. */
interface CommandLine {
  readonly executable: string;
  readonly flags: readonly Flag[];
}

interface Flag {
  readonly name: string;
  /** As they were given. */
  readonly args: readonly string[];
  readonly value?: string;
}

/** What makes a preview print its events; whatever is given of these gives way. */
const ofPreview = ["json", "non-interactive"];
/** What makes an update run without a question. */
const ofUp = ["yes", "skip-preview", "non-interactive"];
/** Mean nothing to a preview that is read by a program. */
const notOfPreview = ["diff", "expect-no-changes"];
/** Say which stack of which folder. */
const ofStack = ["stack", "cwd", "config-file"];

const usageOfApply = "Give the update to run at the end: page-guard apply --approved FILE -- pulumi up …";
const usageOfReview =
  "A review runs `pulumi preview` and nothing else: page-guard review -- pulumi preview …";

/** The environment of a preview: nothing in it confirms an update. */
export const unconfirmed = {
  PULUMI_SKIP_CONFIRMATIONS: undefined,
  PULUMI_OPTION_YES: undefined,
  PULUMI_OPTION_SKIP_PREVIEW: undefined,
} as const satisfies NodeJS.ProcessEnv;

/**
 * What to run for `-- pulumi up …`.
 *
 * @throws UsageError for another command, or one that brings a plan of its own.
 */
export function pulumiUp(given: readonly string[]): PulumiUp {
  if (given.some((arg) => /^--plan(=|$)/.test(arg))) {
    throw new UsageError(
      "Leave out --plan: the approved file is the plan, and says what the zones held besides.",
    );
  }
  const { executable, flags } = commandLine(given, ["up", "update"], usageOfApply);
  if (flags.some(({ name }) => name === "remote")) {
    throw new UsageError(
      "Leave out --remote: only an update that runs here can be held to what was approved.",
    );
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

/**
 * What to run for `review -- pulumi preview …`, or without a command: nothing but a preview, whatever is given.
 *
 * @throws UsageError for another command.
 */
export function pulumiPreview(given: readonly string[]): PulumiPreview {
  const usual = given.length === 0 ? ["pulumi", "preview"] : given;
  const { executable, flags } = commandLine(usual, ["preview", "pre"], usageOfReview);
  return {
    preview: [executable, "preview", ...withOwn(flags, ofPreview)],
    ...questions(executable, flags),
  };
}

/** Questions about the stack, and the answer that needs none. */
function questions(executable: string, flags: readonly Flag[]): Omit<PulumiPreview, "preview"> {
  const kept = flags.filter(({ name }) => ofStack.includes(name)).flatMap(({ args }) => args);
  return {
    given: new Set(flags.map(({ name }) => name)),
    stack: flags.findLast(({ name }) => name === "stack")?.value,
    selected: [executable, "stack", ...kept, "--show-name", "--non-interactive"],
    config: [executable, "config", ...kept, "--json", "--show-secrets", "--non-interactive"],
  };
}

/** The flags, and behind them our own in place of what was given of these. */
function withOwn(flags: readonly Flag[], own: readonly string[]): string[] {
  return [
    ...flags.filter(({ name }) => !own.includes(name)).flatMap(({ args }) => args),
    ...own.map((name) => `--${name}`),
  ];
}

/**
 * Takes a command line apart, wherever in it the subcommand is. A flag that is not known has to carry its value behind a `=`: without
 * that nobody can say whether the next argument is its value or the command.
 */
function commandLine(
  [executable = "", ...args]: readonly string[],
  subcommands: readonly string[],
  usage: string,
): CommandLine {
  if (!/^pulumi(\.exe)?$/.test(basename(executable))) throw new UsageError(usage);
  const words: string[] = [];
  const flags: Flag[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (!/^-./.test(arg) || arg === "--") {
      words.push(arg);
      continue;
    }
    const found = arg.startsWith("--") ? [longFlag(arg)] : shortFlags(arg);
    const last = found.at(-1);
    if (last && !last.hasValue && knownFlags.get(last.name)?.takesValue) {
      at += 1;
      const value = args[at];
      if (value === undefined) throw new UsageError(`${forTerminal(arg)} takes a value, and none was given.`);
      flags.push(...found.slice(0, -1), { name: last.name, args: [...last.args, value], value });
    } else flags.push(...found);
  }
  const [subcommand = "", extra] = words;
  if (!subcommands.includes(subcommand)) throw new UsageError(usage);
  if (extra !== undefined) {
    throw new UsageError(
      `Leave out ${forTerminal(extra)}: pulumi ${subcommand} takes nothing but flags here.`,
    );
  }
  return { executable, flags };
}

type FoundFlag = Flag & { readonly hasValue: boolean };

function longFlag(arg: string): FoundFlag {
  const [, name = "", equals = ""] = /^--([^=]*)(=?)/.exec(arg) ?? [];
  if (!knownFlags.has(name) && (name === "" || equals === "")) throw unknownFlag(arg);
  const value = arg.slice(arg.indexOf("=") + 1);
  return { name, args: [arg], hasValue: equals !== "", ...(equals !== "" && { value }) };
}

/** `-yf` is two switches; behind a flag that takes a value the rest is its value. */
function shortFlags(arg: string): FoundFlag[] {
  const found: FoundFlag[] = [];
  for (let at = 1; at < arg.length; at += 1) {
    const short = arg[at];
    const [name, flag] = [...knownFlags].find(([, known]) => known.short === short) ?? [];
    if (name === undefined) throw unknownFlag(arg);
    const rest = arg.slice(at + 1);
    const hasValue = rest !== "" && (flag?.takesValue === true || rest.startsWith("="));
    const value = rest.replace(/^=/, "");
    found.push({ name, args: [`-${short}${hasValue ? rest : ""}`], hasValue, ...(hasValue && { value }) });
    if (hasValue) break;
  }
  return found;
}

function unknownFlag(arg: string): UsageError {
  return new UsageError(
    `page-guard does not know the flag ${forTerminal(arg)} of pulumi, and so not whether a value follows it. Give it as --flag=value, a switch as --flag=true.`,
  );
}
