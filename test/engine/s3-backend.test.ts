import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, pageGuard } from "../command/support/console";
import { type Bucket, startBucket } from "./real-engine/bucket";
import { policy, settings } from "./real-engine/declaration";
import { newPlace, runPulumi } from "./real-engine/engine";
import { Stack } from "./real-engine/stack";
import { useStories, zoneA } from "./real-engine/story";
import { secretsProvider } from "./real-engine/vault";
import { Pipeline, twoAtOnce } from "./support/pipeline";

describe("On the engine: states in S3", function () {
  const begin = useStories(this);
  let bucket: Bucket;

  before("a bucket of its own", async function () {
    try {
      bucket = await startBucket();
    } catch (error) {
      if (process.env["REQUIRE_LANGUAGES"]?.includes("go")) throw error;
      console.warn(`\n  !! SKIPPED: no state was kept in S3: ${error}\n`);
      this.skip();
    }
  });

  after(() => bucket?.stop());

  /** Moves the stack to the bucket, as a project of that name. */
  async function logIn({ place, env }: Stack, project: string): Promise<void> {
    const file = join(place.project, "Pulumi.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^name: .*/m, `name: ${project}`));
    // What was logged in to counts only without it.
    Object.assign(env, bucket.env, { PULUMI_BACKEND_URL: undefined });
    for (const args of [
      ["login", bucket.url],
      ["stack", "init", "dev", "--non-interactive", "--secrets-provider", secretsProvider],
    ]) {
      const { code, output } = await runPulumi(place, args, env).ended;
      assert.equal(code, 0, output);
    }
  }

  async function command({ place, env }: Stack, ...args: readonly string[]): Promise<Ended> {
    return pageGuard(args, { cwd: place.project, env: { ...place.env, ...env } });
  }

  it("given two stacks of one zone, when two jobs apply one approval at once, when a run is cut off and the zone is edited, then the second job waits for the lock, drift reads the state, and the neighbour keeps what is its own", async () => {
    const { sim, stack } = await begin({ [zoneA]: { scripts: 0, connections: 0, cookies: 0 } });
    const neighbour = new Stack(await newPlace(), sim);
    await Promise.all([logIn(stack, "one"), logIn(neighbour, "two")]);
    const live = () =>
      sim
        .zone(zoneA)
        .policies.map(({ description }) => description)
        .sort();
    const declare = (description: string) =>
      stack.declare({
        watch: settings({ zoneId: zoneA, enabled: true }),
        csp: policy({ zoneId: zoneA, description }),
      });
    neighbour.declare({ blog: policy({ zoneId: zoneA, description: "blog" }) });
    await neighbour.up();

    declare("checkout");
    const pipeline = new Pipeline(stack);
    await pipeline.approve();
    const { first, second } = await twoAtOnce(sim, pipeline);
    assert.equal(first.code, 0, first.out + first.err);
    assert.match(second?.err ?? "", /The stack is locked by \S+@\S+ \(process \d+\) since \S+\. Waiting/);
    assert.match(second?.out ?? "", /is no longer needed/);
    assert.deepEqual(live(), ["blog", "checkout"]);

    declare("checkout, second edition");
    stack.killAllAt({ at: "processed", method: "PUT", path: "/policies/" });
    assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
    assert.match(await stack.upFails(), /locked/);
    await stack.run("cancel", "--yes");
    await stack.up();
    sim.dashboard.putPolicy(zoneA, { description: "by hand", expression: "true" });
    const drift = await command(stack, "drift", "--stack", "dev");
    assert.equal(drift.code, 2, drift.err);
    assert.match(drift.out, /by hand/);
    await stack.destroy();
    assert.deepEqual(live(), ["blog", "by hand"]);
  });
});
