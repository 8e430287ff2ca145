import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulator, ZoneSeed } from "../../provider/src/simulator";
import type { Declaration } from "../real-engine/declaration";
import { changesOf } from "../real-engine/preview";
import type { Stack } from "../real-engine/stack";
import { useStories, zoneA } from "../real-engine/story";

const folder = join(__dirname, "../old-state");
const versions = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe("On the engine: a stack that an older version has written", function () {
  const begin = useStories(this);
  // Whoever writes no more fixtures notices here.
  before(() => assert.ok(versions.length >= 1));

  for (const version of versions) {
    it(`given the state of ${version}, when it is previewed, refreshed, edited and destroyed, then nothing differs at first and the zones end as they were found`, async () => {
      const { found, zones } = read<Record<"found" | "zones", Record<string, Snapshot>>>(
        version,
        "zones.json",
      );
      const declaration = read<Declaration>(version, "declaration.json");
      const { sim, stack, strangers } = await begin(
        Object.fromEntries(Object.entries(zones).map(([id, zone]) => [id, seedOf(zone)])),
      );
      restore(stack, version);
      strangers.release(...made(found, zones));

      stack.declare(declaration);
      await stack.expectEmptyPreview();
      const refresh = await stack.run("refresh", "--preview-only", "--expect-no-changes", "--diff");
      assert.equal(refresh.code, 0, refresh.output);

      stack.declare(edited(declaration));
      assert.deepEqual(changesOf(await stack.preview()), [
        "update hidden: description",
        "update text: description",
        "update waf: rules[1].description",
        "update watch: useConnectionUrlPath",
      ]);
      await stack.up();
      await stack.expectEmptyPreview();

      stack.declare(letGo(declaration));
      await stack.up();
      await stack.destroy();
      assert.deepEqual(stack.resources(), []);
      expectAsFound(sim, found);
      assert.equal(sim.zone(zoneA).entrypoint?.name, found[zoneA]?.entrypoint?.name);
    });
  }
});

type Snapshot = ReturnType<Simulator["zone"]>;

function read<T>(version: string, file: string): T {
  return JSON.parse(readFileSync(join(folder, version, file), "utf8"));
}

/** The zone once more, with the ids that the state knows. */
function seedOf(zone: Snapshot): ZoneSeed {
  const {
    newStatus: _new,
    oldStatus: _old,
    migrationState: _state,
    compatible: _compatible,
    ...waf
  } = zone.waf;
  const { id: _id, policyQuota, entrypoint, ...rest } = zone;
  return {
    ...rest,
    ...(policyQuota !== null && { policyQuota }),
    waf,
    entrypoint: entrypoint && {
      name: entrypoint.name,
      rules: entrypoint.rules.map(({ version: _version, last_updated: _time, ...rule }) => rule),
    },
  };
}

/** What the stack made: in the zones as they were left, and not as they were found. */
function made(found: Record<string, Snapshot>, left: Record<string, Snapshot>): string[] {
  const ids = (zones: Record<string, Snapshot>) =>
    Object.values(zones).flatMap(({ policies, entrypoint }) =>
      [...policies, ...(entrypoint?.rules ?? [])].map(({ id }) => id),
    );
  const before = ids(found);
  return ids(left).filter((id) => !before.includes(id));
}

function restore(stack: Stack, version: string): void {
  const { project, backend } = stack.place;
  copyFileSync(join(folder, version, "Pulumi.dev.yaml"), join(project, "Pulumi.dev.yaml"));
  const stacks = join(backend, ".pulumi/stacks/story");
  mkdirSync(stacks, { recursive: true });
  writeFileSync(join(stacks, "dev.json"), readFileSync(join(folder, version, "checkpoint.json")));
}

function edited({ watch, text, hidden, waf, ...others }: Declaration): Declaration {
  assert.ok(watch && text && hidden && waf);
  const [first, second] = Object(waf.args["rules"]) as readonly object[];
  return {
    watch: { ...watch, args: { ...watch.args, useConnectionUrlPath: false } },
    text: { ...text, args: { ...text.args, description: "another" } },
    hidden: { ...hidden, args: { ...hidden.args, description: "no secret any more" } },
    waf: { ...waf, args: { ...waf.args, rules: [first, { ...second, description: "another" }] } },
    ...others,
  };
}

/** The migrations are to be forgotten. */
function letGo(declaration: Declaration): Declaration {
  return Object.fromEntries(
    Object.entries(declaration).map(([name, resource]) => [
      name,
      resource.kind === "WafMigration"
        ? { ...resource, args: { ...resource.args, allowForget: true } }
        : resource,
    ]),
  );
}

function expectAsFound(sim: Simulator, found: Record<string, Snapshot>): void {
  for (const [id, before] of Object.entries(found)) {
    const { updated_at: _then, ...settings } = before.settings;
    const { updated_at: _now, ...left } = sim.zone(id).settings;
    assert.deepEqual(left, settings);
    assert.deepEqual(
      sim.zone(id).policies.map(({ description }) => description),
      before.policies.map(({ description }) => description),
    );
  }
  const rules = (zone: Snapshot | undefined) =>
    zone?.entrypoint?.rules.map(({ id, description }) => [id, description]);
  assert.deepEqual(rules(sim.zone(zoneA)), rules(found[zoneA]));
}
