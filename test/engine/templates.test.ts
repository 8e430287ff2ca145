import { useStories, zoneA } from "./real-engine/story";
import { playTemplate } from "./support/template";
import { hostYaml } from "./support/yaml-program";

describe("On the engine: the templates for pulumi new", function () {
  const begin = useStories(this);

  // languages.test.ts plays those of Python and Go, and uses what they have installed.
  for (const language of ["typescript", "yaml"] as const) {
    it(`${language}: the commands of its README create a project for one zone, and a zones.yaml`, async () => {
      const { stack, sim } = await begin({ [zoneA]: {} });
      if (language === "yaml") await hostYaml(stack);
      await playTemplate(language, stack.place, stack.env, sim);
    });
  }
});
