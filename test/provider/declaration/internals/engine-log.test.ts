import assert from "node:assert/strict";
import type * as EngineLog from "../../../../provider/src/declaration/internals/engine-log";
import { levels, startEngine } from "../support/fake-engine";

describe("A message to the engine", () => {
  const { argv } = process;
  let engine: Awaited<ReturnType<typeof startEngine>>;
  let { logToEngine } = freshCopy();

  /** Logs a message like a process that the engine has started with `first` as its first argument. */
  const log = async (
    severity: Parameters<typeof EngineLog.logToEngine>[0],
    text: string,
    first = engine.address,
  ): Promise<void> => {
    process.argv = [...argv.slice(0, 2), first];
    await logToEngine(severity, "urn:a", text);
  };

  before(async () => {
    engine = await startEngine("dev");
    ({ logToEngine } = freshCopy());
  });
  afterEach(() => {
    process.argv = argv;
  });
  after(() => engine.stop());

  it("arrives at its resource with its severity and without control characters", async () => {
    await log("info", "one");
    await log("warning", "two\u0007");
    await log("error", "three");
    assert.deepEqual(engine.messages, [
      [levels.INFO, "urn:a", "one"],
      [levels.WARNING, "urn:a", "two"],
      [levels.ERROR, "urn:a", "three"],
    ]);
  });

  it("is not sent by a process that the engine has not started", async () => {
    const { address, messages } = engine;
    const { length } = messages;
    for (const first of ["", "up", "--port:", ":7000", "a b:7000", `${address} `, `${address}/x`]) {
      await log("info", "lost", first);
    }
    process.argv = argv.slice(0, 2);
    await logToEngine("info", "urn:a", "lost");
    assert.equal(messages.length, length);
  });

  it("causes no failure if it does not arrive", async () => {
    const { length } = engine.messages;
    engine.stop();
    await log("error", "lost");
    assert.equal(engine.messages.length, length);
  });
});

/** Returns a fresh copy of the module. A copy stays connected to one engine, and these tests may run twice in a process. */
function freshCopy(): typeof EngineLog {
  const path = require.resolve("../../../../provider/src/declaration/internals/engine-log");
  delete require.cache[path];
  return require(path);
}
