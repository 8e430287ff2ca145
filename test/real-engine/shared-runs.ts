import type { Simulator } from "../../provider/src/simulator";
import type { Declaration } from "./declaration";
import type { Ended, Place } from "./engine";
import { lend } from "./lent-variables";
import { OwnLocks } from "./own-locks";
import type { OwnZones } from "./own-zones";
import { type Mark, markedArgument, partOfOutput, withoutMark } from "./part-of-run";
import { holdBackOthers } from "./shared-checkpoint";
import { SharedKill } from "./shared-kill";
import { type KillPoint, type Outcome, Stack, type Victim } from "./stack";

/** The run of the CLI that a story wants next. */
export interface WantedRun {
  readonly mark: Mark;
  readonly sim: OwnZones;
  readonly declaration: Declaration;
  /** What is added to the CLI's environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly args: readonly string[];
  readonly expected: Outcome;
  readonly strike?: { readonly victim: Victim; readonly point: KillPoint };
  /** About how many steps the story still has, this one included. */
  readonly left: number;
}

interface Waiting extends WantedRun {
  readonly resolve: (ended: Ended) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs the engine once for all stories that want the same next, as soon as every unfinished story waits. A
 * run has only their resources: those of the others are neither in its program nor in its checkpoint.
 */
export class SharedRuns {
  readonly whole: Stack;
  private readonly locks: OwnLocks;
  private waiting: Waiting[] = [];
  private unfinished = 0;

  constructor(place: Place, sim: Simulator) {
    this.whole = new Stack(place, sim);
    this.locks = new OwnLocks(place.backend);
  }

  /** A story begins. `end` is called when it is over, however it went. */
  begin(): { end(): void } {
    this.unfinished += 1;
    return {
      end: () => {
        this.unfinished -= 1;
        this.goOn();
      },
    };
  }

  ask(wish: WantedRun): Promise<Ended> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...wish, resolve, reject });
      this.goOn();
    });
  }

  /** This story's stack is no longer locked. */
  unlock(mark: Mark): void {
    this.locks.drop(mark);
  }

  private goOn(): void {
    if (this.waiting.length === 0 || this.waiting.length < this.unfinished) return;
    const group = nextGroup(this.waiting, (mark) => this.locks.isLocked(mark));
    this.waiting = this.waiting.filter((wish) => !group.includes(wish));
    this.run(group).catch((error: unknown) => {
      for (const { reject } of group) reject(error);
    });
  }

  private async run(group: readonly Waiting[]): Promise<void> {
    const { place } = this.whole;
    const [first] = group;
    if (!first) return;
    const marks = group.map(({ mark }) => mark);
    const putBack = holdBackOthers(place.backend, marks);
    this.locks.bring(marks);
    this.whole.declare(Object.assign({}, ...group.map(({ declaration }) => declaration)));
    const takeBack = lend(this.whole.env, first.env);
    const strike = this.strikeOf(group);
    showPlan(group, this.unfinished);
    let ended: Ended;
    try {
      ended = await this.whole.run(...argumentsOf(group));
    } finally {
      strike?.end();
      takeBack();
      this.locks.take(marks);
      putBack();
    }
    // All get their result before the first one asks for its next run.
    for (const { resolve, reject, mark, sim, args } of group) {
      if (strike && !strike.hasReached(sim))
        reject(new Error(`the kill point was not reached:\n${ended.output}`));
      else resolve(partOf(ended, mark, args.includes("--json")));
    }
  }

  private strikeOf(group: readonly Waiting[]): SharedKill | undefined {
    const points = group.flatMap(({ sim, strike }) => (strike ? [{ sim, ...strike }] : []));
    const [first] = points;
    return first && new SharedKill(points, first.victim, () => this.whole.kill(first.victim));
  }
}

function partOf({ code, stdout, output }: Ended, mark: Mark, isJson: boolean): Ended {
  return {
    code,
    stdout: withoutMark(stdout, mark),
    output: isJson ? withoutMark(output, mark) : partOfOutput(output, mark),
  };
}

/**
 * The run of the story with the most steps left: so it shares runs with others instead of running alone at the end.
 * What only one story can want is first: the others gain nothing by waiting for it.
 */
function nextGroup(waiting: readonly Waiting[], isLocked: (mark: Mark) => boolean): readonly Waiting[] {
  const groups = new Map<string, Waiting[]>();
  for (const [index, wish] of waiting.entries()) {
    const key = isForOne(wish) ? String(index) : `${isLocked(wish.mark)} ${keyOf(wish)}`;
    groups.set(key, [...(groups.get(key) ?? []), wish]);
  }
  const all = [...groups.values()];
  const alone = all.find(([wish]) => wish && isForOne(wish));
  return alone ?? all.reduce((first, group) => (isLonger(group, first) ? group : first), []);
}

/** Whether one of `group` has more steps left than any of `other`; when equal, whether the group is larger. */
function isLonger(group: readonly Waiting[], other: readonly Waiting[]): boolean {
  const most = (waiting: readonly Waiting[]) => Math.max(0, ...waiting.map(({ left }) => left));
  return most(group) === most(other) ? group.length > other.length : most(group) > most(other);
}

/**
 * A failure, which may stop the engine before it reaches other stories' resources; a kill point that cannot be shared; what
 * names a resource.
 */
function isForOne(wish: Waiting): boolean {
  const { expected, strike } = wish;
  if (strike) return strike.point.isAlone === true;
  const { shared: args } = argumentsIn(wish);
  if (args.some((argument) => argument.includes("::"))) return true;
  const mayFail =
    expected === "failure" || (expected === "any" && !["cancel", "refresh"].includes(args[0] ?? ""));
  return mayFail && !args.includes("--continue-on-error");
}

function keyOf(wish: Waiting): string {
  const { env, expected, strike } = wish;
  const ends = strike ? "any" : expected;
  return [JSON.stringify(env), strike?.victim, ends, ...argumentsIn(wish).shared].join(" ");
}

function argumentsOf(group: readonly Waiting[]): string[] {
  const [first] = group.map(argumentsIn);
  const [command = "", ...flags] = first?.shared ?? [];
  const isParallel = group.length > 1 && ["up", "destroy", "refresh"].includes(command);
  const own = group.flatMap((wish) => argumentsIn(wish).own);
  // Each story's steps start as early as on a stack of its own.
  return [command, ...(isParallel ? ["--parallel", "64"] : []), ...flags, ...own];
}

/** Arguments that all stories of a run must share, and those that concern only one story's resources. */
function argumentsIn({ args, mark }: Waiting): { readonly shared: string[]; readonly own: string[] } {
  const isOwn = (index: number) => args[index] === "--replace" || args[index - 1] === "--replace";
  const all = args.map((argument) => markedArgument(argument, mark));
  return {
    shared: all.filter((_, index) => !isOwn(index)),
    own: all.filter((_, index) => isOwn(index)),
  };
}

/** `PAGE_GUARD_TEST_PLAN=1` shows which stories share which run: a story that is often alone may be written differently. */
function showPlan(group: readonly Waiting[], unfinished: number): void {
  const [first] = group;
  if (!process.env["PAGE_GUARD_TEST_PLAN"] || !first) return;
  const dies = first.strike ? `, ${first.strike.victim} dies` : "";
  const numbers = group.map(({ mark }) => mark.replace(/\D/g, "")).join(" ");
  process.stderr.write(
    `  pulumi ${first.args.join(" ")}${dies}: ${numbers} (${isForOne(first) ? "alone, " : ""}of ${unfinished})\n`,
  );
}
