import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { each } from "../support/each";
import { newPlace, type Place } from "./real-engine/engine";
import { changesOf } from "./real-engine/preview";
import { type Story, useStories, zoneA, zoneB } from "./real-engine/story";
import { managed, sharedZone } from "./real-engine/three-resources";
import {
  adoptExported,
  type Example,
  foundZones,
  importAll,
  toolsFor,
  useInstalled,
} from "./support/language-program";
import { playTemplate } from "./support/template";

for (const [language, program] of [
  ["python", "__main__.py"],
  ["go", "main.go"],
] as const) {
  describe(`The plugin, in a program in ${language}`, function () {
    const begin = useStories(this);
    let env: NodeJS.ProcessEnv;
    let place: Place | undefined;
    let example: Example | undefined;

    before(async function () {
      env = await toolsFor(language, this);
      place = await newPlace();
    });

    after(() => {
      if (place) rmSync(place.folder, { recursive: true, force: true });
    });

    // The next stories use what it has installed.
    it("given its template, then the commands of the README create a project for one zone, and a zones.yaml", async () => {
      assert.ok(place);
      const { stack, sim } = await begin({ [zoneA]: {} });
      const project = await playTemplate(language, place, { ...stack.env, ...env }, sim);
      example = { language, project, env };
    });

    /** Begins a story whose stack runs programs in the language. */
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
      assert.deepEqual(story.sim.changing(), []);
      const found = story.sim.zone(zoneB).entrypoint?.rules;
      const target = ["--target", "**ManagedWafEntrypoint**"];
      const { code, output } = await story.stack.run("destroy", "--yes", "--skip-preview", ...target);
      assert.equal(code, 0, output);
      assert.deepEqual(story.sim.zone(zoneB).entrypoint?.rules, found, "a destroy leaves imported rules");
    });

    if (language !== "python") return;

    it("given resources with secret and unknown inputs, when they are applied, edited and destroyed, then each step shows exactly its changes", async () => {
      const { sim, stack } = await beginWith({ [zoneA]: sharedZone });
      cpSync(join(__dirname, "python/all_resources.py"), join(stack.place.project, program));
      stack.env["ZONE"] = zoneA;
      const found = sim.zone(zoneA);
      const created = ["csp", "later", "policies", "waf", "watch"].map((name) => `create ${name}`);
      assert.deepEqual(changesOf(await stack.preview()), created);
      assert.deepEqual(sim.changing(), [], "a preview changes nothing");

      await stack.up();
      await stack.expectEmptyPreview();
      const { policies } = sim.zone(zoneA);
      assert.equal(policies.length, 5, "the unmanaged policy, and each of the four once");
      const idOf = (description: string) => policies.find((policy) => policy.description === description)?.id;
      assert.ok(idOf("found False"), "the description was known after the settings");
      const outputs = JSON.parse((await stack.run("stack", "output", "--json")).stdout);
      assert.deepEqual(outputs, { blog: idOf("blog_Posts"), found: false, managed });

      stack.env["EDITION"] = "; img-src 'self'";
      assert.deepEqual(changesOf(await stack.preview()), [
        "update csp: description",
        "update later: description",
        "update policies: policies.news.value",
        "update waf: rules[0].description",
        "update watch: useVendorReportingEndpoint",
      ]);
      await stack.up();

      const state = readFileSync(stack.checkpoint, "utf8");
      assert.ok(!state.includes("hidden-cdn"), "the state holds the secret in plain text");
      assert.ok(!stack.said.includes("hidden-cdn"), "the secret was shown");
      await stack.destroy();
      const { policies: left, settings, entrypoint } = sim.zone(zoneA);
      assert.deepEqual([left, settings.enabled], [found.policies, found.settings.enabled]);
      assert.deepEqual(each(entrypoint?.rules, "description"), each(found.entrypoint?.rules, "description"));
    });
  });
}
