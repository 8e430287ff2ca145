import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { readType, referTo, walkParents } from "../../../../provider/src/declaration/internals/resource";
import { runInline } from "../support/fake-engine";
import { keepConsole } from "../support/kept-console";

describe("The internals of a resource", () => {
  keepConsole();

  it("show its type and its ancestors", async () => {
    let line: unknown;
    let ofProvider: unknown;
    await runInline(async () => {
      const shop = new pulumi.ComponentResource("test:index:Shop", "shop");
      const part = new pulumi.ComponentResource("test:index:Part", "part", {}, { parent: shop });
      line = [...walkParents(part)].map(readType);
      class Provider extends pulumi.ProviderResource {}
      ofProvider = readType(new Provider("test", "provider"));
    });
    assert.deepEqual(line, ["test:index:Part", "test:index:Shop", "pulumi:pulumi:Stack"]);
    assert.equal(ofProvider, "pulumi:providers:test");
  });

  it("show nothing in an SDK that keeps them elsewhere", () => {
    assert.deepEqual([...walkParents(undefined)], []);
    for (const value of [undefined, null, "text", {}, { __pulumiType: 5 }])
      assert.equal(readType(value), undefined);
  });

  it("are not needed for a message, which needs only a URN", async () => {
    const urn = "urn:pulumi:dev::shop::test:index:Shop::later";
    const { warnings, urns } = await runInline(async () => void pulumi.log.warn("look", referTo(urn)));
    assert.deepEqual([warnings, urns], [["look"], [urn]]);
  });
});
