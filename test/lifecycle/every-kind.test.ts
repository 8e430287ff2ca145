import assert from "node:assert/strict";
import { z } from "zod";
import { OfflineError } from "../../provider/src/errors/offline-error";
import { dynamicProvider } from "../../provider/src/lifecycle/dynamic-provider";
import type { Finding } from "../../provider/src/lifecycle/finding";
import type { Kind } from "../../provider/src/lifecycle/kind";
import { PartialFailure } from "../../provider/src/lifecycle/partial-failure";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { schemaVersion } from "../../provider/src/lifecycle/state";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import type { Properties } from "../small-engine/checkpoint";
import { zoneA, zoneB } from "../small-engine/zones";

const urn = "urn:pulumi:dev::story::t::one";

/** A kind of which each test says what it does; what it does not say is as plain as can be. */
function toy(more: Partial<Kind<Properties, Properties>> = {}): Kind<Properties, Properties> {
  return {
    name: "Toy",
    shape: { zoneId: z.string(), size: z.number().optional(), connection: z.any() },
    replacedBy: ["zoneId"],
    onePerZone: false,
    parseInputs: (inputs) => inputs,
    parseState: (state) => state,
    changedInputs: (before, now) => ["zoneId", "size"].filter((name) => before[name] !== now[name]),
    create: async (_run, inputs) => ({ id: "made", state: { ...inputs } }),
    read: async (_run, id, state) => ({ inputs: { zoneId: id }, state }),
    update: async (_run, _id, _state, inputs) => ({ ...inputs }),
    delete: async () => undefined,
    ...more,
  };
}

function process(more: Partial<Kind<Properties, Properties>> = {}, env: NodeJS.ProcessEnv = {}) {
  const said: string[] = [];
  const asked: unknown[] = [];
  const run = {
    ...createRun({ env: { PAGE_GUARD_API_TOKEN: "t", PAGE_GUARD_BASE_URL: "https://x.example/v4", ...env } }),
    warn: async (place: string, text: string) => void said.push(`warning ${place} ${text}`),
    progress: async (place: string, text: string) => void said.push(`info ${place} ${text}`),
  };
  const { client } = run;
  run.client = (connection) => {
    asked.push(connection);
    return client(connection);
  };
  // The SDK's methods are all optional, and typed as any.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  const provider = dynamicProvider(() => toy(more), run) as any;
  const check = async (olds: Properties, news: Properties) => {
    const { inputs, failures } = await provider.check(olds, { __urn: urn, ...news });
    return { inputs, failures: failures.map(({ reason }: { reason: string }) => reason) };
  };
  return { provider, check, said, asked, run };
}

const finding = (severity: Finding["severity"], message: string): Finding => ({
  severity,
  code: "csp-taken-over",
  property: "size",
  message,
});

