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

/** An option that makes the SDK start its callback server. */
const transforms = [() => undefined];

describe("An inline program of the Automation API", () => {
  keepConsole();

  it("declares everything if it succeeds, with or without callbacks from the engine", async () => {
    const plain = await runInline(async () => void watch("plain"));
    assert.deepEqual([plain.registered, plain.outcome], [["plain"], ""]);
    const calledBack = await runInline(async () => void watch("called", zoneA, { transforms }));
    // The program has to serve its hooks and transforms while the engine deletes.
    const { registered, isTold, outcome } = calledBack;
    assert.deepEqual([registered, isTold, outcome], [["called"], true, ""]);
  });

  it("that is refused and returns nothing does not tell the engine that the program is complete: the engine would delete the other resources", async () => {
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

  it("in which an unawaited read fails does not tell the engine that the program is complete", async () => {
    const found = () => watch("found");
    for (const [program, expected] of [
      [() => failingRead().apply(found), /PAGE_GUARD_TEST_NO_SUCH_TOKEN/],
      [() => watch("called", zoneA, { transforms }) && failingRead().apply(found), /_NO_SUCH_TOKEN/],
      [() => void getScripts(Object({ zone: zoneA })).then(found), /There is no such argument/],
    ] as const) {
      const { registered, isTold, outcome } = await runInline(async () => void program());
      assert.equal(isTold, false);
      assert.ok(!registered.includes("found"));
      assert.match(outcome, expected);
    }
  });

  it("waits for reads that are under way and for the resources that it declares from them", async () => {
    const sim = await startSimulator();
    sim.zones.seed(zoneA);
    sim.latencyMs = 100;
    const variable = "PAGE_GUARD_TEST_TOKEN_OF_A_READ";
    process.env[variable] = sim.token;
    const read = { zoneId: zoneA, connection: { baseUrl: sim.url, tokenEnv: variable } };
    try {
      const found = () => watch("found");
      for (const program of [
        () => getScriptsOutput(read).apply(found),
        () => void getScripts(read).then(found),
        () => watch("before") && getScriptsOutput(read).apply(() => getScriptsOutput(read).apply(found)),
      ]) {
        const { registered, outcome } = await runInline(async () => void program());
        assert.equal(outcome, "");
        assert.ok(registered.includes("found"), "the engine would delete it");
      }
    } finally {
      delete process.env[variable];
      await sim.stop();
    }
  });

  it("reports that functions read the environment of the program's process, not envVars, if a token is missing", async () => {
    const { outcome } = await runInline(async () => getScripts({ zoneId: zoneA, connection: noToken }));
    assert.match(outcome, /Set the environment variable PAGE_GUARD_TEST_NO_SUCH_TOKEN\./);
    assert.match(outcome, / your own process; envVars .*\.$/);
    await assert.rejects(getScripts({ zoneId: zoneA, connection: noToken }), ({ message }: Error) => {
      assert.doesNotMatch(message, /envVars/);
      return true;
    });
  });

  it("of one of two stacks with the same name is refused without affecting the other", async () => {
    const [refused, good] = await Promise.all([
      runInline(async () => void watch("wrong", "abc")),
      runInline(async () => void watch("right")),
    ]);
    assert.deepEqual([refused.registered, good.registered], [[], ["right"]]);
  });
});

describe("With an SDK that keeps its runs elsewhere,", () => {
  const usual: unknown = Reflect.get(globalThis, "asyncLocalStorage");
  afterEach(() => Reflect.set(globalThis, "asyncLocalStorage", usual));

  it("each run counts as a separate process", async () => {
    for (const other of [undefined, {}, { getStore: () => ({}) }]) {
      Reflect.set(globalThis, "asyncLocalStorage", other);
      assert.deepEqual([sharedRun(), isConstruction()], [undefined, false]);
      assert.equal(await whileRunIsHeld(async () => "done"), "done");
      holdFailedRun();
    }
  });

  it("a connection without the call signalAndWaitForShutdown stays unchanged", () => {
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
