import assert from "node:assert/strict";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/src";
import { pageGuard, printed } from "../command/support/console";
import { addUnknownFields, randomZone } from "../command/support/random-zone";
import { type Ended, emptyStack, engine, newPlace, type Place, runPulumi } from "./real-engine/engine";
import { hostYaml } from "./support/yaml-program";

const root = resolve(__dirname, "../..");

const importing = ["import", "--file", "import.json", "--yes", "--skip-preview", "--generate-code=false"];

describe("On the engine: adopting an existing zone", () => {
  let sim: Simulator;
  const places: Place[] = [];

  before(async () => {
    await engine();
    sim = await startSimulator();
  });

  after(async () => {
    await sim?.stop();
    for (const { folder } of places) rmSync(folder, { recursive: true, force: true });
  });

  it("given an export of three random zones, when it is applied, then nothing changes, and the next preview sends no request", async () => {
    const zones = [101, 102, 103].map((seed) => seed.toString(16).padStart(32, "0"));
    for (const [index, zoneId] of zones.entries()) {
      sim.zones.seed(zoneId, randomZone(101 + index, 8));
      addUnknownFields(sim, zoneId);
    }
    // npm installs the dependencies of an exported program in copied-examples.test.ts.
    const project = await exportProgram(zones, []);
    symlinkSync(join(root, "node_modules"), join(project.project, "node_modules"));
    const before = sim.changing().length;
    const { output } = await succeeds(project, "up", "--yes");
    assert.match(output, /Previewing update.*\d to create/s);
    assert.doesNotMatch(output, /\d to (?:update|delete|replace)/);
    assert.deepEqual(sim.changing().slice(before), []);
    const requests = sim.journal.length;
    await succeeds(project, "preview", "--expect-no-changes");
    assert.equal(sim.journal.length, requests, "a preview without changes sends no request");
    await succeeds(project, "refresh", "--preview-only", "--expect-no-changes");
  });

  it("given a stack in TypeScript, when its zones move to a stack in YAML as docs/languages.md describes, then import and preview send no request, and nothing changes", async () => {
    const zoneId = "e".repeat(32);
    sim.zones.seed(zoneId, randomZone(107, 6));
    const old = await exportProgram([zoneId], []);
    const next = await exportProgram([zoneId], ["--language", "yaml"]);
    await hostYaml({ place: next, env: next.env });
    for (const { project } of [old, next])
      symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
    const [requests, changes] = [sim.journal.length, sim.changing().length];
    for (const place of [old, next]) await succeeds(place, ...importing);
    await succeeds(old, "state", "delete", "--all", "--force", "--yes");
    await succeeds(next, "preview", "--expect-no-changes");
    assert.equal(sim.journal.length, requests);
    await succeeds(next, "refresh", "--preview-only", "--expect-no-changes");
    assert.equal(sim.changing().length, changes);
  });

  it("given the zone of examples/adopt, when drift runs, then it prints what the README of the example shows", async () => {
    const example = join(root, "examples/adopt");
    const readme = readFileSync(join(example, "README.md"), "utf8");
    const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
    sim.zones.seed(zoneId, JSON.parse(readFileSync(join(example, "zone.json"), "utf8")));
    const place = await exportProgram([zoneId], ["--name", `${zoneId}=shop`]);
    symlinkSync(join(root, "node_modules"), join(place.project, "node_modules"));
    await succeeds(place, ...importing);
    const drift = (...more: string[]) =>
      pageGuard(["drift", "--stack", "dev", "--zones", "zones.yaml", ...more], {
        cwd: place.project,
        env: { ...place.env, ...connection() },
      });
    const calm = await drift();
    assert.deepEqual([calm.code, calm.out], [0, "No drift.\n"], calm.err);
    sim.dashboard.putPolicy(zoneId, { description: "Landing page", expression: "true", value: "img-src *" });
    const out = await printed(drift(), 2);
    // The README shows ids as an ellipsis.
    for (const line of out
      .trimEnd()
      .replace(/[0-9a-f]{32}/g, "…")
      .split("\n"))
      assert.ok(readme.includes(line), `README.md does not show: ${line}`);
    const rest = await drift("--declare");
    assert.equal(rest.code, 2);
    assert.match(rest.out, /add to the policies of the CspPolicySet shop-policies:\n"landing-page": \{/);
  });

  const connection = () => ({ PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token });

  /** Exports the zones as a program and returns its place, with an empty stack. */
  async function exportProgram(zones: readonly string[], flags: readonly string[]): Promise<Place> {
    const place = await newPlace();
    places.push(place);
    const zoneFlags = zones.flatMap((zoneId) => ["--zone", zoneId]);
    const options = { cwd: place.folder, env: connection() };
    await printed(pageGuard(["export", ...zoneFlags, "--out", "infra", ...flags], options), 0);
    const project = { ...place, project: join(place.folder, "infra") };
    emptyStack(place, project.project, "dev");
    return project;
  }

  async function succeeds(place: Place, ...args: readonly string[]): Promise<Ended> {
    const whole = [...args, "--stack", "dev", "--non-interactive"];
    const ended = await runPulumi(place, whole, connection()).ended;
    assert.equal(ended.code, 0, `pulumi ${args.join(" ")} failed:\n${ended.output}`);
    assert.ok(!ended.output.includes(sim.token), "the CLI has shown the token");
    return ended;
  }
});
