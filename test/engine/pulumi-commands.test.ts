import assert from "node:assert/strict";
import { join } from "node:path";
import { type Ended, pageGuard } from "../command/support/console";
import { policy } from "./real-engine/declaration";
import { emptyStack } from "./real-engine/engine";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA } from "./real-engine/story";

describe("On the engine: the pulumi commands that page-guard runs", function () {
  const begin = useStories(this);
  const declared = (value: string) => ({ csp: policy({ zoneId: zoneA, value }) });

  it("given commands that change something, when they are given to a review, then none of them is run", async () => {
    const { sim, stack } = await begin();
    stack.declare(declared("script-src 'self'"));
    await stack.up();
    const before = sim.changing().length;
    stack.declare(declared("script-src 'none'"));
    for (const given of [
      ["down", "--yes", "--skip-preview", "--stack", "dev"],
      ["dn", "-yf", "-sdev"],
      ["--non-interactive", "refresh", "--yes", "--skip-preview", "--stack", "dev"],
      ["-C", ".", "up", "--yes", "--stack=dev", "--skip-preview"],
    ]) {
      const { code, err } = await run(stack, "review", "--", "pulumi", ...given);
      assert.equal(code, 1, given.join(" "));
      assert.match(err, /A review runs only `pulumi preview`/);
    }
    assert.equal(sim.changing().length, before);
    const { out } = await run(stack, "review", "--", "pulumi", "--stack", "dev", "pre");
    assert.match(out, /1 policy to change/);
  });

  it("given a stack called up, when something else than what was approved is applied to it, then nothing is changed", async () => {
    const { sim, stack } = await begin();
    emptyStack(stack.place, stack.place.project, "up");
    const file = join(stack.place.folder, "approved.json");
    stack.declare(declared("script-src 'self'"));
    const approved = await run(
      ...([stack, "review", "--approve", file, "--", "pulumi", "preview", "-s", "up"] as const),
    );
    assert.equal(approved.code, 0, approved.out + approved.err);

    stack.declare(declared("script-src 'none'"));
    stack.env["PULUMI_SKIP_CONFIRMATIONS"] = "true";
    const { code, out } = await run(
      ...([
        stack,
        "apply",
        "--approved",
        file,
        "--",
        "pulumi",
        "--stack",
        "up",
        "up",
        "--yes",
        "-f",
      ] as const),
    );
    assert.deepEqual(sim.changing(), [], "the comparison has changed something");
    assert.equal(code, 2, out);
    assert.match(out, /^Nothing was changed/);
  });
});

async function run(stack: Stack, ...args: readonly string[]): Promise<Ended> {
  const { place, env } = stack;
  const ended = await pageGuard(args, { cwd: place.project, env: { ...place.env, ...env } });
  stack.said += ended.out + ended.err;
  stack.protocol += `\n$ page-guard ${args.join(" ")}\n${ended.out}${ended.err}`;
  return ended;
}
