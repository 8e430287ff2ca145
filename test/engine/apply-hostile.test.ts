import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { policy } from "../real-engine/declaration";
import { emptyStack, runPulumi } from "../real-engine/engine";
import type { Stack } from "../real-engine/stack";
import { useStories, zoneA } from "../real-engine/story";
import { Pipeline } from "./support/pipeline";

const quiet = { scripts: 0, connections: 0, cookies: 0 };
const key = "0123456789abcdef0123456789abcdef";

/** A program of its own, with the SDK, the package, and whether it is a preview. */
function program(stack: Stack, body: string): void {
  const head = `const { readFileSync, writeFileSync, appendFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const { CspPolicy } = require("pulumi-page-guard");
const dry = pulumi.runtime.isDryRun();
const declared = { zoneId: "${zoneA}", description: "checkout", action: "log", expression: "true", value: "script-src 'self'", lint: "off", impact: "off" };
`;
  writeFileSync(join(stack.place.project, "index.js"), head + body);
}

describe("On the engine: a program that works against its approval", function () {
  const begin = useStories(this);

  it("given a program that overwrites the approved file, when it is applied with a key, then the file is refused; no process of pulumi gets the key", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet });
    const pipeline = new Pipeline(stack);
    stack.env["PAGE_GUARD_APPROVAL_KEY"] = key;
    const seen = join(stack.place.folder, "seen");
    // Whoever trusts the file finds its own words there.
    program(
      stack,
      `appendFileSync(${JSON.stringify(seen)}, JSON.stringify([dry, "PAGE_GUARD_APPROVAL_DIGEST_KEY" in process.env, JSON.stringify(process.env).includes("${key}")]));
const file = process.env.PAGE_GUARD_APPROVED;
if (file) writeFileSync(file, readFileSync(file, "utf8").replaceAll('"log"', '"allow"'));
new CspPolicy("csp", declared);
`,
    );
    await pipeline.approve();
    const approved = readFileSync(pipeline.file, "utf8");
    const said = await pipeline.refusedMidway();
    assert.notEqual(readFileSync(pipeline.file, "utf8"), approved);
    assert.match(said, /has changed since `page-guard apply` read it/);
    assert.match(said, /\nNothing was changed\.\n/);
    assert.deepEqual(sim.changing(), []);

    // Preview, comparison and update: the derived key, and not the key.
    assert.equal(readFileSync(seen, "utf8"), "[true,true,false][true,true,false][false,true,false]");
  });

  it("given a resource with a policy's type and the program's own code, then review reports it, nothing is approved, and apply never runs that code", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet });
    const pipeline = new Pipeline(stack);
    program(stack, `new CspPolicy("csp", declared);`);
    await pipeline.approve();
    const ran = join(stack.place.folder, "ran");
    const code = `exports.handler=()=>({check:async(_,inputs)=>({inputs}),create:async()=>{require("node:fs").writeFileSync(${JSON.stringify(ran)},"");return{id:"1",outs:{}}}})`;
    program(
      stack,
      `new pulumi.CustomResource("pulumi-nodejs:dynamic/page-guard:CspPolicy", "csp", { ...declared, __provider: ${JSON.stringify(code)} });`,
    );
    assert.match(
      await pipeline.refuses(),
      /csp has a type of this package, but its provider is the program's own/,
    );
    // One with an environment of its own, in which the approved file could be another one.
    program(
      stack,
      `const provider = new pulumi.ProviderResource("pulumi-nodejs", "own", {}, { envVarMappings: { HOME: "PAGE_GUARD_APPROVED" } });
new pulumi.CustomResource("pulumi-nodejs:dynamic/page-guard:CspPolicy", "csp", { ...declared, __provider: 'exports.handler=()=>require("pulumi-page-guard/runtime").CspPolicy' }, { provider });`,
    );
    assert.match(
      await pipeline.refuses(),
      /csp has a type of this package, but its provider is the program's own/,
    );
    assert.ok(!existsSync(ran));
    assert.deepEqual(sim.changing(), []);
  });

  it("given another token in the stack's config than at approval, then the plan refuses it, nothing is changed, and neither is shown", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet });
    const pipeline = new Pipeline(stack);
    const configured = async (token: string) => {
      const { code, output } = await stack.run("config", "set", "--secret", "page-guard:apiToken", token);
      assert.equal(code, 0, output);
    };
    await configured("hush-a");
    program(stack, `new CspPolicy("csp", declared);`);
    await pipeline.approve();
    await configured("hush-b");
    const said = await pipeline.refusedMidway();
    assert.match(said, /the engine's plan has other inputs for default \(.*\).*\nNothing was changed\./);
    assert.doesNotMatch(said, /hush/);
    assert.deepEqual(sim.changing(), []);
  });

  it("given the approved file of one stack, when another stack with the same program is updated by hand, then nothing is changed", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet });
    const { place } = stack;
    stack.declare({ csp: policy({ zoneId: zoneA }) });
    const pipeline = new Pipeline(stack);
    await pipeline.approve();
    emptyStack(place, place.project, "prod");
    const up = ["up", "--stack", "prod", "--yes", "--skip-preview", "--non-interactive"];
    const { code, output } = await runPulumi(place, up, {
      ...stack.env,
      PAGE_GUARD_APPROVED: pipeline.file,
    }).ended;
    assert.notEqual(code, 0);
    assert.match(output, /What was approved is the stack dev of story, and this is prod of story\./);
    assert.deepEqual(sim.changing(), []);
  });
});
