import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import type * as pulumi from "@pulumi/pulumi";
import {
  holdFailedRun,
  isConstruction,
  sharedRun,
  whileRunIsHeld,
} from "../../../../provider/src/declaration/internals/shared-run";
import { getScripts, getScriptsOutput, PageGuardSettings } from "../../../../provider/src/index";
import { startSimulator } from "../../../../simulator/src/index";
import { zoneA } from "../../small-engine/zones";
import { runInline } from "../support/fake-engine";
import { keepConsole } from "../support/kept-console";

const noToken = { tokenEnv: "PAGE_GUARD_TEST_NO_SUCH_TOKEN" };
const failingRead = () => getScriptsOutput({ zoneId: zoneA, connection: noToken });

function watch(name: string, zoneId = zoneA, options?: pulumi.CustomResourceOptions): PageGuardSettings {
  return new PageGuardSettings(name, { zoneId, enabled: true }, options);
}

/** It makes the SDK start its server for callbacks. */
const transforms = [() => undefined];

describe("Inline programs of the Automation API", () => {
  keepConsole();

  it("that end well are complete, whether the engine has to call them back or not", async () => {
    const plain = await runInline(async () => void watch("plain"));
    assert.deepEqual([plain.registered, plain.outcome], [["plain"], ""]);
    const calledBack = await runInline(async () => void watch("called", zoneA, { transforms }));
    assert.deepEqual(
      [calledBack.registered, calledBack.isTold, calledBack.outcome],
      [["called"], true, ""],
      "hooks and transforms have to be there while the engine deletes",
    );
  });

  it("that are refused, and return nothing, never tell the engine that all is declared: it would delete the rest of the stack", async () => {
    for (const options of [undefined, { transforms }]) {
      const { registered, isTold, errors, outcome } = await runInline(async () => {
        watch("right", zoneA, options);
        watch("wrong", "abc", options);
      }, "production");
      assert.deepEqual([registered, isTold], [[], false]);
      assert.match(errors.join("\n"), /zoneId: expected a zone id \(32 hexadecimal characters\), got "abc"/);
      assert.match(outcome, /Failed to declare .* wrong of the stack production: 1 problem/);
    }
  });

  it("in which an unawaited read fails never do so either", async () => {
    const misspelt = { zone: zoneA };
    for (const [program, expected] of [
      [async () => void failingRead().apply(() => watch("found")), /PAGE_GUARD_TEST_NO_SUCH_TOKEN/],
      [
        async () => {
          watch("called", zoneA, { transforms });
          failingRead().apply(() => watch("found"));
        },
        /PAGE_GUARD_TEST_NO_SUCH_TOKEN/,
      ],
      [async () => void getScripts(Object(misspelt)).then(() => watch("found")), /There is no such argument/],
    ] as const) {
      const { registered, isTold, outcome } = await runInline(program);
      assert.equal(isTold, false);
      assert.ok(!registered.includes("found"));
      assert.match(outcome, expected);
    }
  });

  it("do not end before a read that is under way, and what the program makes of it", async () => {
    const sim = await startSimulator();
    sim.zones.seed(zoneA);
    sim.latencyMs = 100;
    const variable = "PAGE_GUARD_TEST_TOKEN_OF_A_READ";
    process.env[variable] = sim.token;
    const read = { zoneId: zoneA, connection: { baseUrl: sim.url, tokenEnv: variable } };
    try {
      for (const program of [
        async () => void getScriptsOutput(read).apply(() => watch("found")),
        async () => void getScripts(read).then(() => watch("found")),
        async () => {
          watch("before");
          getScriptsOutput(read).apply(() => getScriptsOutput(read).apply(() => watch("found")));
        },
      ]) {
        const { registered, outcome } = await runInline(program);
        assert.equal(outcome, "");
        assert.ok(registered.includes("found"), "the engine would delete it");
      }
    } finally {
      delete process.env[variable];
      await sim.stop();
    }
  });

  it("report whose environment a function reads, where a token is missing: envVars do not reach it", async () => {
    const { outcome } = await runInline(async () => getScripts({ zoneId: zoneA, connection: noToken }));
    assert.match(outcome, /Set the environment variable PAGE_GUARD_TEST_NO_SUCH_TOKEN\./);
    assert.match(outcome, / your own process; envVars .*\.$/);
    await assert.rejects(getScripts({ zoneId: zoneA, connection: noToken }), ({ message }: Error) => {
      assert.doesNotMatch(message, /envVars/);
      return true;
    });
  });

  it("of two stacks with one name, in two backends, pass or are refused each for itself", async () => {
    const [refused, good] = await Promise.all([
      runInline(async () => void watch("wrong", "abc")),
      runInline(async () => void watch("right")),
    ]);
    assert.deepEqual([refused.registered, good.registered], [[], ["right"]]);
  });
});

describe("An SDK that keeps its runs elsewhere", () => {
  const usual: unknown = Reflect.get(globalThis, "asyncLocalStorage");
  afterEach(() => Reflect.set(globalThis, "asyncLocalStorage", usual));

  it("makes each run count as a process of its own", async () => {
    for (const other of [undefined, {}, { getStore: () => ({}) }]) {
      Reflect.set(globalThis, "asyncLocalStorage", other);
      assert.deepEqual([sharedRun(), isConstruction()], [undefined, false]);
      assert.equal(await whileRunIsHeld(async () => "done"), "done");
      holdFailedRun();
    }
  });

  it("is left alone where its connection has no such call", () => {
    const runs = new AsyncLocalStorage();
    Reflect.set(globalThis, "asyncLocalStorage", runs);
    const monitor = { signalAndWaitForShutdown: undefined };
    runs.run({ settings: { monitor }, stackResource: {} }, () => {
      assert.equal(isConstruction(), false);
      holdFailedRun();
    });
    assert.deepEqual(monitor, { signalAndWaitForShutdown: undefined });
  });
});
