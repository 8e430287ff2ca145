import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { runPulumi } from "./real-engine/engine";
import { useStories, zoneA } from "./real-engine/story";
import { hostYaml } from "./support/yaml-program";

const root = resolve(__dirname, "../..");

/** Those in Python and Go are run by test/engine/{python,go}.test.ts, as their README says. */
describe("The templates, for pulumi new", function () {
  const begin = useStories(this);

  for (const language of ["typescript", "yaml"] as const) {
    it(`${language}: makes a folder in which the package is installed a project with one zone, and a zones.yaml`, async () => {
      const { stack, sim } = await begin({ [zoneA]: {} });
      const project = join(stack.place.folder, `new-${language}`);
      mkdirSync(project);
      const place = { ...stack.place, project };
      const template = join(root, "templates", language);
      // Its plugin has to be there first: the engine looks for it while it makes the project.
      symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
      if (language === "yaml") await hostYaml({ place, env: stack.env });
      const made = await runPulumi(
        place,
        [
          "new",
          template,
          "--yes",
          "--name",
          "shop-guard",
          "--generate-only",
          "--force",
          "--config",
          `zoneId=${zoneA}`,
        ],
        stack.env,
      ).ended;
      assert.equal(made.code, 0, made.output);
      assert.match(readFileSync(join(project, "Pulumi.yaml"), "utf8"), /^name: shop-guard$/m);
      assert.ok(existsSync(join(project, "zones.yaml")));
      for (const args of [
        ["stack", "init", "new"],
        ["config", "set", "zoneId", zoneA],
        ["up", "--yes", "--skip-preview"],
        ["preview", "--expect-no-changes"],
      ]) {
        const ended = await runPulumi(place, args, stack.env).ended;
        assert.equal(ended.code, 0, `pulumi ${args.join(" ")}:\n${ended.output}`);
      }
      assert.equal(sim.zone(zoneA).policies.length, 1);
    });
  }
});
