import assert from "node:assert/strict";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import { typePrefix } from "../../../provider/src/model/urn";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import * as runtime from "../../../provider/src/runtime";
import { type Simulator, startSimulator } from "../../../simulator/src";
import {
  expectAsFound,
  isReleased,
  type Kept,
  type KeptZones,
  keptResources,
  keptVersions,
  readKept,
  seedsOf,
} from "../old-state/kept";
import { kinds } from "../old-state/kinds";
import type { Properties } from "../small-engine/checkpoint";
import type { Program } from "../small-engine/operation";
import { SmallEngine } from "../small-engine/small-engine";
import { zoneA } from "../small-engine/zones";

const commits = keptVersions.filter((version) => !isReleased(version));

describe("A stack that an older commit has written", () => {
  let sim: Simulator;

  before(() => assert.ok(commits.length >= 1, "no old state is committed"));
  afterEach(() => sim.stop());

  for (const version of commits) {
    it(`given the state of ${version}, when it is previewed, refreshed, edited and destroyed, then the first preview is empty, no object is lost, and the zones end as they were found`, async () => {
      const { found, zones } = readKept<KeptZones>(version, "zones.json");
      sim = await startSimulator();
      for (const [id, seed] of Object.entries(seedsOf(zones))) sim.zones.seed(id, seed);
      const resources = ownResources(version);
      const engine = engineOf(sim, resources);
      const program = (change: (name: string, inputs: Properties) => object = () => ({})): Program =>
        Object.fromEntries(
          resources.map(({ name, inputs }) => [name, { ...inputs, ...change(name, inputs) }]),
        );

      assert.deepEqual(await engine.preview(program()), []);
      assert.deepEqual(await engine.drift(), []);
      await engine.up(program());
      assert.deepEqual(sim.changing(), []);

      const edited = program(edit);
      assert.deepEqual(await engine.preview(edited), ["update watch", "update policies", "update waf"]);
      await engine.up(edited);
      assert.deepEqual(await engine.preview(edited), []);
      assert.equal(sim.changing().length, 3, "one change per resource, and nothing is recreated");

      await engine.up(program((name, inputs) => ({ ...edit(name, inputs), ...allowForget(name) })));
      await engine.destroy();
      expectAsFound(sim, found, [zoneA]);
      for (const { id, stage } of migrated(resources)) {
        assert.equal(sim.zone(id).waf.stage, stage, "the migration stays unchanged");
      }
    });
  }
});

interface Named extends Kept {
  readonly name: string;
  readonly kind: string;
}

/** Returns the resources of this package, without the properties that the SDK adds. */
function ownResources(version: string): readonly Named[] {
  return keptResources(version).flatMap(({ urn, type, inputs, outputs, id }) => {
    const kind = type.split("$").at(-1) ?? "";
    if (!kind.startsWith(typePrefix)) return [];
    const name = kind.slice(typePrefix.length);
    const { __provider: provider, ...recorded } = outputs;
    // The text by which the engine finds the provider of every state.
    assert.equal(provider, `exports.handler=()=>require("pulumi-page-guard/runtime").${name}`);
    assert.ok(name in runtime, `${name} is missing in runtime.ts`);
    const { __provider: _, ...declared } = inputs;
    return [
      { urn, type, id, inputs: declared, outputs: recorded, name: urn.split("::").at(-1) ?? "", kind: name },
    ];
  });
}

function engineOf(service: Simulator, resources: readonly Named[]): SmallEngine<unknown, object> {
  const kindOf = (name: string): Kind<unknown, object> => {
    const wanted = resources.find((resource) => resource.name === name)?.kind;
    const kind = kinds.find((one) => Object(one).name === wanted);
    assert.ok(kind, `no kind for ${name}`);
    return kind as Kind<unknown, object>;
  };
  const engine = new SmallEngine<unknown, object>(service, kindOf);
  for (const { name, id, inputs, outputs } of resources) {
    engine.state.set(name, { id, inputs, outputs, hasInitErrors: false });
  }
  return engine;
}

function edit(name: string, inputs: Properties): object {
  if (name === "watch") return { useConnectionUrlPath: false };
  if (name === "waf") {
    const [first, ...rest] = Object(inputs["rules"]) as readonly object[];
    return { rules: [{ ...first, description: "another" }, ...rest] };
  }
  if (name !== "policies") return {};
  const { shop, ...others } = Object(inputs["policies"]) as Record<string, object>;
  return { policies: { ...others, shop: { ...shop, expression: "true" } } };
}

function allowForget(name: string): object {
  return name.endsWith("-step") ? { allowForget: true } : {};
}

function migrated(resources: readonly Named[]): { id: string; stage: string }[] {
  return resources
    .filter(({ kind }) => kind === wafMigrationStep.name)
    .map(({ id, outputs }) => ({ id, stage: outputs["reached"] === "finished" ? "new" : "validation" }));
}
