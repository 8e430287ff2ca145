import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notInState } from "../../../command/src/approval/carried-out";
import { systemClock } from "../../../provider/src/api/clock";
import type { Simulator } from "../../../simulator/src";
import { type Ended, type Given, pageGuard } from "../../command/support/console";
import type { Stack } from "../real-engine/stack";

/** A pipeline of a stack: a job that reviews, and later one that applies. */
export class Pipeline {
  readonly file: string;

  /** `more`: flags of the preview and of the update. */
  constructor(
    private readonly stack: Stack,
    private readonly more: readonly string[] = [],
  ) {
    this.file = join(stack.place.folder, "approved.json");
  }

  /** Approves what a preview shows now. Returns the output of the review. */
  async approve(...flags: readonly string[]): Promise<string> {
    const { code, out, err } = await this.pageGuard([
      ...["review", "--approve", this.file, ...flags],
      ...["--", "pulumi", "preview", "--stack", "dev", ...this.more],
    ]);
    assert.equal(code, 0, out + err);
    return out;
  }

  async apply(flags: readonly string[] = [], given: Given = {}): Promise<Ended> {
    return this.pageGuard(
      ["apply", "--approved", this.file, ...flags, "--", "pulumi", "up", "--stack", "dev", ...this.more],
      given,
    );
  }

  /** Expects that apply succeeds; returns its output. */
  async applies(...flags: readonly string[]): Promise<string> {
    const { code, out, err } = await this.apply(flags);
    assert.equal(code, 0, out + err);
    return out + err;
  }

  /** Expects that apply refuses before the update and exits with 2; returns its output. */
  async refuses(...flags: readonly string[]): Promise<string> {
    const { code, out, err } = await this.apply(flags);
    assert.equal(code, 2, out + err);
    assert.match(out, /^Nothing was changed\. This is not what was approved/);
    return out;
  }

  /** Expects that apply begins the update, refuses what was not approved and exits with 2; returns its output. */
  async refusedMidway(...flags: readonly string[]): Promise<string> {
    const { code, out, err } = await this.apply(flags);
    assert.equal(code, 2, out + err);
    assert.match(out, /This is not what was approved/);
    return out;
  }

  /** Returns the approved objects that are not in the state, as a second run of the approval sees them. */
  notInState(): readonly string[] {
    const paths = [this.file, this.stack.checkpoint];
    const [approved, { checkpoint }] = paths.map((path) => JSON.parse(readFileSync(path, "utf8")));
    return notInState(approved, checkpoint.latest.resources);
  }

  private async pageGuard(args: readonly string[], given: Given = {}): Promise<Ended> {
    const { place, env } = this.stack;
    const all = { ...place.env, ...env, ...given.env };
    const ended = await pageGuard(args, { ...given, cwd: place.project, env: all });
    this.stack.said += ended.out + ended.err;
    this.stack.protocol += `\n$ page-guard ${args.join(" ")}\n${ended.out}${ended.err}`;
    return ended;
  }
}

/** Runs two applies. The first one waits before its first change until the second one has met its lock. */
export async function twoAtOnce(sim: Simulator, pipeline: Pipeline) {
  let second: ReturnType<Pipeline["apply"]> | undefined;
  let isLocked = (): void => undefined;
  const locked = new Promise<void>((settle) => {
    isLocked = settle;
  });
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    schedule(ms: number, callback: () => void) {
      waits.push(ms);
      isLocked();
      void first.then(callback);
      return () => undefined;
    },
  };
  const revoke = sim.onRequest(({ method }) => {
    if (method === "GET") return undefined;
    second ??= pipeline.apply(["--wait", "5m"], { clock });
    return locked.then(() => undefined);
  });
  const first = pipeline.apply();
  const both = { first: await first, second: await second, waits };
  revoke();
  return both;
}
