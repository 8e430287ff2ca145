import assert from "node:assert/strict";
import { type Kind, nothingToDo } from "../../../provider/src/lifecycle/kind";
import type { Finding } from "../../../provider/src/model/finding";
import { unknownValue } from "../../../provider/src/model/unknown";
import type { Properties } from "../small-engine/checkpoint";
import { schemaVersion, zoneA, zoneB } from "../small-engine/zones";
import { finding, planOf, startToy, urn } from "./support/toy-kind";

describe("What every kind of resource shares: diff", () => {
  const old = { zoneId: zoneA, size: 1, schemaVersion };

  it("returns a replacement, a change or no change according to the kind's comparison", async () => {
    const { provider, check } = startToy();
    const diff = async (now: Properties, before: Properties = old) =>
      provider.diff("id", before, (await check(before, now)).inputs);
    const replaced = { replaces: ["zoneId"] };
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }), { changes: false });
    assert.deepEqual(await diff({ zoneId: zoneA, size: 2 }), {});
    assert.deepEqual(await diff({ zoneId: zoneB, size: 1 }), replaced);
    assert.deepEqual(await diff({ zoneId: unknownValue, size: 1 }), {}, "the zone is unknown");
    const cutOff = { ...old, incomplete: true };
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }, cutOff), { changes: true });
    assert.deepEqual(await diff({ zoneId: zoneB, size: 1 }, cutOff), replaced);
  });

  it("plans each update in each preview, logs its findings, and fails with its errors", async () => {
    let found: readonly Finding[] = [];
    let needsUpdate = false;
    const { provider, check, said, asked } = startToy({
      plan: async ({ draft: { values }, recorded }) => {
        const { id, state, inputs, isDue } = recorded ?? assert.fail("it is an update");
        assert.deepEqual([id, state["size"], inputs["size"]], ["id", 1, 1]);
        const what = `${values["size"]} ${isDue}`;
        return planOf([finding("warning", what), ...found], needsUpdate);
      },
    });
    const diff = async (now: Properties) => {
      said.length = asked.length = 0;
      return provider.diff("id", old, (await check(old, now)).inputs);
    };
    const told = (text: string) => [`warning ${urn} size: ${text} [csp-lint-toy]`];
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }), { changes: false });
    assert.deepEqual([said, asked.length], [told("1 false"), 0]);
    needsUpdate = true;
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }), { changes: true });
    assert.deepEqual([said, asked.length], [told("1 false"), 1], "an update needs a connection");
    needsUpdate = false;
    assert.deepEqual(await diff({ zoneId: zoneA, size: 2 }), {});
    assert.deepEqual([said, asked.length], [told("2 true"), 1]);
    await diff({ zoneId: zoneB, size: 2 });
    assert.deepEqual(said, [], "check plans a replacement like a create");
    await diff({ zoneId: zoneA, size: 2, connection: unknownValue });
    assert.equal(asked.length, 0);

    found = [finding("error", "no"), finding("error", "never")];
    await assert.rejects(diff({ zoneId: zoneA, size: 2 }), (error: Error) => {
      assert.equal(error.message, "size: no [csp-lint-toy]\nsize: never [csp-lint-toy]");
      assert.equal(error.stack, "(shown with the resource)");
      return true;
    });
    assert.deepEqual(said, told("2 true"), "warnings are logged beside errors, as in check");
  });

  it("claims the object for the resource, fails if a rival declares it too, and replaces the resource if another one owns the object", async () => {
    const noted: unknown[] = [];
    type Claim = NonNullable<Kind<Properties, Properties>["claim"]>;
    let claim: ReturnType<Claim> = {};
    const claiming = {
      claim: ({ draft, recorded }: Parameters<Claim>[0]) => {
        noted.push([recorded?.id, draft.urn, draft.values["size"]]);
        return claim;
      },
    };
    const { provider, check, said } = startToy(claiming);
    const { inputs } = await check(old, { zoneId: zoneA, size: 1 });
    await provider.diff("id", old, inputs);
    assert.deepEqual(noted, [["id", urn, 1]]);
    claim = { rivals: [finding("error", "beside another")] };
    await assert.rejects(provider.diff("id", old, inputs), /beside another/);
    claim = { lost: finding("warning", "another has it") };
    assert.deepEqual(await provider.diff("id", old, inputs), { changes: true, replaces: ["zoneId"] });
    assert.equal(said.length, 1);
    const other = startToy({ ...claiming, replacedBy: ["size", "zoneId"] });
    await other.check(old, { zoneId: zoneA, size: 1 });
    const bySize = await other.provider.diff("id", old, inputs);
    assert.deepEqual(bySize, { changes: true, replaces: ["size"] }, "the kind's first replacing input");
    noted.length = 0;
    // Without a check of this resource before it, the diff belongs to a refresh.
    assert.deepEqual(await provider.diff("id", old, { zoneId: zoneA, size: 1 }), { changes: false });
    assert.deepEqual(noted, [], "a refresh does not claim objects");
  });

  it("refuses inputs that a policy pack has made invalid, and quotes no secret", async () => {
    const { provider, check, said } = startToy();
    const { inputs } = await check(old, { zoneId: zoneA, size: 1, __secrets: ["size"] });
    await assert.rejects(
      provider.diff("id", old, { ...inputs, size: "secret-words" }),
      /^pulumi-page-guard: (?!.*secret-words).*\[input-invalid\]$/s,
    );
    assert.deepEqual(said, []);
  });

  it("recognises an update by the URN that check has seen before, whatever a policy pack has changed since, and not a refresh", async () => {
    const planned: unknown[] = [];
    const { provider, check } = startToy({
      plan: async ({ draft: { urn: of, values }, recorded }) => {
        if (recorded) planned.push([of, values]);
        return nothingToDo;
      },
    });
    const recorded = { ...old, __urn: urn };
    const declared = { zoneId: zoneA, size: 1 };
    assert.deepEqual(await provider.diff("id", recorded, { ...declared, __urn: urn }), { changes: false });
    assert.deepEqual(planned, [], "nothing was checked yet, so this is the comparison of a refresh");

    const { inputs } = await check({ ...declared, __urn: urn }, declared);
    assert.deepEqual(inputs, { ...declared, __urn: urn });
    assert.deepEqual(await provider.diff("id", recorded, { ...inputs, size: 2 }), {});
    assert.deepEqual(planned.pop(), [urn, { ...declared, size: 2 }], "a policy pack has changed them");

    // Inputs without a URN get the URN in the state.
    await provider.diff("id", recorded, { ...declared, size: 2 });
    assert.deepEqual(planned.pop(), [urn, { ...declared, size: 2 }]);
    // The state of a resource with an alias contains another URN.
    await provider.diff("id", { ...old, __urn: "urn:before" }, inputs);
    assert.equal(planned.length, 1);
    await provider.diff("id", { ...old, __urn: "urn:other" }, { ...declared, __urn: "urn:other" });
    assert.equal(planned.length, 1, "a resource that was not checked, with the same inputs");
  });
});
