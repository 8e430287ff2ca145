import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type Clock, systemClock } from "../../provider/src/api/clock";
import { pageGuard } from "../command/support/console";
import { emptyStack } from "./real-engine/engine";
import { filesWithin } from "./real-engine/files-within";
import { useStories } from "./real-engine/story";

const names = ["w1a", "w1b", "w1c", "w1d", "w2a", "w3a"];
const idOf = (name: string) => `${names.indexOf(name) + 1}`.padStart(32, "a");

const program = `const pulumi = require("@pulumi/pulumi");
const { PageGuardSettings } = require("pulumi-page-guard");
const ids = ${JSON.stringify(Object.fromEntries(names.map((name) => [name, idOf(name)])))};
new PageGuardSettings("settings", { zoneId: ids[pulumi.getStack()], enabled: true });
`;

describe("On the engine: a fleet of six zones in three waves", function () {
  const begin = useStories(this);

  it("given an approval, when a run is interrupted, a zone changes, a stack is locked and a failure stops a wave, then each zone is changed once, and no wave begins too early", async () => {
    const seed = { scripts: 0, connections: 0, cookies: 0, policies: [] };
    const { sim, stack } = await begin(Object.fromEntries(names.map((name) => [idOf(name), seed])));
    const { project, backend, env: placeEnv } = stack.place;
    const env = { ...placeEnv, ...stack.env };
    writeFileSync(join(project, "index.js"), program);
    for (const name of names) emptyStack(stack.place, project, name);
    writeFileSync(
      join(project, "zones.yaml"),
      names.map((name) => `- { id: "${idOf(name)}", name: ${name}, wave: ${name[1]} }\n`).join(""),
    );
    const run = async (clock: Clock, ...args: string[]) => {
      const ended = await pageGuard(["fleet", ...args, "--zones", "zones.yaml"], {
        cwd: project,
        env,
        clock,
      });
      stack.said += ended.out + ended.err;
      stack.protocol += `\n$ page-guard fleet ${args.join(" ")}\n${ended.err}${ended.out}(exit ${ended.code})\n`;
      return ended;
    };
    const apply = ["apply", "--approved", "approved"];
    const done = () => sim.changing().filter(({ status = 0 }) => status < 400);

    const previewed = await run(systemClock, "preview", "--approve", "approved", "--markdown", "review.md");
    assert.equal(previewed.code, 0, previewed.err);
    assert.match(previewed.out, /6 zones: 6 to change \(/);
    assert.deepEqual(sim.changing(), []);
    const approved = filesWithin(join(project, "approved")).map((file) => basename(file));
    assert.deepEqual(approved.sort(), names.flatMap((name) => [`${name}.html`, `${name}.json`]).sort());
    for (const name of names)
      assert.match(readFileSync(join(project, `approved/${name}.html`), "utf8"), RegExp(`stack ${name}<`));

    // The run is interrupted in its first update.
    const main = resolve(__dirname, "../../command/dist/main.js");
    const cut = spawn(
      process.execPath,
      [main, "fleet", ...apply, "--zones", "zones.yaml", "--parallel", "1"],
      {
        cwd: project,
        env: { ...env, CI: "true" },
        stdio: "ignore",
      },
    );
    const release = sim.onProcessed(({ method }) => {
      if (method === "PUT") cut.kill("SIGTERM");
      return undefined;
    });
    const code = await new Promise((done) => cut.once("close", done));
    release();
    assert.equal(code, 1);
    assert.ok(sim.changing().length <= 1, "no other update has begun");
    assert.deepEqual(locksOf(backend), [], "no lock is left");

    // A colleague changes a zone of the first wave and one of the last; the service refuses another zone; a stack is locked.
    sim.faults.add({ kind: "status", status: 403, method: "PUT", zoneId: idOf("w1c"), count: 1 });
    const added = ["w1d", "w3a"].map((name) => {
      const { id } = sim.dashboard.putPolicy(idOf(name), {
        description: "by a colleague",
        expression: "true",
      });
      return () => sim.dashboard.deletePolicy(idOf(name), id);
    });
    const moved = await run(systemClock, ...apply);
    assert.equal(moved.code, 1, moved.err + moved.out);
    assert.match(moved.out, /w1c +1 +FAILED +.*Failed to update the settings: the service refused the/);
    assert.match(moved.out, /w1d +1 +look +.*not what was approved .*: .*by a colleague/);
    assert.match(moved.err, /Wave 1 stopped: 2 zones not done\. --max-failures allows 0\./);
    assert.match(moved.out, /w2a +2 +look +not started/);
    assert.equal(done().length, 2);

    added[0]?.();
    const first = await run(systemClock, ...apply, "--wave", "1");
    assert.equal(first.code, 0, first.err + first.out);
    assert.equal(done().length, 4);

    const lock = lockStack(backend, "w2a");
    const waits: number[] = [];
    const clock: Clock = {
      ...systemClock,
      schedule(ms, callback) {
        if (ms !== 10_000) return systemClock.schedule(ms, callback);
        waits.push(ms);
        rmSync(lock, { recursive: true, force: true });
        return systemClock.schedule(0, callback);
      },
    };
    const locked = await run(clock, ...apply);
    assert.equal(locked.code, 2, locked.err + locked.out);
    assert.match(
      locked.err,
      /w2a: The stack is locked by deploy@ci-7 \(process 123\) since .*Waiting up to 10/,
    );
    assert.deepEqual(waits, [10_000]);
    assert.match(locked.out, /w2a +2 +ok +applied/);
    assert.match(locked.err, /Wave 3 stopped: 1 zone not done/);
    assert.match(locked.out, /w3a +3 +look +.*not what was approved/);
    assert.equal(done().length, 5);

    added[1]?.();
    const last = await run(systemClock, ...apply);
    assert.equal(last.code, 0, last.err + last.out);
    assert.match(last.out, /w1a +1 +ok +already applied/);
    assert.deepEqual(
      done()
        .map(({ path }) => names.find((name) => path.includes(idOf(name))))
        .sort(),
      names,
    );

    assert.equal(sim.journal.filter((entry) => entry.status === 429).length, 0);
  });

  it("given a program that declares another option in the update than in the preview, then its stack needs attention, and no further wave begins; when its zone leaves zones.yaml, then status names the stack", async () => {
    const seed = { scripts: 0, connections: 0, cookies: 0, policies: [] };
    const { sim, stack } = await begin({ [idOf("w1a")]: seed, [idOf("w2a")]: seed });
    const { project, env: placeEnv } = stack.place;
    const twoFaced = program.replace(
      "enabled: true }",
      "enabled: true }, { retainOnDelete: !pulumi.runtime.isDryRun() }",
    );
    writeFileSync(join(project, "index.js"), twoFaced);
    const zones = ["w1a", "w2a"].map(
      (name) => `- { id: "${idOf(name)}", name: ${name}, wave: ${name[1]} }\n`,
    );
    writeFileSync(join(project, "zones.yaml"), zones.join(""));
    const ofStack = { ...placeEnv, ...stack.env };
    for (const name of ["w1a", "w2a"]) emptyStack(stack.place, project, name);
    const fleet = (command: string) =>
      pageGuard(["fleet", command, "--zones", "zones.yaml"], { cwd: project, env: ofStack });
    const { code, out, err } = await fleet("apply");
    assert.equal(code, 2, err + out);
    assert.match(out, /w1a +1 +look +The update did something other than what was approved .*retainOnDelete/);
    assert.match(out, /w2a +2 +look +not started/);
    assert.equal(sim.changing().length, 1);

    writeFileSync(join(project, "zones.yaml"), zones[1] ?? "");
    const status = await fleet("status");
    assert.match(
      status.out,
      /^w1a: this stack has resources, but its name is not the name of a zone in the --zones file/m,
    );
  });
});

function lockStack(backend: string, name: string): string {
  const folder = join(backend, ".pulumi/locks/organization/story", name);
  mkdirSync(folder, { recursive: true });
  const owner = { pid: 123, username: "deploy", hostname: "ci-7", timestamp: new Date().toISOString() };
  writeFileSync(join(folder, "5c2e6b5c-3d5e-4c6b-9e0a-1b2c3d4e5f60.json"), JSON.stringify(owner));
  return folder;
}

function locksOf(backend: string): string[] {
  try {
    return filesWithin(join(backend, ".pulumi/locks")).map((file) => basename(file));
  } catch {
    return [];
  }
}
