import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSimulator } from "../../../../simulator/src/index";
import { zoneA } from "../../small-engine/zones";
import { runPackaged } from "../support/fake-engine";

const watch = 'new PageGuardSettings("watch", { zoneId, enabled: true }, { parent: shop });';
const loose = `new CspPolicy(
  "csp",
  { zoneId, description: "", action: "log", expression: "true", value: "script-src 'unsafe-inline'" },
  { parent: shop },
);`;

describe("Components that a package constructs in its own process", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-packaged-"));
    symlinkSync(resolve(__dirname, "../../../../node_modules"), join(folder, "node_modules"));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it("each fail with their own findings", async () => {
    const zones = ["abc", "def", "ghi"];
    const { registered, errors, outcome } = await runPackaged(folder, loose + watch, zones);
    assert.deepEqual([registered, errors], [[], []]);
    const named = [...outcome.matchAll(/CspPolicy csp: zoneId: .*"([a-i]{3})".* \[program-refused\]$/gm)];
    assert.deepEqual(named.map(([, zone]) => zone).sort(), zones);
    assert.equal(outcome.split("\n").length, zones.length);
  });

  it("fail with the findings of resources that they declare in an apply", async () => {
    const { registered, outcome } = await runPackaged(folder, `shop.urn.apply(() => { ${watch} });`, ["abc"]);
    assert.deepEqual(registered, []);
    assert.match(outcome, /^Failed to declare PageGuardSettings watch: zoneId: .* \[program-refused\]$/);
  });

  it("continue without a refused resource if they catch the error", async () => {
    const right = `new PageGuardSettings("right", { zoneId: "${zoneA}", enabled: true }, { parent: shop });`;
    const { registered, outcome } = await runPackaged(folder, `try { ${watch} } catch {} ${right}`, ["abc"]);
    assert.deepEqual([registered, outcome], [["right"], ""]);
  });

  it("fail if the promise of an input is rejected", async () => {
    const late = `new PageGuardSettings("late", { zoneId: Promise.reject(new Error("no zone")), enabled: true });`;
    const { registered, outcome } = await runPackaged(folder, late, [zoneA]);
    assert.deepEqual(registered, []);
    assert.match(outcome, /no zone/);
  });

  it("wait for reads that are under way and for the resources that they declare from them", async () => {
    const sim = await startSimulator();
    sim.zones.seed(zoneA);
    sim.latencyMs = 100;
    process.env["PAGE_GUARD_TEST_TOKEN_OF_A_READ"] = sim.token;
    const connection = `{ baseUrl: "${sim.url}", tokenEnv: "PAGE_GUARD_TEST_TOKEN_OF_A_READ" }`;
    try {
      const read = `getScripts({ zoneId, connection: ${connection} }).then(() => { ${watch} });`;
      const { registered, outcome } = await runPackaged(folder, read, [zoneA]);
      assert.deepEqual([registered, outcome], [["watch"], ""]);
    } finally {
      delete process.env["PAGE_GUARD_TEST_TOKEN_OF_A_READ"];
      await sim.stop();
    }
  });

  it("read the engine's environment, like their resources", async () => {
    const read = 'await getScripts({ zoneId, connection: { tokenEnv: "PAGE_GUARD_TEST_NO_SUCH_TOKEN" } });';
    const { outcome } = await runPackaged(folder, read, [zoneA]);
    assert.match(outcome, /Set the environment variable PAGE_GUARD_TEST_NO_SUCH_TOKEN/);
    assert.doesNotMatch(outcome, /inline program/);
  });
});