describe("What every kind of resource shares: check", () => {
  it("takes out what only it is told, and hands the rest on as it came", async () => {
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
    assert.deepEqual([inputs, failures], [{ zoneId: zoneA, size: 1, __provider: "p" }, []]);
  });

  it("asks the service on create and where something that matters has changed, and never on wrong or unknown inputs", async () => {
    const asked: unknown[] = [];
    const { check } = process({
      preflight: async (_run, { before, now }) => {
        asked.push([before?.["size"], now["size"]]);
        return [];
      },
      matters: (before, now) => before["size"] !== now["size"],
    });
    await check({}, { zoneId: zoneA, size: 1 });
    await check({ zoneId: zoneA, size: 1 }, { zoneId: zoneA, size: 1 });
    await check({ zoneId: zoneA, size: 1 }, { zoneId: zoneA, size: 2 });
    await check({}, { zoneId: zoneA, size: "x" });
    await check({}, { zoneId: unknownValue, size: 1 });
    await check({}, { zoneId: zoneA, size: 4, connection: { baseUrl: unknownValue } });
    assert.deepEqual(asked, [
      [undefined, 1],
      [1, 2],
    ]);
  });

  it("without a rule of what matters asks on create alone", async () => {
    let asked = 0;
    const { check } = process({ preflight: async () => [finding("info", String(++asked))] });
    await check({}, { zoneId: zoneA });
    await check({ zoneId: zoneA, size: 1 }, { zoneId: zoneA, size: 2 });
    assert.equal(asked, 1);
  });

  it("needs a connection where something has to be asked, also where its zone is not known yet", async () => {
    const { check, asked } = process();
    await check({}, { zoneId: zoneA, connection: { service: "page_shield" } });
    await check({}, { zoneId: unknownValue });
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
    const { check, said } = process({ preflight: async () => findings });
    assert.deepEqual((await check({}, { zoneId: zoneA })).failures, ["size: too big [csp-taken-over]"]);
    assert.deepEqual(said, [
      `warning ${urn} size: big [csp-taken-over]`,
      `info ${urn} size: growing [csp-taken-over]`,
    ]);
    const failing = (error: unknown) =>
      process({
        preflight: async () => {
          throw error;
        },
      }).check({}, { zoneId: zoneA });
    assert.deepEqual((await failing(new Error("broken"))).failures, ["broken [unexpected]"]);
    assert.deepEqual((await failing("odd")).failures, ["an unexpected failure: odd [unexpected]"]);
    assert.deepEqual(
      (await failing(new OfflineError("x"))).failures,
      [],
      "what may not be asked is not asked",
    );
  });

  it("lets a kind speak of rules over several inputs, of which only errors count, and stops there", async () => {
    let asked = 0;
    const { check, said } = process({
      inspect: (_inputs, wanted) => [finding("error", wanted), finding("warning", "shown by the program")],
      preflight: async () => [finding("info", String(++asked))],
    });
    assert.deepEqual((await check({}, { zoneId: zoneA })).failures, ["size: errors [csp-taken-over]"]);
    assert.deepEqual([said, asked], [[], 0]);
  });

  it("refuses a second one for a zone where there is just one, in any spelling, but not the same one again", async () => {
    const { check } = process({ onePerZone: true });
    assert.deepEqual((await check({}, { zoneId: zoneA })).failures, []);
    assert.deepEqual((await check({}, { zoneId: zoneA })).failures, [], "it is replaced");
    const { failures } = await check({}, { zoneId: zoneA.toUpperCase(), __urn: "urn:two" });
    assert.deepEqual(failures, [
      `zoneId: zone ${zoneA.toUpperCase()} has its Toy declared already, by ${urn}. A zone has just one, and two resources would overwrite each other at each update. Keep one of the two and move what both declare into it. [two-for-one-zone]`,
    ]);
    assert.deepEqual((await check({}, { zoneId: zoneB, __urn: "urn:two" })).failures, []);
  });

  it("names rivals without a request, and looks no further then", async () => {
    let asked = 0;
    const { check } = process({
      rivals: (_run, _now, of) => [finding("error", `beside ${of}`)],
      preflight: async () => [finding("info", String(++asked))],
    });
    assert.deepEqual((await check({}, { zoneId: zoneA })).failures, [`size: beside ${urn} [csp-taken-over]`]);
    assert.equal(asked, 0);
  });

  it("hands on what is declared beside it, and the object that makes room for its successor", async () => {
    const noted: unknown[] = [];
    const { check, provider } = process({
      noteBeside: (_run, of, beside) => void noted.push(["beside", of, beside]),
      noteReplaced: (_run, id, { size }, of) => void noted.push(["replaced", id, size, of]),
      inRecordedWords: (recorded, declared) => ({ ...declared, size: recorded["size"] ?? declared["size"] }),
    });
    const { inputs } = await check({ zoneId: zoneA, size: 3 }, { zoneId: zoneA, size: 4, __beside: [1] });
    assert.equal(inputs.size, 3);
    await check({}, { zoneId: zoneA });
    assert.equal(noted.length, 1, "it was not compared yet");
    await check({ zoneId: zoneA, size: 3 }, { zoneId: zoneA });
    await provider.diff("id-1", { zoneId: zoneA, size: 3 }, inputs);
    await check({}, { zoneId: zoneB });
    assert.deepEqual(noted, [
      ["beside", urn, [1]],
      ["replaced", "id-1", 3, urn],
    ]);
  });
});

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
    assert.deepEqual([said, asked.length], [[`info ${urn} size: looked [csp-taken-over]`], 0]);
    needsUpdate = true;
    assert.deepEqual(await diff({ zoneId: zoneA, size: 1 }), { changes: true });
    assert.deepEqual(
      [said, asked.length],
      [[`info ${urn} size: looked [csp-taken-over]`, `warning ${urn} size: id 1 1 [csp-taken-over]`], 1],
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
      assert.equal(error.message, "size: no [csp-taken-over]\nsize: never [csp-taken-over]");
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
    // Of inputs that were not checked it is a refresh's.
    assert.deepEqual(await provider.diff("id", old, { zoneId: zoneA, size: 1, other: 1 }), {
      changes: false,
    });
    assert.equal(noted.length, 1, "nobody declares what a refresh looks at");
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

describe("What every kind of resource shares: create, read, update and delete", () => {
  it("record the schema's version, no undefined at any depth, and no mark of an attempt that is over", async () => {
    const state = { zoneId: zoneA, gone: undefined, list: [{ a: undefined, b: 1 }], incomplete: true };
    const expected = { zoneId: zoneA, list: [{ b: 1 }], schemaVersion };
    const { provider } = process({
      create: async () => ({ id: "made", state }),
      update: async () => state,
      read: async (_run, id) => ({ inputs: { zoneId: id, none: undefined }, state }),
    });
    assert.deepEqual(await provider.create({ zoneId: zoneA }), { id: "made", outs: expected });
    assert.deepEqual(await provider.update("made", {}, { zoneId: zoneA }), { outs: expected });
    assert.deepEqual(await provider.read("z", { schemaVersion }), {
      id: "z",
      inputs: { zoneId: "z" },
      props: expected,
    });
    assert.deepEqual((await provider.read("z", { schemaVersion, incomplete: true })).props, {
      ...expected,
      incomplete: true,
    });
  });

  it("say that it is gone after a refresh, and what to do where a program reads it", async () => {
    const { provider } = process({ read: async () => undefined });
    assert.deepEqual(await provider.read("z", { schemaVersion }), { id: "", props: {} });
    await assert.rejects(
      provider.read("z", {}),
      /^pulumi-page-guard: There is no Toy with the id z\. .* correct it in the program\. \[nothing-to-get\]$/,
    );
  });

  it("record what was done before a failure, with the text by which the state finds its provider", async () => {
    const cause = new Error("cut off");
    const failing = async () => {
      throw new PartialFailure("made", { zoneId: zoneA, size: undefined }, cause);
    };
    const { provider } = process({ create: failing, update: failing });
    for (const work of [
      () => provider.create({ zoneId: zoneA, __provider: "p" }),
      () => provider.update("made", {}, { zoneId: zoneA, __provider: "p" }),
    ]) {
      await assert.rejects(work, (error: PartialFailure) => {
        assert.deepEqual(error.properties, {
          zoneId: zoneA,
          incomplete: true,
          schemaVersion,
          __provider: "p",
        });
        assert.deepEqual([error.id, error.reasons, error.cause], ["made", ["cut off [unexpected]"], cause]);
        return true;
      });
    }
    await assert.rejects(provider.create({ zoneId: zoneA }), (error: PartialFailure) => {
      assert.ok(!("__provider" in error.properties));
      return true;
    });
  });

  it("fail with a text and its code, without a stack, whatever is thrown", async () => {
    for (const [thrown, expected] of [
      [new Error("odd"), "odd [unexpected]"],
      ["odd", "an unexpected failure: odd [unexpected]"],
      [undefined, "an unexpected failure: undefined [unexpected]"],
    ] as const) {
      const fail = async () => {
        throw thrown;
      };
      const { provider } = process({ create: fail, update: fail, read: fail, delete: fail });
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

  it("tell a kind whom they work for, where `check` has seen the inputs", async () => {
    const seen: unknown[] = [];
    const { provider, check } = process({
      create: async (_run, inputs, of) => {
        seen.push(of);
        return { id: "made", state: inputs };
      },
      update: async (_run, _id, _state, inputs, of) => {
        seen.push(of);
        return inputs;
      },
    });
    const { inputs } = await check({}, { zoneId: zoneA, size: 1 });
    await provider.create(inputs);
    // The engine may give them in another order.
    await provider.update("made", {}, { size: 1, zoneId: zoneA });
    await provider.create({ zoneId: zoneA, size: 9 });
    assert.deepEqual(seen, [urn, urn, ""]);
  });

  it("send nothing offline, and say so; what a program reads stays unknown", async () => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      throw new Error("called");
    };
    const { provider } = process(
      { create: call, update: call, read: call, delete: call },
      { PAGE_GUARD_OFFLINE: "1" },
    );
    await assert.rejects(provider.create({ zoneId: zoneA }), /Nothing is created/);
    await assert.rejects(provider.update("a", {}, { zoneId: zoneA }), /Nothing is updated/);
    await assert.rejects(provider.delete("a", {}), /Nothing is deleted/);
    await assert.rejects(provider.read("a", { schemaVersion }), /Nothing is read/);
    assert.deepEqual(await provider.read("a", { x: 1 }), { id: "a", props: { x: 1 } });
    assert.equal(calls, 0);
  });

  it("keep what is secret out of failures, and out of the reasons of a partial one", async () => {
    const secret = "hush-hush";
    const { provider, check } = process({
      create: async () => {
        throw new Error(`refused: ${secret}`);
      },
      update: async () => {
        throw new PartialFailure("a", {}, new Error(`half: ${secret}`));
      },
      changedInputs: () => {
        throw new Error(`compared: ${secret}`);
      },
      shape: { zoneId: z.string(), name: z.string() },
    });
    const { inputs } = await check({}, { zoneId: zoneA, name: secret, __secrets: ["name"] });
    await assert.rejects(provider.create(inputs), /^pulumi-page-guard: refused: \[secret\] \[unexpected\]$/);
    await assert.rejects(provider.diff("a", {}, inputs), /compared: \[secret\]/);
    await assert.rejects(provider.update("a", {}, inputs), (error: PartialFailure) => {
      assert.deepEqual(error.reasons, ["half: [secret] [unexpected]"]);
      return true;
    });
  });

  it("take their connection from the stack's configuration, once the engine has told it", async () => {
    const { provider, run } = process(
      {},
      { PAGE_GUARD_API_TOKEN: undefined, PAGE_GUARD_BASE_URL: undefined },
    );
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
    assert.equal(
      run.memory(Symbol.for("a"), () => 1),
      1,
    );
    assert.equal(
      run.memory(Symbol.for("a"), () => 2),
      1,
    );
  });
});
