import assert from "node:assert/strict";
import { join } from "node:path";
import { Notes } from "../../../provider/src/cli/approval/notes";
import { runPulumi } from "../../../provider/src/cli/approval/run-pulumi";
import { writeApproval } from "../../../provider/src/cli/approval/write-approval";
import { Progress } from "../../../provider/src/cli/progress";
import { readEvents } from "../../../provider/src/cli/review/read-events";
import { newSalt } from "../../../provider/src/lifecycle/approval/keyed-digest";
import { type Ended, type Given, pageGuard, sessionOf } from "../../cli/support/console";
import type { Stack } from "../../real-engine/stack";

/** A pipeline of a stack: a job that reviews, and later one that applies. */
export class Pipeline {
  readonly file: string;

  constructor(private readonly stack: Stack) {
    this.file = join(stack.place.folder, "approved.json");
  }

  /** Writes what a preview shows now as approved. */
  async approve(): Promise<void> {
    const { session } = sessionOf(this.given());
    const salt = newSalt();
    const notes = new Notes(salt);
    const ended = await runPulumi(
      session,
      ["pulumi", "preview", "--stack", "dev", "--json", "--non-interactive"],
      { env: notes.env },
    );
    assert.equal(ended.code, 0, ended.output);
    const read = readEvents(ended.stdout.split("\n"), notes.findingLines());
    const approving = {
      session,
      flags: {},
      progress: new Progress(session),
      stackConfig: async () => ({}),
    };
    await writeApproval(approving, this.file, read, notes, salt);
    notes.close();
  }

  async apply(flags: readonly string[] = [], given: Given = {}): Promise<Ended> {
    const ended = await pageGuard(
      ["apply", "--approved", this.file, ...flags, "--", "pulumi", "up", "--stack", "dev"],
      this.given(given),
    );
    this.stack.said += ended.out + ended.err;
    this.stack.protocol += `\n$ page-guard apply ${flags.join(" ")}\n${ended.out}${ended.err}`;
    return ended;
  }

  /** Everything was done. */
  async applies(...flags: readonly string[]): Promise<string> {
    const { code, out, err } = await this.apply(flags);
    assert.equal(code, 0, out + err);
    return out + err;
  }

  /** Something has moved: nothing was changed, exit 2. Gives what it said. */
  async refuses(...flags: readonly string[]): Promise<string> {
    const { code, out, err } = await this.apply(flags);
    assert.equal(code, 2, out + err);
    assert.match(out, /^Nothing was changed\. This is not what was approved/);
    return out;
  }

  private given(given: Given = {}): Given {
    const { place, env } = this.stack;
    return { ...given, cwd: place.project, env: { ...place.env, ...env, ...given.env } };
  }
}
