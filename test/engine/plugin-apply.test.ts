import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { each } from "../support/each";
import { changesOf } from "./real-engine/preview";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { managed } from "./real-engine/three-resources";
import { Pipeline } from "./support/pipeline";
import { from, migration, pluginFolder, resource, useYaml, type YamlResource } from "./support/yaml-program";

const zoneC = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf";
const zoneD = "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf";
const quiet = { scripts: 0, connections: 0, cookies: 0 };
const enterprise = { ...quiet, plan: "enterprise", waf: { firewallRules: 1 } } as const;
const harmless = "script-src 'self'; object-src 'none'; base-uri 'self'";
const theirs = {
  description: "of a colleague",
  action: "log",
  expression: "false",
  value: "script-src 'none'",
};

type Resources = Readonly<Record<string, YamlResource>>;

describe("On the engine: review and apply of a program in YAML", function () {
  const begin = useStories(this);
  const secret = (value: string) => ({ "fn::secret": value });
  const csp = (more: object) =>
    resource("CspPolicy", {
      zoneId: zoneA,
      description: "checkout",
      action: "log",
      expression: "true",
      lint: "off",
      ...more,
    });
  const entry = { action: "log", expression: "true", value: harmless };

  it("given all resources and an explicit provider, when they are approved and applied, then the review shows all changes, and apply makes all of them, or none if a zone has changed", async () => {
    const { sim, stack, unmanaged } = await begin({
      [zoneA]: { ...quiet, plan: "enterprise" },
      [zoneB]: enterprise,
      [zoneC]: { ...quiet, policies: [theirs] },
      [zoneD]: quiet,
    });
    for (const { id } of sim.zone(zoneC).policies) unmanaged.release(id);
    const declare = await useYaml(stack);
    const pipeline = new Pipeline(stack);
    await stack.run("config", "set", "--secret", "token", sim.token);
    const own = (service: string): YamlResource => ({
      type: "pulumi:providers:page-guard",
      properties: { apiToken: from("token"), baseUrl: sim.url, service },
    });
    const rules = [{ action: "execute", expression: "true", actionParameters: { id: managed } }];
    const first = (value: string): Resources => ({
      own: own("page_guard"),
      watch: resource("PageGuardSettings", { zoneId: zoneD, enabled: true }, { provider: from("own") }),
      csp: csp({ value: secret(value) }),
      set: resource("CspPolicySet", { zoneId: zoneC, policies: { blog: entry }, others: "delete" }),
      list: resource("ManagedWafEntrypoint", { zoneId: zoneA, rules }),
      waf: migration({ zoneId: zoneB }),
      // They are unknown in the review, but need no --allow: they come from the migration.
      moved: resource("ManagedWafEntrypoint", {
        zoneId: zoneB,
        name: from("waf.configuration.name"),
        rules: from("waf.configuration.rules"),
      }),
    });
    const program = (resources: Resources) =>
      declare({ config: { token: { type: "string", secret: true } }, resources });
    const hidden = `${harmless}; font-src https://hush.example.com`;
    program(first(hidden));
    const review = await pipeline.approve("--markdown", "-");
    assert.match(review, /1 WAF migration in 1 zone cannot be undone/);
    assert.match(review, /1 unmanaged policy will be deleted or overwritten/);
    assert.match(review, /CAUTION\][\s\S]*> - \*\*WafMigration waf\*\*.*stage `finished`/);
    assert.match(review, /> - .*FINISHES the WAF migration/);
    assert.match(review, /policy "of a colleague"\*\* deleted by CspPolicySet set/);
    const places = ["WafMigration waf", "of a colleague"].map((text) => review.indexOf(text));
    assert.ok((places[0] ?? 0) < (places[1] ?? 0), "irreversible changes come first");
    assert.match(review, /3 policies, 1 WAF rule and settings of 1 zone to create|to create/);
    assert.doesNotMatch(review, /other package|hush/);
    assert.doesNotMatch(readFileSync(pipeline.file, "utf8"), /hush/);

    const late = sim.dashboard.putPolicy(zoneC, { ...theirs, description: "late" });
    const refused = await pipeline.refuses();
    assert.match(refused, new RegExp(`zone ${zoneC}: the policy "late" \\(${late.id}\\) is new`));
    sim.dashboard.deletePolicy(zoneC, late.id);
    assert.deepEqual(sim.changing(), []);
    program(first(hidden));
    const said = await pipeline.applies();
    assert.match(said, /As approved \(.*\): 7 to create; 4 zones checked/);
    assert.deepEqual(pipeline.notInState(), []);
    assert.equal(sim.zone(zoneB).waf.acceptedPending, 1);
    assert.deepEqual(each(sim.zone(zoneC).policies, "description"), ["blog"]);
    // Not expectEmptyPreview: the exact set reads its zone.
    assert.deepEqual(changesOf(await stack.preview()), []);

    // The second program updates, replaces, deletes and changes a connection.
    const { list: _list, ...kept } = first(hidden);
    const second: Resources = {
      ...kept,
      own: own("page_shield"),
      csp: csp({ zoneId: zoneB, value: secret(hidden) }),
      watch: resource("PageGuardSettings", { zoneId: zoneD, enabled: false }, { provider: from("own") }),
    };
    program(second);
    const next = await pipeline.approve("--markdown", "-");
    assert.match(next, /Protection gets weaker in 2 zones/);
    assert.match(next, /The connection was .*"page\\_guard".* and becomes .*"page\\_shield"/);
    const undo = join(stack.place.project, "undo");
    const done = await pipeline.applies("--undo", undo);
    for (const part of ["1 to replace", "1 to update", "1 to delete"]) assert.ok(done.includes(part), done);
    assert.match(readFileSync(join(undo, "UNDO.md"), "utf8"), /PageGuardSettings `[\w-]*settings`/);
    assert.deepEqual(changesOf(await stack.preview()), []);
    assert.doesNotMatch(stack.said, /hush/);
  });

  it("given an update that was cut off after it imported an object, when it is resumed with --allow no-change, then it does the rest", async () => {
    const { sim, stack, unmanaged } = await begin({ [zoneA]: { ...quiet, policies: [theirs] } });
    const declare = await useYaml(stack);
    const pipeline = new Pipeline(stack);
    const [{ id = "" } = {}] = sim.zone(zoneA).policies;
    unmanaged.release(id);
    const imported = csp(theirs);
    declare({
      resources: {
        taken: { ...imported, options: { import: `${zoneA}/${id}` } },
        fresh: csp({ value: harmless }),
      },
    });
    await pipeline.approve();
    await stack.up("--target", "**taken");
    await pipeline.applies("--allow", "no-change");
    await pipeline.applies("--allow", "no-change");
    assert.deepEqual(pipeline.notInState(), []);
    assert.equal(sim.zone(zoneA).policies.length, 2);
    assert.equal(sim.changing().length, 1);
  });

  it("given a secret that is not known yet, then apply asks for it as for any other unknown input, and never takes it for a migration", async () => {
    const { sim, stack } = await begin({ [zoneA]: { ...quiet, plan: "enterprise" }, [zoneB]: enterprise });
    const declare = await useYaml(stack);
    const pipeline = new Pipeline(stack);
    const base = csp({ description: "base", value: harmless });
    const late = { "fn::secret": from("base.policyId") };
    const override = { rulesetId: from("base.policyId"), ruleId: from("base.policyId"), enabled: false };
    const move = migration({ zoneId: zoneB, ruleOverrides: { "fn::secret": [override] } });
    declare({ resources: { base, move } });
    await pipeline.approve();
    assert.match(await pipeline.refuses(), /ruleOverrides is only known after .* a migration never starts/);
    declare({ resources: { base, late: csp({ description: late, value: harmless }) } });
    await pipeline.approve();
    assert.match(await pipeline.refuses(), /input description is only known after .*, so nobody has seen it/);
    assert.deepEqual(sim.changing(), []);
    await pipeline.applies("--allow", "unknown-input=late.description");
    assert.equal(typeof stack.state()["late"]?.inputs["description"], "object", "it is secret in the state");
    assert.equal(sim.zone(zoneA).policies.length, 2);
  });

  it("given a resource of the plugin's type, when its provider changes the environment, then apply refuses it; with another provider alone it is approved and applied", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet });
    const pipeline = new Pipeline(stack);
    const program = (provider: string) => {
      writeFileSync(
        join(stack.place.project, "index.js"),
        `const pulumi = require("@pulumi/pulumi");
class Provider extends pulumi.ProviderResource {}
const provider = ${provider};
new pulumi.CustomResource("page-guard:index:CspPolicy", "csp", { zoneId: "${zoneA}", description: "d", action: "log", expression: "true", value: "script-src 'self'", lint: "off" }, { provider });
`,
      );
      writeFileSync(
        join(stack.place.project, "Pulumi.yaml"),
        JSON.stringify({ name: "story", runtime: "nodejs", packages: { "page-guard": pluginFolder } }),
      );
    };
    program("undefined");
    await pipeline.approve();
    for (const provider of [
      `new Provider("page-guard", "own", {}, { envVarMappings: { HOME: "ANOTHER" } })`,
      `new Provider("page-guard", "x::pulumi:providers:page-guard::default_0_1_0", {}, { envVarMappings: { HOME: "ANOTHER" } })`,
    ]) {
      program(provider);
      assert.match(await pipeline.refuses(), /csp: this was not shown at approval: .*\[provider-forged\]/);
    }
    program(`new Provider("page-guard", "own", {})`);
    await pipeline.approve();
    await pipeline.applies();
    assert.equal(sim.changing().length, 1);
  });
});
