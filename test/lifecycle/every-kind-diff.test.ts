import assert from "node:assert/strict";
import { OfflineError } from "../../provider/src/errors/offline-error";
import type { Finding } from "../../provider/src/lifecycle/finding";
import { schemaVersion } from "../../provider/src/lifecycle/state";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import type { Properties } from "../small-engine/checkpoint";
import { zoneA, zoneB } from "../small-engine/zones";
import { finding, process, urn } from "./support/toy-kind";

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

  it("of a refresh asks nothing; and says a drift that no input shows", async () => {
    let looks = 0;
    const { provider } = process({
      look: async () => ({ findings: [finding("error", String(++looks))], needsUpdate: true }),
      beforeUpdate: async () => [finding("error", String(++looks))],
      read: async (_run, id, state) => ({ inputs: {}, state, hasDrifted: id === "drifted" }),
    });
    await provider.read("drifted", old);
    await provider.read("still", old);
    const same = { zoneId: zoneA, size: 1 };
    assert.deepEqual(await provider.diff("drifted", old, same), { changes: true });
    assert.deepEqual(await provider.diff("still", old, same), { changes: false });
    assert.deepEqual(await provider.diff("still", old, { ...same, size: 2 }), {});
    assert.equal(looks, 0);
  });

  it("looks at each preview where the kind does, and asks before an update; what is found is told, errors alone where there are some", async () => {
    let found: readonly Finding[] = [];
    let needsUpdate = false;
    const { provider, check, said, asked } = process({
      look: async () => ({ findings: [finding("info", "looked")], needsUpdate }),
      beforeUpdate: async (_run, id, state, now) => [
        finding("warning", `${id} ${state["size"]} ${now["size"]}`),
        ...found,
      ],
    });
    const diff = async (now: Properties) => {
      said.length = asked.length = 0;
      return provider.diff("id", old, (await check(old, now)).inputs);
    };
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }), { changes: false });
    assert.deepEqual([said, asked.length], [[`info ${urn} size: looked [csp-lint-toy]`], 0]);
    needsUpdate = true;
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }), { changes: true });
    assert.deepEqual(
      [said, asked.length],
      [[`info ${urn} size: looked [csp-lint-toy]`, `warning ${urn} size: id 1 1 [csp-lint-toy]`], 1],
    );
    needsUpdate = false;
    assert.deepEqual(await diff({ zoneId: zoneA, size: 2 }), {});
    assert.equal(said.length, 2);
    await diff({ zoneId: zoneB, size: 2 });
    assert.deepEqual(said, [], "a replacement is looked at as a create is");
    await diff({ zoneId: zoneA, size: 2, connection: unknownValue });
    assert.equal(asked.length, 0);

    found = [finding("error", "no"), finding("error", "never")];
    await assert.rejects(diff({ zoneId: zoneA, size: 2 }), (error: Error) => {
      assert.equal(error.message, "size: no [csp-lint-toy]\nsize: never [csp-lint-toy]");
      assert.equal(error.stack, "(shown with the resource)");
      return true;
    });
    assert.deepEqual(said, []);
  });

  it("tells whose an object is, and why it can no longer be this one's: then it is replaced", async () => {
    const noted: unknown[] = [];
    let taken: Finding | undefined;
    const { provider, check, said } = process({
      noteDeclared: (_run, id, _state, of, now) => void noted.push([id, of, now["size"]]),
      whyTaken: () => taken,
    });
    const { inputs } = await check(old, { zoneId: zoneA, size: 1 });
    await provider.diff("id", old, inputs);
    assert.deepEqual(noted, [["id", urn, 1]]);
    taken = finding("warning", "another has it");
    assert.deepEqual(await provider.diff("id", old, inputs), { changes: true, replaces: ["zoneId"] });
    assert.deepEqual([noted.length, said.length], [1, 1]);
    const other = process({ replacedBy: ["size", "zoneId"], whyTaken: () => taken });
    await other.check(old, { zoneId: zoneA, size: 1 });
    const bySize = await other.provider.diff("id", old, inputs);
    assert.deepEqual(bySize, { changes: true, replaces: ["size"] }, "by what replaces such a one");
    // Of a resource that was not checked it is a refresh's.
    assert.deepEqual(await provider.diff("id", old, { zoneId: zoneA, size: 1, other: 1 }), {
      changes: false,
    });
    assert.equal(noted.length, 1, "nobody declares what a refresh looks at");
  });

  it("of an update is told from one of a refresh by the URN that check has seen, whatever has become of the inputs since", async () => {
    const looked: unknown[] = [];
    const { provider, check } = process({
      look: async (_run, _id, _state, now, of) => {
        looked.push([of, now]);
        return { findings: [], needsUpdate: false };
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

    // A resource with an alias was recorded under another URN.
    await provider.diff("id", { ...old, __urn: "urn:before" }, inputs);
    assert.equal(looked.length, 1);
    await provider.diff("id", { ...old, __urn: "urn:other" }, { ...declared, __urn: "urn:other" });
    assert.equal(looked.length, 1, "the same inputs of a resource that was not checked");
  });

  it("offline does what needs no request", async () => {
    const offline = process(
      {
        look: async () => {
          throw new OfflineError("no");
        },
        beforeUpdate: async () => {
          throw new OfflineError("no");
        },
      },
      { PAGE_GUARD_OFFLINE: "1" },
    );
    const { inputs } = await offline.check(old, { zoneId: zoneA, size: 2 });
    assert.deepEqual(await offline.provider.diff("id", old, inputs), {});
    assert.deepEqual(offline.asked, []);
  });

  it("refuses the state of a newer version", async () => {
    const { provider } = process();
    await assert.rejects(
      provider.diff("id", { ...old, schemaVersion: schemaVersion + 1 }, old),
      /written by a newer pulumi-page-guard.*\[state-of-newer-version\]$/,
    );
  });
});
