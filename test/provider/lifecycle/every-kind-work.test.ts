import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { PartialFailureError } from "../../../provider/src/lifecycle/partial-failure-error";
import { takesOthersIf } from "../../../provider/src/model/effect";
import { unknownValue } from "../../../provider/src/model/unknown";
import { schemaVersion, zoneA, zoneB } from "../small-engine/zones";
import { startToy, urn } from "./support/toy-kind";

describe("What every kind of resource shares: create, read, update and delete", () => {
  it("save the schema version, and neither undefined values nor the mark of an incomplete attempt that has ended", async () => {
    const state = { zoneId: zoneA, gone: undefined, list: [{ a: undefined, b: 1 }], incomplete: true };
    const expected = { zoneId: zoneA, list: [{ b: 1 }], schemaVersion };
    const { provider } = startToy({
      create: async () => ({ id: "made", state }),
      update: async () => state,
      read: async ({ id }) => ({ inputs: { zoneId: id, none: undefined }, state }),
    });
    assert.deepEqual(await provider.create({ zoneId: zoneA }), { id: "made", outs: expected });
    assert.deepEqual(await provider.update("made", {}, { zoneId: zoneA }), { outs: expected });
    const read = { id: "z", inputs: { zoneId: "z" }, props: expected };
    assert.deepEqual(await provider.read("z", { schemaVersion }), read);
    const { props } = await provider.read("z", { schemaVersion, incomplete: true });
    assert.deepEqual(props, { ...expected, incomplete: true });
  });

  it("report a deleted object to a refresh as gone, and to a program that reads it with what to do", async () => {
    const { provider } = startToy({ read: async () => undefined });
    assert.deepEqual(await provider.read("z", { schemaVersion }), { id: "", props: {} });
    await assert.rejects(
      provider.read("z", {}),
      /^pulumi-page-guard: Failed to get the Toy z: it does not exist\. .* Correct the id in the program\. \[nothing-to-get\]$/,
    );
  });

  it("save what was done before a failure, with the text by which the engine finds the provider", async () => {
    const cause = new Error("cut off");
    const failing = () =>
      Promise.reject(new PartialFailureError("made", { zoneId: zoneA, size: undefined }, cause));
    const { provider } = startToy({ create: failing, update: failing });
    for (const work of [
      () => provider.create({ zoneId: zoneA, __provider: "p" }),
      () => provider.update("made", {}, { zoneId: zoneA, __provider: "p" }),
    ]) {
      await assert.rejects(work, (error: PartialFailureError) => {
        const saved = { zoneId: zoneA, incomplete: true, schemaVersion, __provider: "p" };
        assert.deepEqual(error.properties, saved);
        assert.deepEqual([error.id, error.reasons, error.cause], ["made", ["cut off [unexpected]"], cause]);
        return true;
      });
    }
    await assert.rejects(provider.create({ zoneId: zoneA }), (error: PartialFailureError) => {
      assert.ok(!("__provider" in error.properties));
      return true;
    });
  });

  it("fail with a message and a code, without a stack, whatever is thrown", async () => {
    for (const [thrown, expected] of [
      [new Error("odd"), "odd [unexpected]"],
      ["odd", "odd [unexpected]"],
      [undefined, "undefined [unexpected]"],
    ] as const) {
      const fail = () => Promise.reject(thrown);
      const { provider } = startToy({ create: fail, update: fail, read: fail, delete: fail });
      for (const work of [
        () => provider.create({ zoneId: zoneA }),
        () => provider.update("a", {}, { zoneId: zoneA }),
        () => provider.read("a", {}),
        () => provider.delete("a", {}),
      ]) {
        await assert.rejects(work, (error: Error) => {
          assert.deepEqual([error.message, error.stack], [expected, "(shown with the resource)"]);
          return true;
        });
      }
    }
  });

  it("pass the URN in the inputs to the kind, and keep it in the state", async () => {
    const seen: unknown[] = [];
    const { provider, check } = startToy({
      create: async ({ inputs, urn: of }) => {
        seen.push(of);
        return { id: "made", state: inputs };
      },
      update: async ({ inputs, urn: of }) => {
        seen.push(of);
        return inputs;
      },
    });
    const { inputs } = await check({}, { zoneId: zoneA, size: 1 });
    const { outs } = await provider.create(inputs);
    // A policy pack may have changed the inputs since.
    await provider.update("made", {}, { ...inputs, size: 2 });
    await provider.create({ zoneId: zoneA, size: 9 });
    assert.deepEqual(seen, [urn, urn, ""]);

    // The inputs that a refresh returns belong to the same resource.
    const read = await provider.read("made", outs);
    assert.deepEqual([outs.__urn, read.props.__urn, read.inputs.__urn], [urn, urn, urn]);
    const { __urn, ...before } = outs;
    const old = await provider.read("made", before);
    assert.deepEqual([old.props.__urn, old.inputs.__urn], [undefined, undefined]);
  });

  it("accept inputs that a policy pack changed, and refuse them if the kind refuses remediation or the approval has other inputs", async () => {
    const work = {
      shape: { zoneId: z.string(), name: z.string().nullish() },
      create: async () => ({ id: "made", state: {} }),
    };
    const plain = startToy(work);
    const { inputs } = await plain.check({}, { zoneId: zoneA, name: "a" });
    await plain.provider.create({ ...inputs, name: "b" });
    await assert.rejects(plain.provider.create({ ...inputs, name: 7 }), /name: .*\[input-invalid\]/);

    const strict = startToy({ ...work, refusesRemediation: true });
    const { inputs: one } = await strict.check({}, { zoneId: zoneA, name: null });
    // Absent and null inputs are equal, and properties that the SDK adds are no inputs.
    await strict.provider.create({ zoneId: zoneA, __urn: urn, __provider: "text" });
    for (const changed of [
      { ...one, name: "b" },
      // The pack has dropped the URN.
      { zoneId: zoneA, name: "b" },
    ])
      await assert.rejects(strict.provider.create(changed), /pack changed name\. .*\[remediation-refused\]/);
    await assert.rejects(strict.provider.diff("made", {}, { ...one, name: "b" }), /\[remediation-refused\]/);

    const folder = mkdtempSync(join(tmpdir(), "page-guard-approved-"));
    const file = join(folder, "inputs.json");
    writeFileSync(file, JSON.stringify({ [urn]: { zoneId: zoneA, name: "b" } }));
    const held = startToy(work, { PAGE_GUARD_APPROVED_INPUTS: file });
    const { inputs: declared } = await held.check({}, { zoneId: zoneA, name: "a" });
    await held.provider.create({ ...declared, name: "b" });
    await assert.rejects(
      held.provider.create({ ...declared, name: "c" }),
      /a policy pack changed name to a value that the review did not show.*\[remediation-not-approved\]/,
    );
    // A pack changed the name in the review, and does not do so now.
    await assert.rejects(held.provider.create(declared), /changed name .*\[remediation-not-approved\]/);
    await assert.rejects(
      held.provider.update("made", { __urn: urn }, { zoneId: zoneA, name: "a" }),
      /\[remediation-not-approved\]/,
    );
    writeFileSync(file, JSON.stringify({ [urn]: { zoneId: zoneA, name: unknownValue } }));
    const unseen = startToy(work, { PAGE_GUARD_APPROVED_INPUTS: file });
    const { inputs: late } = await unseen.check({}, { zoneId: zoneA, name: "a" });
    await unseen.provider.create({ ...late, name: "c" });
    const lost = startToy(work, { PAGE_GUARD_APPROVED_INPUTS: `${file}.gone` });
    const { inputs: without } = await lost.check({}, { zoneId: zoneA, name: "a" });
    await assert.rejects(lost.provider.create({ ...without, name: "b" }), /\[remediation-not-approved\]/);
    rmSync(folder, { recursive: true });
  });

  const taking = {
    shape: { zoneId: z.string(), size: z.number(), others: z.string().optional() },
    inZone: { object: "policy", takesOthers: takesOthersIf("others", "delete") },
  } as const;
  for (const [name, declared, changed] of [
    ["zoneId", undefined, zoneB],
    ["others", undefined, "delete"],
    ["others", "keep", "delete"],
  ] as const)
    it(`refuse a policy pack that changes ${name} from ${declared} to ${changed}, for a new and an existing resource`, async () => {
      const { provider, check } = startToy(taking);
      const given = { zoneId: zoneA, size: 1, ...(declared && { [name]: declared }) };
      const { inputs } = await check({}, given);
      const remediated = { ...inputs, [name]: changed };
      const refused = new RegExp(
        `a policy pack changed ${name}\\. Only the program .*\\[remediation-refused\\]`,
      );
      await assert.rejects(provider.create(remediated), refused);
      await assert.rejects(provider.diff("made", given, remediated), refused);
      await assert.rejects(provider.update("made", given, remediated), refused);
    });

  it("accept a policy pack that keeps or spares unmanaged objects", async () => {
    const { provider, check } = startToy(taking);
    const { inputs } = await check({}, { zoneId: zoneA, size: 1, others: "delete" });
    await provider.create({ ...inputs, size: 2 });
    await provider.create({ ...inputs, others: "keep" });
  });

  it("return no outputs for a resource that a program reads offline", async () => {
    const read = () => assert.fail("it was read");
    const { provider } = startToy({ read }, { PAGE_GUARD_OFFLINE: "1" });
    assert.deepEqual(await provider.read("a", { x: 1 }), { id: "a", props: { x: 1 } });
  });

  it("hide secrets in errors, and in the reasons of partial failures", async () => {
    const secret = "hush-hush";
    const { provider, check } = startToy({
      create: () => Promise.reject(new Error(`refused: ${secret}`)),
      update: () => Promise.reject(new PartialFailureError("a", {}, new Error(`half: ${secret}`))),
      changedInputs: () => assert.fail(`compared: ${secret}`),
      shape: { zoneId: z.string(), name: z.string() },
    });
    const { inputs } = await check({}, { zoneId: zoneA, name: secret, __secrets: ["name"] });
    await assert.rejects(provider.create(inputs), /^pulumi-page-guard: refused: \[secret\] \[unexpected\]$/);
    await assert.rejects(provider.diff("a", {}, inputs), /compared: \[secret\]/);
    await assert.rejects(provider.update("a", {}, inputs), (error: PartialFailureError) => {
      assert.deepEqual(error.reasons, ["half: [secret] [unexpected]"]);
      return true;
    });
    // A policy pack has changed the inputs after check.
    const remediated = { ...inputs, name: `${secret} again` };
    await assert.rejects(provider.create(remediated), /refused: \[secret\]/);
    await assert.rejects(provider.diff("a", {}, remediated), /compared: \[secret\]/);
  });

  it("use the connection in the stack config after the engine has called configure", async () => {
    const none = { PAGE_GUARD_API_TOKEN: undefined, PAGE_GUARD_BASE_URL: undefined };
    const { provider, run } = startToy({}, none);
    assert.throws(() => run.client(undefined), /No API token is set/);
    const config: Record<string, string> = {
      "page-guard:apiToken": "configured",
      "page-guard:baseUrl": "https://y.example/v4",
      "page-guard:service": "page_shield",
    };
    await provider.configure({ config: { get: (key: string) => config[key] } });
    assert.equal(run.client(undefined), run.client({}), "one client for one connection");
    assert.equal(run.service(undefined), "page_shield");
    assert.notEqual(run.client({ service: "page_guard" }), run.client(undefined));
    for (const value of [1, 2]) {
      const remembered = run.memory(Symbol.for("a"), () => value);
      assert.equal(remembered, 1);
    }
  });
});
