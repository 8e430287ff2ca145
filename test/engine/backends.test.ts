import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageGuard } from "../command/support/console";
import { policy, settings } from "./real-engine/declaration";
import { newPlace, runPulumi } from "./real-engine/engine";
import { postgresFolder, startPostgres } from "./real-engine/postgres";
import { Stack } from "./real-engine/stack";
import { useStories, zoneA } from "./real-engine/story";
import { Pipeline, twoAtOnce } from "./support/pipeline";
import { startStateBucket } from "./support/state-bucket";

/** A server for states, with the environment by which the engine finds it. */
interface Backend {
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

async function postgres(): Promise<Backend | undefined> {
  const programs = postgresFolder();
  if (programs === undefined) {
    process.stdout.write(
      "      SKIPPED: this machine has no Postgres (on Debian: apt-get install postgresql)\n",
    );
    return undefined;
  }
  const { url, stop } = await startPostgres(programs);
  return { env: { PULUMI_BACKEND_URL: url }, stop };
}

async function s3(): Promise<Backend> {
  const { url, logins, keysOf, stop } = await startStateBucket();
  return { env: { ...logins, ...keysOf("writer"), PULUMI_BACKEND_URL: url }, stop };
}

for (const [name, start] of [
  ["a Postgres database", postgres],
  ["S3", s3],
] as const) {
  describe(`On the engine: states in ${name}`, function () {
    const begin = useStories(this);
    let backend: Backend | undefined;

    before("start the server", async function () {
      backend = await start();
      if (backend === undefined) this.skip();
    });

    after(() => backend?.stop());

    /** Moves the stack to the backend, under this project name. */
    async function moveThere(stack: Stack, project: string): Promise<void> {
      const file = join(stack.place.project, "Pulumi.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace(/^name: .*/m, `name: ${project}`));
      Object.assign(stack.env, backend?.env);
      const args = ["stack", "init", "dev", "--non-interactive"];
      const { code, output } = await runPulumi(stack.place, args, stack.env).ended;
      assert.equal(code, 0, output);
    }

    it("given two stacks of one zone, when two jobs apply one approval and the zone is edited, then the second job waits for the lock, drift reads the state, and the other stack keeps its policy", async () => {
      const { sim, stack } = await begin({ [zoneA]: { scripts: 0, connections: 0, cookies: 0 } });
      const neighbour = new Stack(await newPlace(), sim);
      await moveThere(stack, "one");
      await moveThere(neighbour, "two");
      const live = () =>
        sim
          .zone(zoneA)
          .policies.map(({ description }) => description)
          .sort();
      neighbour.declare({ blog: policy({ zoneId: zoneA, description: "blog" }) });
      await neighbour.up();

      stack.declare({
        watch: settings({ zoneId: zoneA, enabled: true }),
        csp: policy({ zoneId: zoneA, description: "checkout" }),
      });
      const pipeline = new Pipeline(stack);
      await pipeline.approve();
      const { first, second } = await twoAtOnce(sim, pipeline);
      assert.equal(first.code, 0, first.out + first.err);
      assert.match(second?.err ?? "", /The stack is locked by \S+@\S+ \(process \d+\) since \S+\. Waiting/);
      assert.match(second?.out ?? "", /is no longer needed/);
      assert.deepEqual(live(), ["blog", "checkout"]);

      sim.dashboard.putPolicy(zoneA, { description: "by hand", expression: "true" });
      const env = { ...stack.place.env, ...stack.env };
      const drift = await pageGuard(["drift", "--stack", "dev"], { cwd: stack.place.project, env });
      assert.equal(drift.code, 2, drift.err);
      assert.match(drift.out, /by hand/);
      const exported = await stack.run("stack", "export");
      assert.ok(!exported.output.includes(sim.token), "the token is in the state");
      await stack.destroy();
      assert.deepEqual(live(), ["blog", "by hand"]);
    });
  });
}
