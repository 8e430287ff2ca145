import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startSimulator } from "../../provider/src/simulator";
import { zoneA } from "../small-engine/zones";
import { runPackaged } from "./support/fake-engine";

const watch = 'new PageGuardSettings("watch", { zoneId, enabled: true }, { parent: shop });';
const loose = `new CspPolicy(
  "csp",
  { zoneId, description: "", action: "log", expression: "true", value: "script-src 'unsafe-inline'" },
  { parent: shop },
);`;

describe("Components that a package constructs for programs in other processes", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-packaged-"));
    symlinkSync(resolve(__dirname, "../../node_modules"), join(folder, "node_modules"));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it("fail when they are refused, after all that was found in them was told, and say that this is about them alone", async () => {
    const { registered, errors, warnings, outcome } = await runPackaged(folder, loose + watch, ["abc"]);
    assert.deepEqual(registered, []);
    assert.equal(errors.length, 2);
    for (const error of errors) assert.match(error, /zoneId: a zone id is 32 hexadecimal characters/);
    assert.match(warnings.join("\n"), /unsafe-inline/);
    assert.match(
      outcome,
      /^2 problems in what the component declares \(CspPolicy csp, PageGuardSettings watch\)/,
    );
    assert.match(
      outcome,
      /Nothing of it was changed; the rest of the program may have been\. \[program-refused\]$/,
    );
  });

  it("do not wait for what is told of resources that will never be there", async () => {
    const right = 'new PageGuardSettings("right", { zoneId: "%s", enabled: true }, { parent: shop })';
    const stuck = `pulumi.log.info("made", ${right.replace("%s", zoneA)}); ${watch}`;
    const { registered, outcome } = await runPackaged(folder, stuck, ["abc"]);
    assert.deepEqual(registered, []);
    assert.match(
      outcome,
      /1 problem in what the component declares \(PageGuardSettings watch: zoneId: a zone id is 32/,
    );
  });

  it("do not end well before a read that is under way, and what they make of it", async () => {
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

  it("read the environment of the engine, as their resources do", async () => {
    const read = 'await getScripts({ zoneId, connection: { tokenEnv: "PAGE_GUARD_TEST_NO_SUCH_TOKEN" } });';
    const { outcome } = await runPackaged(folder, read, [zoneA]);
    assert.match(outcome, /Set the environment variable PAGE_GUARD_TEST_NO_SUCH_TOKEN/);
    assert.doesNotMatch(outcome, /inline program/);
  });
});
