import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { changesOf } from "./real-engine/preview";
import { type Story, useStories, zoneA, zoneB } from "./real-engine/story";
import { managed, sharedZone } from "./real-engine/three-resources";
import {
  adoptExported,
  type Example,
  followReadme,
  foundZones,
  importAll,
  installedExample,
  useInstalled,
} from "./support/language-program";
import { inWordsOfTheTable, refusalTable } from "./support/refusal-table";

describe("The plugin, in a program in Python", function () {
  const begin = useStories(this);
  let example: Example | undefined;

  before("install the example, with its SDK", async function () {
    example = await installedExample("python", this);
  });

  after(() => {
    if (example) rmSync(example.place.folder, { recursive: true, force: true });
  });

  /** A stack whose program is one of test/engine/python, and which declares these zones. */
  async function beginWith(program: string, zones: Parameters<typeof begin>[0]): Promise<Story> {
    assert.ok(example);
    const story = await begin(zones);
    useInstalled(example, story.stack);
    cpSync(join(__dirname, "python", program), join(story.stack.place.project, "__main__.py"));
    story.stack.env["ZONES"] = `${zoneA},${zoneB}`;
    return story;
  }

  it("given the example, when it is applied as its README says, then the zone has what it declares, and the next preview is empty", async () => {
    assert.ok(example);
    const { sim, stack } = await begin({ [zoneA]: {} });
    await followReadme(example, stack, zoneA);
    assert.equal(sim.zone(zoneA).settings.enabled, true);
    assert.deepEqual(
      sim.zone(zoneA).policies.map(({ value: text }) => text),
      ["script-src 'self' https://js.payments.example; object-src 'none'"],
    );
  });

  it("given all resources, secret and unknown inputs and two providers, when they are applied, cut off, edited, changed by someone else and destroyed, then each step shows just that", async () => {
    const { sim, stack } = await beginWith("all_resources.py", { [zoneA]: sharedZone, [zoneB]: {} });
    const found = { a: sim.zone(zoneA), b: sim.zone(zoneB) };
    Object.assign(stack.env, { SECOND_TOKEN: sim.token, SECOND_URL: sim.url });
    const names = ["csp", "later", "policies", "second", "waf", "watch"];
    assert.deepEqual(
      changesOf(await stack.preview()),
      names.map((name) => `create ${name}`),
    );
    assert.deepEqual(sim.changing(), [], "a preview changes nothing");

    stack.killProviderAt({ at: "processed", method: "POST", path: /policies$/ });
    await stack.upFails();
    stack.killLeftOver();
    stack.unlock();
    await stack.up();
    await stack.expectEmptyPreview();
    await stack.expectNoDrift();
    const { policies } = sim.zone(zoneA);
    assert.equal(policies.length, 5, "the policy that was there, and each of the four once");
    const idOf = (description: string) => policies.find((policy) => policy.description === description)?.id;
    assert.ok(idOf("found False"), "the description was known after the other zone's settings");
    const outputs = JSON.parse((await stack.run("stack", "output", "--json")).stdout);
    assert.deepEqual(outputs, { blog: idOf("blog_Posts"), found: false, managed });
    assert.deepEqual(
      sim
        .changing()
        .filter(({ path }) => path.includes(zoneB))
        .map(({ path }) => /page_(guard|shield)/.exec(path)?.[0]),
      ["page_shield"],
      "the provider that the program declares spells its paths",
    );

    stack.env["EDITION"] = "; img-src 'self'";
    assert.deepEqual(changesOf(await stack.preview()), [
      "update csp: description",
      "update policies: policies.news.value",
      "update waf: rules[0].description",
      "update watch: useVendorReportingEndpoint",
    ]);
    await stack.up();
    await stack.expectEmptyPreview();

    sim.dashboard.setSettings(zoneA, { enabled: false });
    sim.dashboard.putPolicy(zoneA, { id: idOf("checkout") ?? "", expression: "false" });
    sim.dashboard.putPolicy(zoneA, { id: idOf("blog_Posts") ?? "", value: "script-src 'none'" });
    sim.dashboard.changeRule(zoneA, sim.zone(zoneA).entrypoint?.rules.at(-1)?.id ?? "", {
      expression: "false",
    });
    await stack.seesDrift();
    assert.deepEqual(changesOf(await stack.preview("--refresh")), [
      "update csp: expression",
      'update policies: policies.blog_Posts.directives["script-src"][0]',
      "update waf: rules[0].expression",
      "update watch: enabled",
    ]);
    await stack.up("--refresh");
    await stack.expectNoDrift();

    assert.ok(
      !readFileSync(stack.checkpoint, "utf8").includes("hidden-cdn"),
      "the state holds it in plain text",
    );
    assert.ok(!stack.said.includes("hidden-cdn"), "it was shown");
    await stack.destroy();
    assert.deepEqual(sim.zone(zoneA).policies, found.a.policies);
    assert.equal(sim.zone(zoneA).settings.enabled, found.a.settings.enabled);
    assert.equal(sim.zone(zoneB).settings.enabled, found.b.settings.enabled);
    assert.deepEqual(
      sim.zone(zoneA).entrypoint?.rules.map(({ description }) => description),
      found.a.entrypoint?.rules.map(({ description }) => description),
    );
  });

  it("given mistakes, when the program is previewed, then findings and the errors of functions have their codes, and functions give what is there", async () => {
    const { sim, stack } = await beginWith("mistakes.py", {
      [zoneA]: { scripts: 150, policies: [{ description: "blog" }] },
    });
    stack.env["MISTAKE"] = "policy";
    const said = await stack.fails("preview", "--diff");
    assert.match(
      said,
      /CspPolicySet resource 'wrong' has a problem: policies\.news\.action: .* \[input-invalid\]/,
    );
    assert.match(said, /warning: value: .*unsafe-eval.* \[csp-lint-security-unsafe-eval\]/);
    stack.env["MISTAKE"] = "limit";
    assert.match(await stack.fails("preview"), /limit: 0 is not a whole number of at least 1.* \[PG_INPUT\]/);
    stack.env["MISTAKE"] = "";
    await stack.up();
    const { stdout } = await stack.run("stack", "output", "--json");
    const { last, policy, enabled } = JSON.parse(stdout);
    assert.ok(sim.zone(zoneA).scripts.some(({ id }) => id === last));
    assert.deepEqual({ policy, enabled }, { policy: "blog", enabled: false });
  });

  it("given an export of zones that were set up by hand, when it is applied, then nothing is changed and the next preview is empty", async () => {
    assert.ok(example);
    await adoptExported(example, await begin({ [zoneA]: {}, [zoneB]: {} }), "python");
  });

  it("given zones that were set up by hand, when they are imported, then the preview of the program that Pulumi writes is empty", async () => {
    const story = await beginWith("mistakes.py", foundZones);
    const { sim, stack } = story;
    await importAll(story, "__main__.py");
    await stack.expectEmptyPreview();
    await stack.expectNoDrift();
    assert.deepEqual(sim.changing(), []);
  });

  it("given a zone on the previous WAF, when it is migrated, destroyed, edited away and forgotten, then it is migrated once, and refused as in TypeScript", async () => {
    const { sim, stack } = await beginWith("migration.py", {
      [zoneA]: { waf: { firewallRules: 1 } },
      [zoneB]: { waf: {} },
    });
    stack.env["STEP"] = "not confirmed";
    assert.match(await stack.fails("preview"), /confirm.* \[\w[\w-]+\]/);
    stack.env["STEP"] = "";
    assert.deepEqual(changesOf(await stack.preview()), [
      "create entrypoint",
      "create waf-step",
      "create watch",
    ]);
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 0, "a preview migrates nothing");
    await stack.up();
    await stack.expectEmptyPreview();
    assert.equal(stack.state()["waf-step"]?.protect, true);

    const table = new Map(refusalTable().map(({ action, messages }) => [action, messages]));
    const urn =
      "urn:pulumi:dev::story::page-guard:index:WafMigration$page-guard:index:WafMigrationStep::waf-step";
    for (const [action, step, ...command] of [
      ["`pulumi destroy --run-program`", "", "destroy", "--yes", "--run-program"],
      ["component removed, `pulumi preview`", "removed", "preview"],
      ["renamed without an alias, `pulumi preview`", "renamed", "preview"],
      ["`zoneId` changed", "other zone", "preview"],
    ] as const) {
      stack.env["STEP"] = step;
      const said = inWordsOfTheTable(await stack.fails(...command), { urn, zoneId: zoneA });
      const messages = table.get(action) ?? [];
      assert.ok(messages.length > 0, action);
      for (const message of messages) assert.ok(said.includes(message), `${action}: ${message}\n${said}`);
    }

    stack.env["STEP"] = "renamed with an alias";
    await stack.up();
    assert.ok(stack.state()["moved-step"]);
    stack.env["STEP"] = "allowed to forget";
    await stack.up();
    await stack.destroy();
    assert.deepEqual(stack.resources(), []);
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
    assert.equal(sim.zone(zoneB).waf.stage, "old");
  });
});
