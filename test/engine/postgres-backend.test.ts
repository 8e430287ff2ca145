import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { policy } from "./real-engine/declaration";
import { newPlace, runPulumi } from "./real-engine/engine";
import { type Postgres, postgresFolder, startPostgres } from "./real-engine/postgres";
import { Stack } from "./real-engine/stack";
import { useStories, zoneA } from "./real-engine/story";
import {
  expectNoneOfThree,
  expectThree,
  inOrder,
  sharedZone,
  threeEdited,
  threeResources,
} from "./real-engine/three-resources";
import { secretsProvider } from "./real-engine/vault";

describe("On the engine: states in a Postgres database", function () {
  const begin = useStories(this);
  let postgres: Postgres | undefined;

  before("a server of its own", async function () {
    const programs = postgresFolder();
    if (programs !== undefined) {
      postgres = await startPostgres(programs);
      return;
    }
    process.stdout.write(
      "      NOT TRIED: there is no Postgres here (on Debian: apt-get install postgresql)\n",
    );
    this.skip();
  });

  after(() => postgres?.stop());

  /** A project's stack in the database; a project of another name has a stack of its own. */
  async function moveToDatabase(stack: Stack, project: string): Promise<void> {
    const file = join(stack.place.project, "Pulumi.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^name: .*/m, `name: ${project}`));
    stack.env["PULUMI_BACKEND_URL"] = postgres?.url;
    const args = ["stack", "init", "dev", "--non-interactive", "--secrets-provider", secretsProvider];
    const init = await runPulumi(stack.place, args, stack.env).ended;
    assert.equal(init.code, 0, init.output);
  }

  it("given two stacks of one zone, when two pipelines are at work on one of them at once, when it is cut off, edited and destroyed, then all is as on files, nothing is there twice, each keeps what is its own, and no token is in the state", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    await moveToDatabase(stack, "one");
    const neighbour = new Stack(await newPlace(), sim);
    await moveToDatabase(neighbour, "two");
    const live = () =>
      sim
        .zone(zoneA)
        .policies.map(({ description }) => description)
        .sort();

    // Three updates at once: who comes second to a stack ends and says so.
    stack.declare(inOrder(threeResources(zoneA)));
    neighbour.declare({ blog: policy({ zoneId: zoneA, description: "blog" }) });
    const other = new Stack(stack.place, sim);
    Object.assign(other.env, stack.env);
    const [, ...ups] = await Promise.all([
      neighbour.up(),
      ...[stack, other].map((one) => one.run("up", "--yes", "--skip-preview")),
    ]);
    assert.ok(ups.some(({ code }) => code === 0));
    // The engine lists the locks and then reads each: one that has gone between the two is an error of its backend (3.259).
    const refused = /currently locked by 1 lock|could not list bucket.*no rows in result set/;
    for (const { code, output } of ups) if (code !== 0) assert.match(output, refused);
    assert.deepEqual(live(), ["blog", "checkout", "unmanaged"]);

    stack.declare(inOrder(threeEdited(zoneA)));
    stack.killAllAt({ at: "processed", method: "PUT", path: "/policies/" });
    assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
    assert.match(await stack.upFails(), /locked/);
    await stack.run("cancel", "--yes");
    await stack.up();
    await stack.expectEmptyPreview();
    assert.equal((await stack.run("stack", "export")).output.includes(sim.token), false);
    await neighbour.destroy();
    expectThree(sim, zoneA, ", second edition");
    await stack.destroy();
    expectNoneOfThree(sim, zoneA);
  });
});
