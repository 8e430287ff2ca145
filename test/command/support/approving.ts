import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovedContent } from "../../../command/src/approval/approved-file";
import type { Clock } from "../../../provider/src/api/clock";
import { type Desk, type Ended, zoneId } from "./console";
import { PlayedPulumi } from "./played-pulumi";

/** Inputs of a policy that the stack declares. */
export const csp = {
  zoneId,
  description: "checkout",
  action: "log",
  expression: "true",
  value: "script-src 'self'",
};

/** Runs reviews and applies of a stack with a simulated `pulumi`. */
export class Approving {
  readonly pulumi: PlayedPulumi;
  readonly file: string;

  constructor(readonly desk: Desk) {
    this.pulumi = new PlayedPulumi(desk);
    this.file = join(desk.folder, "approved.json");
  }

  /** Sets the events of the next previews. */
  previews(...lines: readonly string[]): void {
    this.pulumi.previews(...lines.map((line): object => JSON.parse(line)));
  }

  review(args: readonly string[] = ["--", "pulumi", "preview"], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const options = { env: { ...this.pulumi.env, ...env } };
    return this.desk.pageGuard(["review", "--approve", this.file, ...args], options);
  }

  /** Approves a preview with these events. */
  async approves(...lines: readonly string[]): Promise<ApprovedContent> {
    this.previews(...lines);
    const { code, out, err } = await this.review();
    assert.equal(code, 0, out + err);
    return this.content();
  }

  content(): ApprovedContent {
    return JSON.parse(readFileSync(this.file, "utf8"));
  }

  apply(
    flags: readonly string[] = [],
    { env = {}, clock }: { env?: NodeJS.ProcessEnv; clock?: Clock } = {},
  ): Promise<Ended> {
    return this.desk.pageGuard(
      ["apply", "--approved", this.file, ...flags, "--", "pulumi", "up", "--stack", "dev"],
      { env: { ...this.pulumi.env, ...env }, ...(clock && { clock }) },
    );
  }

  async applies(...flags: readonly string[]): Promise<string> {
    const { code, out, err } = await this.apply(flags);
    assert.equal(code, 0, out + err);
    return out + err;
  }

  /** Asserts that apply refuses and runs no update. Returns its output. */
  async refuses(...flags: readonly string[]): Promise<string> {
    const before = this.updates();
    const { code, out, err } = await this.apply(flags);
    assert.equal(code, 2, out + err);
    assert.match(out, /^Nothing was changed\./);
    assert.equal(this.updates(), before, "the update was run");
    return out;
  }

  updates(): number {
    return this.pulumi.calls().filter((call) => call.startsWith("up ")).length;
  }
}
