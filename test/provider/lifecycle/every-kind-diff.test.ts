import assert from "node:assert/strict";
import { type Kind, nothingToDo } from "../../../provider/src/lifecycle/kind";
import type { Finding } from "../../../provider/src/model/finding";
import { unknownValue } from "../../../provider/src/model/unknown";
import type { Properties } from "../small-engine/checkpoint";
import { schemaVersion, zoneA, zoneB } from "../small-engine/zones";
import { finding, planOf, process, urn } from "./support/toy-kind";

describe("What every kind of resource shares: diff", () => {
  const old = { zoneId: zoneA, size: 1, schemaVersion };

  it("says replace, change or nothing by the kind's own comparison", async () => {
    const { provider, check } = process();
    const diff = async (now: Properties, before: Properties = old) =>
      provider.diff("id", before, (await check(before, now)).inputs);
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }), { changes: false });
    assert.deepEqual(await diff({ zoneId: zoneA, size: 2 }), {});
    assert.deepEqual(await diff({ zoneId: zoneB, size: 1 }), { replaces: ["zoneId"] });
    assert.deepEqual(await diff({ zoneId: unknownValue, size: 1 }), {}, "nobody knows yet");
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }, { ...old, incomplete: true }), { changes: true });
    assert.deepEqual(await diff({ zoneId: zoneB, size: 1 }, { ...old, incomplete: true }), {
      replaces: ["zoneId"],
    });
  });

  it("plans each update in each preview; what is found is reported, and errors refuse it", async () => {
    let found: readonly Finding[] = [];
    let needsUpdate = false;
    const { provider, check, said, asked } = process({
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
    assert.deepEqual(said, [], "a replacement is planned as a create is");
    await diff({ zoneId: zoneA, size: 2, connection: unknownValue });
    assert.equal(asked.length, 0);

    found = [finding("error", "no"), finding("error", "never")];
    await assert.rejects(diff({ zoneId: zoneA, size: 2 }), (error: Error) => {
      assert.equal(error.message, "size: no [csp-lint-toy]\nsize: never [csp-lint-toy]");
      assert.equal(error.stack, "(shown with the resource)");
      return true;
    });
    assert.deepEqual(said, told("2 true"), "warnings stay beside errors, as in a check");
  });

  it("tells whose an object is, what can't be beside it, and why it can no longer be this one's: then it is replaced", async () => {
    const noted: unknown[] = [];
    type Claim = NonNullable<Kind<Properties, Properties>["claim"]>;
    let claim: ReturnType<Claim> = {};
    const claiming = {
      claim: ({ draft, recorded }: Parameters<Claim>[0]) => {
        noted.push([recorded?.id, draft.urn, draft.values["size"]]);
        return claim;
      },
    };
    const { provider, check, said } = process(claiming);
    const { inputs } = await check(old, { zoneId: zoneA, size: 1 });
    await provider.diff("id", old, inputs);
    assert.deepEqual(noted, [["id", urn, 1]]);
    claim = { rivals: [finding("error", "beside another")] };
    await assert.rejects(provider.diff("id", old, inputs), /beside another/);
    claim = { lost: finding("warning", "another has it") };
    assert.deepEqual(await provider.diff("id", old, inputs), { changes: true, replaces: ["zoneId"] });
    assert.equal(said.length, 1);
    const other = process({ ...claiming, replacedBy: ["size", "zoneId"] });
    await other.check(old, { zoneId: zoneA, size: 1 });
    const bySize = await other.provider.diff("id", old, inputs);
    assert.deepEqual(bySize, { changes: true, replaces: ["size"] }, "by what replaces such a one");
    noted.length = 0;
    // Of a resource that was not checked it is a refresh's.
    assert.deepEqual(await provider.diff("id", old, { zoneId: zoneA, size: 1 }), { changes: false });
    assert.deepEqual(noted, [], "nobody declares what a refresh compares");
  });

  it("refuses inputs that a policy pack has made wrong, and quotes no secret", async () => {
    const { provider, check, said } = process();
    const { inputs } = await check(old, { zoneId: zoneA, size: 1, __secrets: ["size"] });
    await assert.rejects(
      provider.diff("id", old, { ...inputs, size: "secret-words" }),
      /^pulumi-page-guard: (?!.*secret-words).*\[input-invalid\]$/s,
    );
    assert.deepEqual(said, []);
  });

  it("of an update is distinguished from one of a refresh by the URN that check has seen, whatever has become of the inputs since", async () => {
    const looked: unknown[] = [];
    const { provider, check } = process({
      plan: async ({ draft: { urn: of, values }, recorded }) => {
        if (recorded) looked.push([of, values]);
        return nothingToDo;
      },
    });
    const recorded = { ...old, __urn: urn };
    const declared = { zoneId: zoneA, size: 1 };
    assert.deepEqual(await provider.diff("id", recorded, { ...declared, __urn: urn }), { changes: false });
    assert.deepEqual(looked, [], "nothing was checked yet: it is what a refresh compares");

    const { inputs } = await check({ ...declared, __urn: urn }, declared);
    assert.deepEqual(inputs, { ...declared, __urn: urn });
    assert.deepEqual(await provider.diff("id", recorded, { ...inputs, size: 2 }), {});
    assert.deepEqual(looked.pop(), [urn, { ...declared, size: 2 }], "a policy pack has changed them");

    // One that knows nothing of the URN leaves that of the state.
    await provider.diff("id", recorded, { ...declared, size: 2 });
    assert.deepEqual(looked.pop(), [urn, { ...declared, size: 2 }]);
    // A resource with an alias was recorded under another URN.
    await provider.diff("id", { ...old, __urn: "urn:before" }, inputs);
    assert.equal(looked.length, 1);
    await provider.diff("id", { ...old, __urn: "urn:other" }, { ...declared, __urn: "urn:other" });
    assert.equal(looked.length, 1, "the same inputs of a resource that was not checked");
  });
});
