import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Declaration,
  faces,
  migration,
  outputOf,
  policy,
  secret,
  settings,
  text,
} from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";

const quiet = { scripts: 0, connections: 0, cookies: 0 };
const enterprise = { ...quiet, plan: "enterprise", waf: {} } as const;
const harmless = "script-src 'self'; object-src 'none'; base-uri 'self'";

/** Programs that show one thing and do another, and the input that differs. */
const twoFaces: Readonly<Record<string, readonly [Declaration, RegExp]>> = {
  "an action and a value": [
    {
      csp: policy({
        zoneId: zoneA,
        action: faces("log", "allow"),
        value: faces("script-src 'self'", "script-src * 'unsafe-inline'"),
        impact: "off",
        lint: "off",
      }),
    },
    /action, value/,
  ],
  "a secret": [
    { csp: policy({ zoneId: zoneA, value: secret(faces(harmless, "script-src https://hush.example.com")) }) },
    /value/,
  ],
};

describe("On the engine: a program that shows one thing and does another", function () {
  const begin = useStories(this);

  async function beginStory() {
    const story = await begin({
      [zoneA]: { ...quiet, plan: "enterprise" },
      [zoneB]: enterprise,
    });
    return { ...story, pipeline: new Pipeline(story.stack) };
  }

  for (const [what, [declaration, input]] of Object.entries(twoFaces)) {
    it(`given a program whose preview and update differ in ${what}, when it is applied, then apply changes nothing, names the input and exits with 2`, async () => {
      const { sim, stack, pipeline } = await beginStory();
      stack.declare(declaration);
      await pipeline.approve();
      const said = await pipeline.refusedMidway();
      assert.match(said, /\nNothing was changed\.\n/);
      assert.match(said.slice(said.indexOf("This is not what was approved")), input);
      assert.doesNotMatch(stack.said, /hush/);
      assert.deepEqual(sim.changing(), []);
    });
  }

  it("given an input that is known only in the update, when it is applied, then apply refuses it unless --allow names it; it always refuses that of a migration", async () => {
    const { sim, stack, pipeline } = await beginStory();
    const watch = settings({ zoneId: zoneA, enabled: true });
    const late = policy({
      zoneId: zoneA,
      value: harmless,
      expression: text('http.host eq "', outputOf("watch", "id"), '.example.com"'),
    });
    stack.declare({ watch, csp: late });
    await pipeline.approve();
    assert.match(
      await pipeline.refuses(),
      /csp \(CspPolicy\): the input expression is only known after .*allow it with --allow unknown-input=csp\.expression\./s,
    );
    assert.deepEqual(sim.changing(), []);
    await pipeline.applies("--allow", "unknown-input=csp.expression");
    assert.equal(sim.zone(zoneA).policies.length, 1);

    const more = { watch: settings({ zoneId: zoneA, enabled: false }), csp: late };
    const waf = migration({ zoneId: zoneB, confirm: outputOf("watch", "updatedAt") });
    stack.declare({ ...more, waf });
    await pipeline.approve();
    const allowed = ["csp.expression", "waf.confirm"].map((name) => `unknown-input=${name}`).join(",");
    const refused = await pipeline.refuses("--allow", allowed);
    assert.match(refused, /waf \(WafMigration\): the input confirm is only known after/);
  });

  it("given a resource of another package that differs in the update, when it is applied, then the engine's plan refuses it, and apply reports the changes made before", async () => {
    const { sim, stack, pipeline } = await beginStory();
    const program = (more: string): void =>
      writeFileSync(
        join(stack.place.project, "index.js"),
        `const pulumi = require("@pulumi/pulumi");
const { PageGuardSettings } = require("pulumi-page-guard");
const dry = pulumi.runtime.isDryRun();
class Other extends pulumi.dynamic.Resource {
  constructor(name, args, options) {
    super({ create: async (inputs) => ({ id: "1", outs: inputs }), update: async (_, __, news) => ({ outs: news }) }, name, args, options);
  }
}
const watch = new PageGuardSettings("watch", { zoneId: "${zoneA}", enabled: true });
${more}
`,
      );
    program(`if (!dry) new Other("other", { size: 1 }, { dependsOn: watch });`);
    await pipeline.approve();
    const said = await pipeline.refusedMidway();
    assert.match(said, /other/);
    assert.match(said, /Done by then: created watch \(PageGuardSettings\)\./);
    assert.equal(sim.changing().length, 1);

    program(`new Other("other", { hidden: pulumi.secret(dry ? "hush-a" : "hush-b"), size: 1 });`);
    await pipeline.approve();
    const other = await pipeline.refusedMidway();
    assert.match(other, /Nothing was changed\./);
    assert.match(other, /the engine's plan has other inputs for other \(Resource\): hidden/);
    assert.equal(sim.changing().length, 1);
    assert.doesNotMatch(readFileSync(pipeline.file, "utf8") + stack.said, /hush/);
  });

  it("given a resource with a policy's type and the program's own code, when it is applied, then apply refuses it and never runs that code", async () => {
    const { sim, stack, pipeline } = await beginStory();
    const ran = join(stack.place.folder, "ran");
    const program = (resource: string): void =>
      writeFileSync(
        join(stack.place.project, "index.js"),
        `const pulumi = require("@pulumi/pulumi");
const declared = { zoneId: "${zoneA}", description: "checkout", action: "log", expression: "true", value: "script-src 'self'", lint: "off", impact: "off" };
const type = "pulumi-nodejs:dynamic/page-guard:CspPolicy";
${resource}
`,
      );
    program(`new (require("pulumi-page-guard").CspPolicy)("csp", declared);`);
    await pipeline.approve();
    const code = `exports.handler=()=>({check:async(_,inputs)=>({inputs}),create:async()=>{require("node:fs").writeFileSync(${JSON.stringify(ran)},"");return{id:"1",outs:{}}}})`;
    const ours = `exports.handler=()=>require("pulumi-page-guard/runtime").CspPolicy`;
    for (const forged of [
      `new pulumi.CustomResource(type, "csp", { ...declared, __provider: ${JSON.stringify(code)} });`,
      `const provider = new pulumi.ProviderResource("pulumi-nodejs", "own", {}, { envVarMappings: { HOME: "ANOTHER" } });
new pulumi.CustomResource(type, "csp", { ...declared, __provider: '${ours}' }, { provider });`,
    ]) {
      program(forged);
      assert.match(await pipeline.refuses(), /csp: this was not shown at approval: .*\[provider-forged\]/);
    }
    assert.ok(!existsSync(ran));
    assert.deepEqual(sim.changing(), []);
  });
});
