import assert from "node:assert/strict";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import type { ZoneSeed } from "../../../simulator/src";
import { each } from "../../support/each";
import { placeAndCode } from "../../support/place-and-code";
import type { Properties } from "../small-engine/checkpoint";
import { quickStory, quietZone, useStories, zoneA, zoneB } from "../small-engine/zones";

/** The settings of a zone that nobody has set up. */
const initial = { enabled: false, useVendorReportingEndpoint: true, useConnectionUrlPath: false };

describe("PageGuardSettings", () => {
  const begin = useStories(pageGuardSettings);
  const settings = (args: Properties = {}): Properties => ({ zoneId: zoneA, enabled: true, ...args });

  it("given a zone, when settings are declared, then one request changes only what differs, and no request is sent if nothing differs", async () => {
    const { sim, engine } = await begin();
    await engine.up({ watch: settings({ useVendorReportingEndpoint: true }) });
    assert.deepEqual(each(sim.changing(), "body"), [{ enabled: true }]);
    assert.deepEqual(each(sim.journal, "method"), ["GET", "PUT"], "what check has read is not read again");
    sim.journal.clear();
    assert.deepEqual(await engine.preview({ watch: settings({ useVendorReportingEndpoint: true }) }), []);
    assert.equal(sim.journal.length, 0);
    await engine.refresh();
    assert.equal(sim.journal.length, 1);
    assert.deepEqual(await engine.preview({ watch: settings({ useVendorReportingEndpoint: true }) }), []);
    const already = { [zoneA]: { ...quietZone, settings: { enabled: true } } };
    const { sim: same, engine: other } = await begin(already);
    await other.up({ watch: settings() });
    assert.equal(same.changing().length, 0);
  });

  for (const [onDestroy, expected] of [
    [undefined, { enabled: false, use_connection_url_path: false }],
    ["restore", { enabled: false, use_connection_url_path: false }],
    ["disable", { enabled: false, use_connection_url_path: true }],
    ["keep", { enabled: true, use_connection_url_path: true }],
  ] as const) {
    it(`given onDestroy ${onDestroy}, when the stack is destroyed, then the zone's settings are ${JSON.stringify(expected)}`, async () => {
      const { sim, engine } = await begin();
      await engine.up({ watch: settings({ useConnectionUrlPath: true, ...(onDestroy && { onDestroy }) }) });
      await engine.destroy();
      const { enabled, use_connection_url_path } = sim.zone(zoneA).settings;
      assert.deepEqual({ enabled, use_connection_url_path }, expected);
    });
  }

  it("given a colleague who changes a switch that is not declared, when the stack is updated and destroyed, then the change stays", async () => {
    const { sim, engine } = await begin();
    await engine.up({ watch: settings() });
    sim.dashboard.setSettings(zoneA, { use_connection_url_path: true });
    await engine.refresh();
    assert.deepEqual(await engine.preview({ watch: settings() }), []);
    await engine.destroy();
    const { enabled, use_connection_url_path } = sim.zone(zoneA).settings;
    assert.deepEqual([enabled, use_connection_url_path], [false, true]);
  });

  it("given drift of a declared switch, when the stack is refreshed, then the preview shows it and the next update corrects it", async () => {
    const { sim, engine } = await begin();
    await engine.up({ watch: settings() });
    sim.dashboard.setSettings(zoneA, { enabled: false });
    await engine.refresh();
    assert.deepEqual(await engine.preview({ watch: settings() }), ["update watch"]);
    await engine.up({ watch: settings() });
    assert.equal(sim.zone(zoneA).settings.enabled, true);
    assert.deepEqual(engine.outputs("watch")["initial"], initial);
  });

  it("given a change whose response is lost, when the stack is updated again, then the update succeeds and still knows the settings that were found", async () => {
    const { sim, engine } = await begin();
    sim.faults.add({ method: "PUT", kind: "reset-after" });
    await engine.upFails({ watch: settings() });
    sim.faults.clear();
    assert.equal(engine.outputs("watch")["incomplete"], true);
    // The refresh clears the engine's own note: the marker must outlive it.
    await engine.refresh();
    await engine.up({ watch: settings() });
    assert.equal(engine.outputs("watch")["incomplete"], undefined);
    assert.deepEqual(await engine.preview({ watch: settings() }), []);
    await engine.destroy();
    assert.equal(sim.zone(zoneA).settings.enabled, false);
  });

  it("given reads that lag behind the last update, when a switch is changed back or the stack is destroyed, then the zone is as declared or restored", async () => {
    const { sim, engine } = await begin();
    const { settings: first } = sim.zone(zoneA);
    /** Answers the reads of `work` with the settings from before the last update. */
    const behind = async (work: () => Promise<void>) => {
      const { settings: real } = sim.zone(zoneA);
      const show = (shown: typeof real) => (entry: { method: string }) => {
        if (entry.method === "GET") sim.dashboard.setSettings(zoneA, shown);
      };
      const [before, after] = [sim.onRequest(show(first)), sim.onProcessed(show(real))];
      await work().finally(() => [before, after].forEach((revoke) => void revoke()));
    };
    await engine.up({ watch: settings() });
    await behind(() => engine.up({ watch: settings({ enabled: false }) }));
    assert.equal(sim.zone(zoneA).settings.enabled, false);
    await engine.up({ watch: settings() });
    sim.faults.add({ method: "PUT", kind: "reset-before" });
    await engine.upFails({ watch: settings({ enabled: false }) });
    sim.faults.clear();
    await behind(() => engine.up({ watch: settings({ enabled: false }) }));
    assert.equal(sim.zone(zoneA).settings.enabled, false, "the outcome of the last update was unknown");
    await engine.up({ watch: settings() });
    await behind(() => engine.destroy());
    assert.equal(sim.zone(zoneA).settings.enabled, false);
  });

  it("given two resources for one zone, with its id in different spellings, when they are previewed, then the second is refused", async () => {
    const { engine } = await begin();
    const two = settings({ zoneId: zoneA.toUpperCase() });
    const said = await engine.previewFails({ one: settings(), two });
    assert.match(said, / declared by .*::one\. .*\[two-for-one-zone\]$/);
    await engine.preview({ one: settings(), two: settings({ zoneId: zoneB }) });
  });

  it("given a resource that is renamed without an alias, then the preview says what is lost and which line avoids it, and deleting the old resource does not undo the new one", async () => {
    const { sim, engine } = await begin();
    await engine.up({ old: settings() });
    await engine.preview({ renamed: settings() });
    const said = engine.progress[0]?.text ?? "";
    assert.match(said, /aliases: \[\{ name: "the old name" \}\].*\[settings-adopted\]$/);
    await engine.up({ renamed: settings() });
    assert.equal(sim.zone(zoneA).settings.enabled, true);
    assert.deepEqual([...engine.state.keys()], ["renamed"]);
  });

  it("given resources that take over a zone which another one leaves, when the stack is destroyed, then each zone has the settings that were found first", async () => {
    const [inA, inB] = [settings(), settings({ zoneId: zoneB })];
    for (const [before, after] of [
      [
        { one: inA, two: inB },
        { one: inB, two: inA },
      ],
      [{ one: inA }, { added: inA, one: inB }],
      [{ one: inA }, { one: inB, added: { ...inA, useConnectionUrlPath: true } }],
    ] as const) {
      const { sim, engine } = await begin();
      await engine.up(before);
      await engine.up(after, { parallel: true });
      assert.deepEqual(
        [...engine.state.values()].map(({ outputs }) => outputs["initial"]),
        [initial, initial],
      );
      await engine.destroy();
      assert.deepEqual(
        [zoneA, zoneB].map((zone) => sim.zone(zone).settings.enabled),
        [false, false],
      );
    }
  });

  it("given a switch that is no longer declared, when the resource is replaced in the same update, then the switch gets its first value back, unless onDestroy is keep", async () => {
    const declared = settings({ useConnectionUrlPath: true });
    for (const [onDestroy, left] of [
      ["restore", false],
      ["keep", true],
    ] as const) {
      const { sim, engine } = await begin();
      const path = () => sim.zone(zoneA).settings.use_connection_url_path;
      await engine.up({ watch: declared });
      sim.faults.add({ method: "PUT", kind: "reset-before" });
      await engine.tryUp({ watch: settings({ onDestroy }) }, { replaceOnChanges: ["watch"] });
      sim.faults.clear();
      await engine.up({ watch: settings({ onDestroy }) });
      assert.equal(path(), left);
      assert.deepEqual(await engine.preview({ watch: settings({ onDestroy }) }), []);
      await engine.destroy();
      assert.equal(path(), left);
    }
  });

  it("given deleteBeforeReplace, when the new resource cannot be created, then the zone has its first settings until the next update, and again after a destroy", async () => {
    for (const replacing of [{ replace: ["watch"] }, { replaceOnChanges: ["watch"] }]) {
      for (const next of ["destroy", "up"]) {
        const { sim, engine } = await begin();
        const enabled = () => sim.zone(zoneA).settings.enabled;
        await engine.up({ watch: settings() });
        const program = { watch: settings({ useConnectionUrlPath: true }) };
        sim.faults.add({ method: "PUT", kind: "status", status: 403, skip: 1 });
        await engine.upFails(program, { ...replacing, deleteBeforeReplace: ["watch"] });
        sim.faults.clear();
        assert.equal(enabled(), false, "no resource manages the zone in between");
        if (next === "up") {
          await engine.up(program);
          assert.equal(enabled(), true);
          assert.deepEqual(await engine.preview(program), []);
        }
        await engine.destroy();
        assert.equal(enabled(), false);
        await engine.up(program, { deleteBeforeReplace: ["watch"] });
        await engine.up(program, { ...replacing, deleteBeforeReplace: ["watch"] });
        assert.equal(enabled(), true);
      }
    }
  });
});

