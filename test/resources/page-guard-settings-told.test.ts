import assert from "node:assert/strict";
import { pageGuardSettings } from "../../provider/src/resources/page-guard-settings/lifecycle";
import type { ZoneSeed } from "../../provider/src/simulator";
import type { Properties } from "../small-engine/checkpoint";
import { quickStory, quietZone, zoneA } from "../small-engine/zones";

const begin = (settings: ZoneSeed["settings"] = {}) =>
  quickStory(pageGuardSettings, { [zoneA]: { ...quietZone, settings } });
const watch = (args: Properties = {}) => ({ watch: { zoneId: zoneA, enabled: true, ...args } });
const renamed =
  ' If this resource only got another name, or is made anew by --replace, what its first one had found is lost with it, unless it is deleted before (deleteBeforeReplace): keep it with aliases: [{ name: "the old name" }] in its options, or run `pulumi up --refresh`.';

describe("What PageGuardSettings tell of what they take over", () => {
  const told = async (settings: ZoneSeed["settings"], args: Properties = {}) => {
    const { engine } = begin(settings);
    await engine.preview(watch(args));
    return engine.warnings.map(({ text }) => text.replace(" [settings-taken-over]", ""));
  };
  const inUse =
    "the zone's settings are in use already (enabled true, useVendorReportingEndpoint true, useConnectionUrlPath false) and are taken over.";

  it("is nothing of a zone that nobody has set up, but for the switches that are declared besides", async () => {
    assert.deepEqual(await told({}), []);
    assert.deepEqual(await told({}, { useConnectionUrlPath: false }), []);
    assert.deepEqual(await told({}, { useConnectionUrlPath: true }), [
      `the zone's settings are in use already (enabled false, useVendorReportingEndpoint true, useConnectionUrlPath false) and are taken over. From now on a destroy will restore enabled false, useConnectionUrlPath false.${renamed}`,
    ]);
  });

  it("is what is there and what a destroy will do, of the switches that are declared", async () => {
    assert.deepEqual(await told({ enabled: true }), [
      `${inUse} From now on a destroy will restore enabled true.${renamed}`,
    ]);
    assert.deepEqual(await told({ enabled: true }, { onDestroy: "restore" }), [
      `${inUse} From now on a destroy will restore enabled true.${renamed}`,
    ]);
    assert.deepEqual(await told({ enabled: true }, { onDestroy: "disable" }), [
      `${inUse} A destroy will switch the watching off.`,
    ]);
    assert.deepEqual(await told({ enabled: true }, { onDestroy: "keep" }), [
      `${inUse} A destroy will leave them as they are.`,
    ]);
  });
});

describe("PageGuardSettings through their life", () => {
  const bodies = ({ sim }: ReturnType<typeof begin>) => sim.changing().map(({ body }) => body);

  it("are a change where a switch or onDestroy differs, and none where it is merely spelled", async () => {
    const story = begin();
    await story.engine.up(watch());
    assert.deepEqual(await story.engine.preview(watch({ onDestroy: "restore" })), [], "the default");
    assert.deepEqual(await story.engine.preview(watch({ zoneId: zoneA.toUpperCase() })), []);
    assert.deepEqual(await story.engine.preview(watch({ onDestroy: "keep" })), ["update watch"]);
    assert.deepEqual(await story.engine.preview(watch({ useVendorReportingEndpoint: true })), [
      "update watch",
    ]);
    await story.engine.up(watch({ onDestroy: "keep" }));
    assert.equal(story.engine.outputs("watch")["onDestroy"], "keep");
    assert.deepEqual(bodies(story), [{ enabled: true }], "nothing of it is the service's");
  });

  it("record what they found once, and the time of the last change", async () => {
    const story = begin();
    await story.engine.up(watch({ useConnectionUrlPath: true }));
    const initial = { enabled: false, useVendorReportingEndpoint: true, useConnectionUrlPath: false };
    assert.deepEqual(story.engine.outputs("watch")["initial"], initial);
    assert.equal(story.engine.outputs("watch")["updatedAt"], story.sim.zone(zoneA).settings.updated_at);
    await story.engine.up(watch());
    assert.deepEqual(story.engine.outputs("watch")["initial"], initial);
    assert.deepEqual(bodies(story), [
      { enabled: true, use_connection_url_path: true },
      { use_connection_url_path: false },
    ]);
    await story.engine.destroy();
    assert.deepEqual(bodies(story).at(-1), { enabled: false });
  });

  it("are destroyed without a request where all is as it is to be", async () => {
    const story = begin({ enabled: true });
    await story.engine.up(watch());
    await story.engine.destroy();
    assert.deepEqual(bodies(story), []);
    const disabled = begin();
    await disabled.engine.up(watch({ enabled: false, onDestroy: "disable" }));
    await disabled.engine.destroy();
    assert.deepEqual(bodies(disabled), []);
  });

  it("of an import, which has found nothing, restore nothing; the first update notes what it finds", async () => {
    const story = begin({ enabled: true });
    await story.engine.up(watch());
    const { initial: _initial, ...imported } = story.engine.outputs("watch");
    const recorded = { id: zoneA, inputs: watch().watch, hasInitErrors: false };
    story.engine.state.set("watch", { ...recorded, outputs: imported });
    const backup = story.engine.backup();
    await story.engine.destroy();
    assert.deepEqual(bodies(story), []);
    story.engine.restore(backup);
    await story.engine.up(watch({ enabled: false }));
    assert.equal(Object(story.engine.outputs("watch")["initial"]).enabled, true);
    await story.engine.destroy();
    assert.deepEqual(bodies(story), [{ enabled: false }, { enabled: true }]);
  });

  it("are gone after a refresh when their zone is; other failures are failures", async () => {
    const story = begin();
    await story.engine.up(watch());
    story.sim.faults.add({ path: /page_guard$/, kind: "status", status: 403 });
    await assert.rejects(story.engine.refresh(), /refused the API token/);
    await assert.rejects(story.engine.destroy(), /refused the API token/);
    story.sim.faults.clear();
    story.sim.zones.remove(zoneA);
    await story.engine.refresh();
    assert.equal(story.engine.state.size, 0);
  });

  it("that were refused record nothing, and a refused update leaves the record as it was", async () => {
    const story = begin();
    story.sim.faults.add({ method: "PUT", kind: "status", status: 403 });
    await story.engine.upFails(watch());
    assert.equal(story.engine.state.size, 0);
    story.sim.faults.clear();
    await story.engine.up(watch());
    const before = story.engine.outputs("watch");
    story.sim.faults.add({ method: "PUT", kind: "status", status: 403 });
    await story.engine.upFails(watch({ useConnectionUrlPath: true }));
    assert.deepEqual(story.engine.outputs("watch"), before);
  });
});
