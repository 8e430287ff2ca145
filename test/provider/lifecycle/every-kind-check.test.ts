import assert from "node:assert/strict";
import { z } from "zod";
import { OfflineError } from "../../../provider/src/errors/page-guard-error";
import { nothingToDo } from "../../../provider/src/lifecycle/kind";
import { unknownValue } from "../../../provider/src/model/unknown";
import { declaredAs } from "../../../provider/src/model/urn";
import { zoneA } from "../small-engine/zones";
import { finding, planOf, process, urn } from "./support/toy-kind";

describe("What every kind of resource shares: check", () => {
  it("takes out what is meant for it alone but for the URN, and hands the rest on as it came", async () => {
    const { check } = process();
    const { inputs, failures } = await check(
      {},
      {
        zoneId: zoneA,
        size: 1,
        __secrets: [],
        __beside: [],
        __provider: "p",
      },
    );
    assert.deepEqual([inputs, failures], [{ zoneId: zoneA, size: 1, __provider: "p", __urn: urn }, []]);
  });

  it("plans what is to be created, and never wrong inputs; what is updated is planned by its comparison", async () => {
    const asked: unknown[] = [];
    const { check } = process({
      plan: async ({ draft: { values, inputs, unknown }, recorded }) => {
        asked.push([values["size"], inputs !== undefined, [...unknown], recorded]);
        return nothingToDo;
      },
    });
    await check({}, { zoneId: zoneA, size: 1 });
    await check({ zoneId: zoneA, size: 1 }, { zoneId: zoneA, size: 2 });
    await check({}, { zoneId: zoneA, size: "x" });
    await check({}, { zoneId: unknownValue, size: 3 });
    await check({}, { zoneId: zoneA, size: 4, connection: { baseUrl: unknownValue } });
    assert.deepEqual(asked, [
      [1, true, [], undefined],
      [3, false, ["zoneId"], undefined],
      [4, false, ["connection"], undefined],
    ]);
  });

  it("needs a connection where something has to be asked, also where its zone is not known yet", async () => {
    const { check, asked } = process();
    await check({}, { zoneId: zoneA, connection: { service: "page_shield" } });
    assert.deepEqual((await check({}, { zoneId: unknownValue })).failures, []);
    assert.deepEqual(asked, [{ service: "page_shield" }, undefined]);
    await check({}, { zoneId: zoneA, connection: unknownValue });
    await check({ zoneId: zoneA }, { zoneId: zoneA });
    assert.equal(asked.length, 2);
    const poor = process({}, { PAGE_GUARD_API_TOKEN: "" });
    assert.match((await poor.check({}, { zoneId: unknownValue })).failures[0] ?? "", /No API token is set/);
    const offline = process({}, { PAGE_GUARD_API_TOKEN: "", PAGE_GUARD_OFFLINE: "1" });
    assert.deepEqual((await offline.check({}, { zoneId: zoneA })).failures, []);
  });

  it("refuses with all errors and their codes, shows warnings and news where they belong, and says of failures what they are", async () => {
    const findings = [finding("error", "too big"), finding("warning", "big"), finding("info", "growing")];
    const { check, said } = process({ plan: async () => planOf(findings) });
    assert.deepEqual((await check({}, { zoneId: zoneA })).failures, ["size: too big [csp-lint-toy]"]);
    assert.deepEqual(said, [
      `warning ${urn} size: big [csp-lint-toy]`,
      `info ${urn} size: growing [csp-lint-toy]`,
    ]);
    const failing = (error: unknown) =>
      process({
        plan: async () => {
          throw error;
        },
      }).check({}, { zoneId: zoneA });
    assert.deepEqual((await failing(new Error("broken"))).failures, ["broken [unexpected]"]);
    assert.deepEqual((await failing("odd")).failures, ["odd [unexpected]"]);
    assert.deepEqual(
      (await failing(new OfflineError("x"))).failures,
      [],
      "what may not be asked is not asked",
    );
  });

  it("warns where the program has not seen all values itself, of what is secret without its text", async () => {
    const { check, said } = process({ inspect: () => [finding("warning", "hush is odd")] });
    await check({}, { zoneId: zoneA, __secrets: [] });
    await check({ zoneId: zoneA, size: "hush" }, { zoneId: zoneA, size: "hush", __secrets: ["size"] });
    assert.equal(said[0], `warning ${urn} size: hush is odd [csp-lint-toy]`);
    assert.match(said[1] ?? "", /size: this value is secret and not shown; csp-lint-toy has found/);
    assert.equal(said.length, 2);
  });

  it("names what the program knows, where the work is that of a component's own resource", async () => {
    const { check } = process({ name: "ToyStep", onePerZone: true });
    const one =
      "urn:pulumi:dev::story::page-guard:index:Toy$pulumi-nodejs:dynamic/page-guard:ToyStep::one-step";
    await check({}, { zoneId: zoneA, __urn: one });
    const { failures } = await check({}, { zoneId: zoneA, __urn: "urn:two" });
    assert.match(failures.join(), / the Toy of zone .* declared by Toy one\. /);
    const { failures: damaged } = await process({
      name: "ToyStep",
      parseState: (state) => z.object({ size: z.number() }).parse(state),
    }).check({ size: "x" }, { zoneId: zoneA });
    assert.match(damaged.join(), /Failed to read the state of this Toy: /);
    assert.equal(declaredAs("Toy", "one-step"), "Toy one-step", "a name that the program has given");
  });
});