const begin = (settings: ZoneSeed["settings"] = {}) =>
  quickStory(pageGuardSettings, { [zoneA]: { ...quietZone, settings } });

const watch = (args: Properties = {}) => ({ watch: { zoneId: zoneA, enabled: true, ...args } });

describe("The message about settings that PageGuardSettings adopts", () => {
  const told = async (settings: ZoneSeed["settings"], args: Properties = {}) => {
    const { engine } = begin(settings);
    await engine.preview(watch(args));
    return engine.progress.map(({ text }) => text);
  };

  it("is absent for a zone that nobody has set up, unless the program declares further switches", async () => {
    assert.deepEqual(await told({}), []);
    assert.deepEqual(await told({}, { useConnectionUrlPath: false }), []);
    const switched = await told({}, { useConnectionUrlPath: true });
    assert.deepEqual(switched.map(placeAndCode), ["[settings-adopted]"]);
    assert.match(switched.join(), / restore enabled false, useConnectionUrlPath false\./);
  });

  it("says what the zone has and what a destroy will do, for the declared switches", async () => {
    const [restored = "", ...none] = await told({ enabled: true });
    assert.deepEqual([placeAndCode(restored), none], ["[settings-adopted]", []]);
    assert.match(restored, / restore enabled true\./);
    assert.deepEqual(await told({ enabled: true }, { onDestroy: "restore" }), [restored]);
    for (const [onDestroy, expected] of [
      ["disable", / switch monitoring off\..*\[settings-adopted\]$/],
      ["keep", / leave them as they are\..*\[settings-adopted\]$/],
    ] as const)
      assert.match((await told({ enabled: true }, { onDestroy })).join("\n"), expected);
    const { engine } = begin({ enabled: true });
    await engine.up(watch());
    await engine.preview(watch({ onDestroy: "keep" }));
    assert.deepEqual(engine.progress, [], "only the create reports it");
  });
});

