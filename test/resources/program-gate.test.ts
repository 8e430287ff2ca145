import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(__dirname, "../..");

/** Runs a program of its own under mocks: what a refused one does to the process is what matters. */
function run(program: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const text = `
    require("ts-node/register/transpile-only");
    const pulumi = require("@pulumi/pulumi");
    const { CspPolicy, PageGuardSettings } = require("./provider/src/index.ts");
    const zoneId = "0".repeat(32);
    const registered = (resource) => resource.id.apply((id) => console.log("registered " + id));
    pulumi.runtime
      .setMocks({ newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: () => ({}) })
      .then(() => { ${program} });`;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["-e", text], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (part) => {
      output += part;
    });
    child.stderr.on("data", (part) => {
      output += part;
    });
    child.on("close", (code) => resolve({ code, output }));
  });
}

describe("what a program declares in one go", function () {
  this.timeout(120_000);

  it("passes when all of it is right", async () => {
    const { code, output } = await run(`
      registered(new PageGuardSettings("one", { zoneId, enabled: true }));
      registered(new PageGuardSettings("two", { zoneId, enabled: true }));`);
    assert.equal(code, 0, output);
    assert.match(output, /registered one/);
    assert.match(output, /registered two/);
  });

  it("is refused as a whole when some of it is wrong, before or after: nothing gets registered, and the sum is told once", async () => {
    const { code, output } = await run(`
      registered(new PageGuardSettings("right", { zoneId, enabled: true }));
      registered(new PageGuardSettings("wrong", { zoneId: "abc", enabled: "yes" }));
      registered(new CspPolicy("csp", { zoneId, description: "", action: "log", expression: "true" }));
      registered(new PageGuardSettings("last", { zoneId, enabled: true }));`);
    assert.notEqual(code, 0);
    assert.doesNotMatch(output, /registered/);
    assert.equal(
      output.match(/3 problems in what the program declares \(PageGuardSettings wrong, CspPolicy csp\)/g)
        ?.length,
      1,
      output,
    );
  });

  it("does not hold up what comes later, in another turn of the program", async () => {
    const { code, output } = await run(`
      registered(new PageGuardSettings("first", { zoneId, enabled: true }));
      setTimeout(() => registered(new PageGuardSettings("later", { zoneId, enabled: true })), 20);`);
    assert.equal(code, 0, output);
    assert.match(output, /registered later/);
  });
});
