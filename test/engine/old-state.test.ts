import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  expectAsFound,
  isReleased,
  type KeptZones,
  keptFile,
  keptVersions,
  readKept,
  type Snapshots,
  seedsOf,
} from "../provider/old-state/kept";
import type { Declaration } from "./real-engine/declaration";
import { changesOf } from "./real-engine/preview";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA } from "./real-engine/story";

/** Released versions; test/provider/resources/old-state.test.ts loads the states of those between them. */
const versions = keptVersions.filter(isReleased);

describe("On the engine: the state of an older version", function () {
  const begin = useStories(this);
  // Fails if no fixture is found.
  before(() => assert.ok(versions.length >= 1));

  for (const version of versions) {
    it(`given the state of ${version}, when it is previewed, refreshed, edited and destroyed, then the first preview is empty, and the zones end as they were found`, async () => {
      const { found, zones } = readKept<KeptZones>(version, "zones.json");
      const declaration = readKept<Declaration>(version, "declaration.json");
      const { sim, stack, unmanaged } = await begin(seedsOf(zones));
      restore(stack, version);
      unmanaged.release(...findCreated(found, zones));

      stack.declare(declaration);
      await stack.expectEmptyPreview();
      const refresh = await stack.run("refresh", "--preview-only", "--expect-no-changes", "--diff");
      assert.equal(refresh.code, 0, refresh.output);

      stack.declare(edit(declaration));
      const differences = [
        ["update hidden", "description"],
        ["update text", "description"],
        ["update waf", "rules[1].description"],
        ["update watch", "useConnectionUrlPath"],
      ];
      // The first edit also shows `__urn`, which an old state lacks.
      const withUrn = differences.map(([step, path]) => `${step}: __urn, ${path}`);
      assert.deepEqual(changesOf(await stack.preview()), withUrn);
      stack.declare(declaration);
      await stack.up();
      stack.declare(edit(declaration));
      const plain = differences.map(([step, path]) => `${step}: ${path}`);
      assert.deepEqual(changesOf(await stack.preview()), plain);
      stack.declare(edit(allowForget(declaration)));
      await stack.up();
      await stack.expectEmptyPreview();
      await stack.destroy();
      assert.deepEqual(stack.resources(), []);
      expectAsFound(sim, found, [zoneA]);
    });
  }
});

/** Ids of the objects that the stack created: in the zones as it left them, but not as it found them. */
function findCreated(found: Snapshots, left: Snapshots): string[] {
  const ids = (zones: Snapshots) =>
    Object.values(zones).flatMap(({ policies, entrypoint }) =>
      [...policies, ...(entrypoint?.rules ?? [])].map(({ id }) => id),
    );
  const before = ids(found);
  return ids(left).filter((id) => !before.includes(id));
}

function restore(stack: Stack, version: string): void {
  const { project, backend } = stack.place;
  copyFileSync(keptFile(version, "Pulumi.dev.yaml"), join(project, "Pulumi.dev.yaml"));
  const stacks = join(backend, ".pulumi/stacks/story");
  mkdirSync(stacks, { recursive: true });
  writeFileSync(join(stacks, "dev.json"), readFileSync(keptFile(version, "checkpoint.json")));
}

function edit({ watch, text, hidden, waf, ...others }: Declaration): Declaration {
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

/** Sets allowForget on each migration. */
function allowForget(declaration: Declaration): Declaration {
  return Object.fromEntries(
    Object.entries(declaration).map(([name, resource]) => [
      name,
      resource.kind === "WafMigration"
        ? { ...resource, args: { ...resource.args, allowForget: true } }
        : resource,
    ]),
  );
}
