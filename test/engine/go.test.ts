import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import {
  adoptExported,
  type Example,
  followReadme,
  foundZones,
  importAll,
  installedExample,
  useInstalled,
} from "./support/language-program";

describe("The plugin, in a program in Go", function () {
  const begin = useStories(this);
  let example: Example | undefined;

  before("install the example, with its SDK", async function () {
    example = await installedExample("go", this);
  });

  after(() => {
    if (example) rmSync(example.place.folder, { recursive: true, force: true });
  });

  it("given the example, when it is applied as its README says, then the zone has what it declares, and the next preview is empty", async () => {
    assert.ok(example);
    const { sim, stack } = await begin({ [zoneA]: {} });
    await followReadme(example, stack, zoneA);
    assert.equal(sim.zone(zoneA).settings.enabled, true);
    assert.deepEqual(
      sim.zone(zoneA).policies.map(({ value }) => value),
      ["script-src 'self' https://js.payments.example; object-src 'none'"],
    );
  });

  it("given an export of zones that were set up by hand, when it is applied, then nothing is changed and the next preview is empty", async () => {
    assert.ok(example);
    await adoptExported(example, await begin({ [zoneA]: {}, [zoneB]: {} }), "go");
  });

  it("given zones that were set up by hand, when they are imported, then the preview of the program that Pulumi writes is empty", async () => {
    assert.ok(example);
    const story = await begin(foundZones);
    useInstalled(example, story.stack);
    await importAll(story, "main.go");
    await story.stack.expectEmptyPreview();
    assert.deepEqual(story.sim.changing(), []);
  });
});
