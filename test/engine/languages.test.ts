import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { each } from "../support/each";
import { changesOf } from "./real-engine/preview";
import { type Story, useStories, zoneA, zoneB } from "./real-engine/story";
import { managed, sharedZone } from "./real-engine/three-resources";
import {
  adoptExported,
  type Example,
  foundZones,
  importAll,
  installedExample,
  useInstalled,
} from "./support/language-program";

for (const [language, program] of [
  ["python", "__main__.py"],
  ["go", "main.go"],
] as const) {
  describe(`The plugin, in a program in ${language}`, function () {
    const begin = useStories(this);
    let example: Example | undefined;

    before("install the example, with its SDK", async function () {
      example = await installedExample(language, this);
    });

    after(() => {
      if (example) rmSync(example.place.folder, { recursive: true, force: true });
    });

    /** A stack that runs programs in the language. */
    async function beginWith(zones: Parameters<typeof begin>[0]): Promise<Story> {
      assert.ok(example);
      const story = await begin(zones);
      useInstalled(example, story.stack);
      return story;
    }

    it("given an export of zones that were set up by hand, when it is applied, then nothing is changed and the next preview is empty", async () => {
      await adoptExported(await beginWith({ [zoneA]: {}, [zoneB]: {} }), language);
    });

    it("given zones that were set up by hand, when they are imported, then the preview of the program that Pulumi writes is empty", async () => {
      const story = await beginWith(foundZones);
      await importAll(story, program);
      await story.stack.expectEmptyPreview();
      await story.stack.expectNoDrift();
      assert.deepEqual(story.sim.changing(), []);
    });

    if (language !== "python") return;

    /** A stack whose program is one of test/engine/python. */
    async function beginPython(file: string, zones: Parameters<typeof begin>[0]): Promise<Story> {
      const story = await beginWith(zones);
      cpSync(join(__dirname, "python", file), join(story.stack.place.project, program));
      story.stack.env["ZONES"] = `${zoneA},${zoneB}`;
      return story;
    }

    it("given all resources, secret and unknown inputs and two providers, when they are applied, cut off, edited, changed by someone else and destroyed, then each step shows just that", async () => {
      const { sim, stack } = await beginPython("all_resources.py", { [zoneA]: sharedZone, [zoneB]: {} });
      const found = { a: sim.zone(zoneA), b: sim.zone(zoneB) };
      Object.assign(stack.env, { SECOND_TOKEN: sim.token, SECOND_URL: sim.url });
      const names = ["csp", "later", "policies", "second", "waf", "watch"];
      assert.deepEqual(
        changesOf(await stack.preview()),
        names.map((name) => `create ${name}`),
      );
      assert.deepEqual(sim.changing(), [], "a preview changes nothing");

      stack.killAt("provider", { at: "processed", method: "POST", path: /policies$/ });
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
        each(sim.zone(zoneA).entrypoint?.rules, "description"),
        found.a.entrypoint?.rules.map(({ description }) => description),
      );
    });

    it("given functions with valid and invalid arguments, when a program calls them, then they give what is there, or an error with its code", async () => {
      const { sim, stack } = await beginPython("functions.py", {
        [zoneA]: { scripts: 150, policies: [{ description: "blog" }] },
      });
      stack.env["LIMIT"] = "0";
      assert.match(
        await stack.fails("preview"),
        /limit: 0 is not a whole number of at least 1.* \[PG_INPUT\]/,
      );
      stack.env["LIMIT"] = "";
      await stack.up();
      const { stdout } = await stack.run("stack", "output", "--json");
      const { last, policy, enabled } = JSON.parse(stdout);
      assert.ok(sim.zone(zoneA).scripts.some(({ id }) => id === last));
      assert.deepEqual({ policy, enabled }, { policy: "blog", enabled: false });
    });
  });
}
