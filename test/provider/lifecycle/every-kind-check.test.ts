import assert from "node:assert/strict";
import { z } from "zod";
import { OfflineError } from "../../../provider/src/errors/page-guard-error";
import { nothingToDo } from "../../../provider/src/lifecycle/kind";
import { unknownValue } from "../../../provider/src/model/unknown";
import { formatDeclaredAs } from "../../../provider/src/model/urn";
import { zoneA } from "../small-engine/zones";
import { finding, planOf, startToy, urn } from "./support/toy-kind";

describe("What every kind of resource shares: check", () => {
  it("removes the internal inputs except the URN, and returns the others unchanged", async () => {
    const { check } = startToy();
    const internal = { __secrets: [], __beside: [], __provider: "p" };
    const { inputs, failures } = await check({}, { zoneId: zoneA, size: 1, ...internal });
    assert.deepEqual([inputs, failures], [{ zoneId: zoneA, size: 1, __provider: "p", __urn: urn }, []]);
  });

  it("plans creates with valid inputs, and leaves the planning of updates to diff", async () => {
    const asked: unknown[] = [];
    const { check } = startToy({
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

  it("needs a connection if it would send a request, also if the zone is not known yet", async () => {
    const { check, asked } = startToy();
    await check({}, { zoneId: zoneA, connection: { service: "page_shield" } });
    assert.deepEqual((await check({}, { zoneId: unknownValue })).failures, []);
    assert.deepEqual(asked, [{ service: "page_shield" }, undefined]);
    await check({}, { zoneId: zoneA, connection: unknownValue });
    await check({ zoneId: zoneA }, { zoneId: zoneA });
    assert.equal(asked.length, 2);
    const poor = startToy({}, { PAGE_GUARD_API_TOKEN: "" });
    assert.match((await poor.check({}, { zoneId: unknownValue })).failures[0] ?? "", /No API token is set/);
    const offline = startToy({}, { PAGE_GUARD_API_TOKEN: "", PAGE_GUARD_OFFLINE: "1" });
    assert.deepEqual((await offline.check({}, { zoneId: zoneA })).failures, []);
  });

  it("returns all errors with their codes, logs warnings and information at the resource, and reports failures of the plan", async () => {
    const findings = [finding("error", "too big"), finding("warning", "big"), finding("info", "growing")];
    const { check, said } = startToy({ plan: async () => planOf(findings) });
    assert.deepEqual((await check({}, { zoneId: zoneA })).failures, ["size: too big [csp-lint-toy]"]);
    assert.deepEqual(said, [
      `warning ${urn} size: big [csp-lint-toy]`,
      `info ${urn} size: growing [csp-lint-toy]`,
    ]);
    const failing = (error: unknown) =>
      startToy({ plan: () => Promise.reject(error) }).check({}, { zoneId: zoneA });
    assert.deepEqual((await failing(new Error("broken"))).failures, ["broken [unexpected]"]);
    assert.deepEqual((await failing("odd")).failures, ["odd [unexpected]"]);
    assert.deepEqual((await failing(new OfflineError("x"))).failures, [], "offline, the plan is skipped");
  });

  it("logs warnings if the program has not seen all values itself, and does not quote secrets in them", async () => {
    const { check, said } = startToy({ inspect: () => [finding("warning", "hush is odd")] });
    await check({}, { zoneId: zoneA, __secrets: [] });
    await check({ zoneId: zoneA, size: "hush" }, { zoneId: zoneA, size: "hush", __secrets: ["size"] });
    assert.equal(said[0], `warning ${urn} size: hush is odd [csp-lint-toy]`);
    assert.match(
      said[1] ?? "",
      /size: this value is secret, so the text of the finding csp-lint-toy is not shown/,
    );
    assert.equal(said.length, 2);
  });

  it("names the component that the program declares, not the component's child", async () => {
    const { check } = startToy({ name: "ToyStep", onePerZone: true });
    const type = "page-guard:index:Toy$pulumi-nodejs:dynamic/page-guard:ToyStep";
    const one = `urn:pulumi:dev::story::${type}::one-step`;
    await check({}, { zoneId: zoneA, __urn: one });
    const { failures } = await check({}, { zoneId: zoneA, __urn: "urn:two" });
    assert.match(failures.join(), / the Toy of zone .* declared by Toy one\. /);
    const { failures: damaged } = await startToy({
      name: "ToyStep",
      parseState: (state) => z.object({ size: z.number() }).parse(state),
    }).check({ size: "x" }, { zoneId: zoneA });
    assert.match(damaged.join(), /Failed to read the state of this Toy: /);
    assert.equal(formatDeclaredAs("Toy", "one-step"), "Toy one-step", "a resource of the program");
  });
});
