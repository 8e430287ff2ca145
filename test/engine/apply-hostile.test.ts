import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";

const quiet = { scripts: 0, connections: 0, cookies: 0 };

/** A program of its own, with the SDK and the package. */
function program(stack: Stack, body: string): void {
  const head = `const pulumi = require("@pulumi/pulumi");
const { CspPolicy } = require("pulumi-page-guard");
const declared = { zoneId: "${zoneA}", description: "checkout", action: "log", expression: "true", value: "script-src 'self'", lint: "off", impact: "off" };
`;
  writeFileSync(join(stack.place.project, "index.js"), head + body);
}

describe("On the engine: a program that works against its approval", function () {
  const begin = useStories(this);

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
    assert.match(await pipeline.refuses(), /csp: this was not shown at approval: .*\[provider-forged\]/);
    // One with an environment of its own.
    program(
      stack,
      `const provider = new pulumi.ProviderResource("pulumi-nodejs", "own", {}, { envVarMappings: { HOME: "ANOTHER" } });
new pulumi.CustomResource("pulumi-nodejs:dynamic/page-guard:CspPolicy", "csp", { ...declared, __provider: 'exports.handler=()=>require("pulumi-page-guard/runtime").CspPolicy' }, { provider });`,
    );
    assert.match(await pipeline.refuses(), /csp: this was not shown at approval: .*\[provider-forged\]/);
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
});
