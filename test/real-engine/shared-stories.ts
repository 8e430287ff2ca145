import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { startSimulator, type ZoneSeed } from "../../provider/src/simulator";
import type { Declaration } from "./declaration";
import { type Ended, engine, newPlace } from "./engine";
import { OwnZones } from "./own-zones";
import { isMarked, type Mark, marked, markOf, withoutMark } from "./part-of-run";
import type { Preview } from "./preview";
import { editResources } from "./shared-checkpoint";
import { SharedRuns } from "./shared-runs";
import { driftCommand, type KillPoint, type Outcome, type Recorded, Stack, type Victim } from "./stack";
import { stepsOf } from "./steps";
import { expectNoToken } from "./story";
import { UnmanagedObjects } from "./unmanaged-objects";

/** A resource of this package, in what a refresh shows with `--diff`. */
const drifted = /^ +[-+~].*page-guard:\w+: \(\w+\)/m;

/** What a story works with, as if nothing else were on the stack. `zones` are ids by the names that it has chosen. */
export interface Part<Name extends string = string> {
  readonly sim: OwnZones;
  readonly stack: PartOfStack;
  readonly unmanaged: UnmanagedObjects;
  readonly zones: Readonly<Record<Name, string>>;
}

export type AddStory = <Name extends string>(
  title: string,
  zones: Readonly<Record<Name, ZoneSeed>>,
  story: (part: Part<Name>) => Promise<void>,
) => void;

/**
 * Stories that run at the same time on one stack, each with zones of its own: what several want next (an `up`, a
 * preview) is one run of the engine. Each is a test of its own. Returns the function that adds one, in place of `it`.
 */
export function shareRuns(suite: Mocha.Suite): AddStory {
  // Each waits for the slowest of them.
  suite.timeout(3 * 3_600_000);
  const stories: { readonly test: Mocha.Test; readonly begin: (runs: SharedRuns) => Promise<void> }[] = [];
  let runs: SharedRuns | undefined;
  const running = new Map<Mocha.Test, Promise<void>>();
  let hasFailed = false;
  const token = randomBytes(24).toString("hex");
  const begun = startSimulator({ token });

  before("start all stories", async () => {
    await engine();
    const together = new SharedRuns(await newPlace(), await begun);
    runs = together;
    for (const { test, begin } of stories) {
      if (!isPicked(test.fullTitle())) continue;
      const story = begin(together);
      // Its test awaits it later.
      story.catch(() => undefined);
      running.set(test, story);
    }
  });

  afterEach(function () {
    hasFailed ||= this.currentTest?.state === "failed";
  });

  after("no token at rest", async () => {
    await (await begun).stop();
    if (!runs) return;
    const { whole } = runs;
    whole.killLeftOver();
    if (hasFailed) process.stderr.write(`${whole.protocol}\n(the stack is in ${whole.place.folder})\n`);
    await expectNoToken(token, whole);
    if (!hasFailed) rmSync(whole.place.folder, { recursive: true, force: true });
  });

  return (title, zones, story) => {
    const index = stories.length;
    const test = it(title, () => running.get(test) ?? assert.fail("the story was not started"));
    const begin = async (together: SharedRuns) => {
      const turn = together.begin();
      try {
        const part = await partOf(together, index, zones, stepsOf(story));
        await story(part);
        part.unmanaged.expectUntouched();
      } finally {
        turn.end();
      }
    };
    stories.push({ test, begin });
  };

  async function partOf<Name extends string>(
    together: SharedRuns,
    index: number,
    seeds: Readonly<Record<Name, ZoneSeed>>,
    steps: number,
  ): Promise<Part<Name>> {
    const simulator = await begun;
    const ids: Record<string, string> = {};
    for (const [number, [name, seed]] of Object.entries<ZoneSeed>(seeds).entries()) {
      const zoneId = `${(index + 16).toString(16)}${number.toString(16)}e`.padEnd(32, "0");
      ids[name] = zoneId;
      simulator.zones.seed(zoneId, seed);
    }
    const zones = ids as Record<Name, string>;
    const sim = new OwnZones(simulator, Object.values(ids));
    const unmanaged = new UnmanagedObjects(sim);
    for (const zoneId of Object.values(ids)) unmanaged.watch(zoneId);
    return { sim, stack: new PartOfStack(together, sim, `tale${index}-`, steps), unmanaged, zones };
  }
}

/** The stack as one of the stories sees it: its own resources, and the CLI's output about them. */
export class PartOfStack extends Stack {
  /** What this story adds to the environment that all have. */
  override readonly env: NodeJS.ProcessEnv = {};
  private declaration: Declaration = {};
  private strike: { victim: Victim; point: KillPoint } | undefined;

  constructor(
    private readonly runs: SharedRuns,
    private readonly own: OwnZones,
    private readonly mark: Mark,
    /** About how many commands it still runs. */
    private steps: number,
  ) {
    super(runs.whole.place, own);
  }

  override declare(declaration: Declaration): void {
    this.declaration = marked(declaration, this.mark);
  }

  override shown(ended: Ended): Preview {
    const { steps, messages, output } = super.shown(ended);
    const isOurs = ({ name }: { readonly name: string | undefined }) => name === undefined || !isMarked(name);
    return { steps: steps.filter(isOurs), messages: messages.filter(isOurs), output };
  }

  override async seesDrift(): Promise<string> {
    const output = await super.seesDrift();
    assert.match(output, drifted, "resources of other stories have drifted, this story's have not");
    return output;
  }

  /** The same run may find a drift of other stories' resources. */
  override async expectNoDrift(): Promise<string> {
    const { code, output } = await this.perform(driftCommand, "drift");
    assert.ok(code === 0 || code === 7, `the refresh has failed:\n${output}`);
    assert.doesNotMatch(output, drifted);
    return output;
  }

  override resources(): Recorded[] {
    const ours = super.resources().filter(({ urn }) => markOf(urn) === this.mark);
    return JSON.parse(withoutMark(JSON.stringify(ours), this.mark));
  }

  override editState(edit: (recorded: string) => string | undefined): void {
    editResources(this.place.backend, (urn) => markOf(urn) === this.mark, edit);
  }

  override unlock(): void {
    this.runs.unlock(this.mark);
  }

  /** Waits for all stories' orphans: they are one process. */
  override letOrphansFinish(): Promise<void> {
    return this.runs.whole.letOrphansFinish();
  }

  protected override strikeAt(victim: Victim, point: KillPoint): () => void {
    this.strike = { victim, point };
    return () => {
      this.strike = undefined;
    };
  }

  protected override async perform(args: readonly string[], expected: Outcome): Promise<Ended> {
    const strike = this.strike;
    this.strike = undefined;
    const ended = await this.runs.ask({
      mark: this.mark,
      sim: this.own,
      declaration: this.declaration,
      env: { ...this.env },
      args,
      expected,
      left: Math.max(1, this.steps),
      ...(strike && { strike }),
    });
    this.steps -= 1;
    this.said += ended.output;
    return ended;
  }
}

/** With `mocha --grep PATTERN` only matching stories run: mocha does not pass the pattern to hooks. */
function isPicked(title: string): boolean {
  const { argv } = process;
  const place = argv.findIndex((argument) => ["--grep", "-g"].includes(argument));
  const pattern = place < 0 ? undefined : argv[place + 1];
  return pattern === undefined || new RegExp(pattern).test(title);
}