describe("The lifecycle of PageGuardSettings", () => {
  const bodies = ({ sim }: ReturnType<typeof begin>) => sim.changing().map(({ body }) => body);

  it("plans an update if a switch or onDestroy differs, but not for another spelling", async () => {
    const story = begin();
    await story.engine.up(watch());
    assert.deepEqual(await story.engine.preview(watch({ onDestroy: "restore" })), [], "the default");
    assert.deepEqual(await story.engine.preview(watch({ zoneId: zoneA.toUpperCase() })), []);
    assert.deepEqual(await story.engine.preview(watch({ onDestroy: "keep" })), ["update watch"]);
    const more = watch({ useVendorReportingEndpoint: true });
    assert.deepEqual(await story.engine.preview(more), ["update watch"]);
    await story.engine.up(watch({ onDestroy: "keep" }));
    assert.equal(story.engine.outputs("watch")["onDestroy"], "keep");
    assert.deepEqual(bodies(story), [{ enabled: true }], "onDestroy is not sent to the service");
  });

  it("keeps the settings that it found first, and the time of the last change", async () => {
    const story = begin();
    await story.engine.up(watch({ useConnectionUrlPath: true }));
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

  it("sends no request on destroy if nothing has to change", async () => {
    const story = begin({ enabled: true });
    await story.engine.up(watch());
    await story.engine.destroy();
    assert.deepEqual(bodies(story), []);
    const disabled = begin();
    await disabled.engine.up(watch({ enabled: false, onDestroy: "disable" }));
    await disabled.engine.destroy();
    assert.deepEqual(bodies(disabled), []);
  });

  it("restores nothing after an import; the first update saves what it finds", async () => {
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
});
