import assert from "node:assert/strict";
import { type Manager, movedState } from "../../provider/src/cli/move-state-command";
import { pageGuard } from "./support/console";

const start = "urn:pulumi:dev::shop::";
const stack = { urn: `${start}pulumi:pulumi:Stack::shop-dev`, type: "pulumi:pulumi:Stack" };
const dynamic = "pulumi-nodejs:dynamic/page-guard:CspPolicy";

/** A provider of a package, by the name that the engine or the program gives it. */
function provider(pkg: string, name = "default") {
  const type = `pulumi:providers:${pkg}`;
  return { urn: `${start}${type}::${name}`, type, custom: true, id: `id-of-${pkg}` };
}

function policy(type: string, name: string, of: ReturnType<typeof provider>, more: object = {}) {
  const urn = `${start}${type}::${name}`;
  const own =
    type === dynamic ? { __urn: urn, __provider: `exports.handler=()=>require("x").CspPolicy` } : {};
  const outputs = { description: name, schemaVersion: 1, ...own };
  return { urn, type, custom: true, provider: `${of.urn}::${of.id}`, inputs: own, outputs, ...more };
}

function exported(resources: readonly object[], more: object = {}) {
  return { version: 3, deployment: { manifest: {}, resources, ...more } };
}

function resourcesOf(content: unknown, to: Manager) {
  const { state } = movedState(content, to, "1.2.3-rc.1");
  return (state as { deployment: { resources: Record<string, unknown>[] } }).deployment.resources;
}

describe("page-guard move-state", () => {
  const nodejs = provider("pulumi-nodejs");

  it("given resources that name each other, then all names follow, and the provider of the other side comes before them", () => {
    const first = policy(dynamic, "first", nodejs);
    const second = policy(dynamic, "second", nodejs, {
      dependencies: [first.urn],
      propertyDependencies: { description: [first.urn] },
    });
    const moved = resourcesOf(exported([stack, nodejs, first, second]), "plugin");
    const urn = `${start}page-guard:index:CspPolicy::first`;
    assert.deepEqual(
      moved.map((resource) => resource["urn"]),
      [
        stack.urn,
        `${start}pulumi:providers:page-guard::default_1_2_3_rc_1`,
        urn,
        urn.replace("first", "second"),
      ],
    );
    assert.deepEqual(moved[3]?.["dependencies"], [urn]);
    assert.deepEqual(moved[3]?.["propertyDependencies"], { description: [urn] });
    assert.deepEqual(moved[2]?.["outputs"], { description: "first", schemaVersion: 1 });
    assert.equal(moved[2]?.["provider"], `${moved[1]?.["urn"]}::${moved[1]?.["id"]}`);
  });

  it("given resources of others on the same provider, then it stays with them", () => {
    const other = { ...policy("pulumi-nodejs:dynamic:Resource", "other", nodejs) };
    const moved = resourcesOf(exported([stack, nodejs, other, policy(dynamic, "ours", nodejs)]), "plugin");
    assert.deepEqual(moved.slice(0, 3), [stack, nodejs, other]);
  });

  it("given what has no resource of the other side, then it is as it was", () => {
    const content = exported([stack, nodejs, policy(dynamic, "ours", nodejs)]);
    assert.deepEqual(movedState(content, "dynamic", "1.0.0"), { state: content, moved: [] });
  });

  it("given a provider that the program declares, pending operations, or no state, then it says so", () => {
    for (const name of ["eu", "default_eu"]) {
      const ours = provider("page-guard", name);
      const declared = exported([stack, ours, policy("page-guard:index:CspPolicy", "shop", ours)]);
      assert.throws(
        () => movedState(declared, "dynamic", "1.0.0"),
        /shop has a provider that the program declares/,
      );
    }
    const pending = exported([], { pending_operations: [{ type: "creating" }] });
    assert.throws(() => movedState(pending, "plugin", "1.0.0"), /pending operations/);
    assert.throws(() => movedState({ resources: [] }, "plugin", "1.0.0"), /Failed to read the state/);
  });

  it("given no side, or a file that is none, then it fails", async () => {
    assert.match((await pageGuard(["move-state", "x.json"])).err, /--to/);
    assert.equal((await pageGuard(["move-state", "--to", "plugin", "nowhere.json"])).code, 1);
  });
});
