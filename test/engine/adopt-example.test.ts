import assert from "node:assert/strict";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/src";
import { pageGuard } from "../command/support/console";
import { type Ended, engine, newPlace, type Place, runPulumi } from "./real-engine/engine";

const root = resolve(__dirname, "../..");
const example = join(root, "examples/adopt");
const readme = readFileSync(join(example, "README.md"), "utf8");
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
const asShop = ["--name", `${zoneId}=shop`];

describe("examples/adopt, as its README shows it", () => {
  let sim: Simulator;
  let place: Place;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    await engine();
    sim = await startSimulator();
    sim.zones.seed(zoneId, JSON.parse(readFileSync(join(example, "zone.json"), "utf8")));
    const made = await newPlace();
    place = { ...made, project: join(made.folder, "adopt") };
    env = { ...place.env, PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
  });

  after(async () => {
    await sim?.stop();
    if (place) rmSync(place.folder, { recursive: true, force: true });
  });

  it("given the zone, then the export prints what the README shows", async () => {
    const exported = await pageGuard(["export", "--zone", zoneId, ...asShop, "--out", "adopt"], {
      cwd: place.folder,
      env,
    });
    assert.equal(exported.code, 0, exported.err);
    symlinkSync(join(root, "node_modules"), join(place.project, "node_modules"));
    assertShown(exported.out.split("\n")[0] ?? "");
  });

  it("then the import asks nothing, the preview is empty, and drift prints what the README shows", async () => {
    await pulumi("stack", "init", "production");
    const requests = sim.journal.length;
    const file = ["--file", "import.json", "--generate-code=false"];
    await pulumi("import", ...file, "--yes", "--skip-preview", "--stack", "production");
    await pulumi("preview", "--expect-no-changes", "--stack", "production");
    assert.equal(sim.journal.length, requests);
    const drifted = ["drift", "--stack", "production", "--zones", "zones.yaml"];
    const calm = await command(...drifted);
    assert.deepEqual([calm.code, calm.out], [0, "No drift.\n"], calm.err);

    sim.dashboard.putPolicy(zoneId, { description: "Landing page", expression: "true", value: "img-src *" });
    const drift = await command(...drifted);
    assert.equal(drift.code, 2);
    for (const line of drift.out.trimEnd().split("\n")) assertShown(line);
    const rest = await command(...drifted, "--declare");
    assert.equal(rest.code, 2);
    assert.match(rest.out, /add to the policies of the CspPolicySet shop-policies:\n"landing-page": \{/);
  });

  /** The page shows ids as an ellipsis. */
  function assertShown(line: string): void {
    assert.ok(readme.includes(line.replace(/[0-9a-f]{32}/g, "…")), `README.md does not show: ${line}`);
  }

  function command(...args: readonly string[]) {
    return pageGuard(args, { cwd: place.project, env });
  }

  async function pulumi(...args: readonly string[]): Promise<Ended> {
    const ended = await runPulumi(place, [...args, "--non-interactive"], env).ended;
    assert.equal(ended.code, 0, `pulumi ${args.join(" ")} failed:\n${ended.output}`);
    return ended;
  }
});
