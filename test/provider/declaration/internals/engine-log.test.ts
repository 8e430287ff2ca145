import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import type * as EngineLog from "../../../../provider/src/declaration/internals/engine-log";

// The SDK's own copy of its transport, as the sources take it.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const { EngineService } = sdk("./proto/engine_grpc_pb");
const { LogSeverity: levels } = sdk("./proto/engine_pb");
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb.js");

interface Call {
  readonly request: { getSeverity(): number; getUrn(): string; getMessage(): string };
}

describe("A message to the engine", () => {
  const { argv } = process;
  const heard: unknown[] = [];
  let engine = new grpc.Server();
  let address = "";
  let { logToEngine } = freshCopy();

  /** As in a process that the engine has started with this first argument. */
  const log = async (
    severity: Parameters<typeof EngineLog.logToEngine>[0],
    text: string,
    first = address,
  ): Promise<void> => {
    process.argv = [...argv.slice(0, 2), first];
    await logToEngine(severity, "urn:a", text);
  };

  before(async () => {
    engine = new grpc.Server();
    ({ logToEngine } = freshCopy());
    engine.addService(EngineService, {
      log: ({ request }: Call, answer: (error: null, empty: unknown) => void) => {
        heard.push([request.getSeverity(), request.getUrn(), request.getMessage()]);
        answer(null, new Empty());
      },
    });
    const bind = promisify(engine.bindAsync.bind(engine));
    const port = await bind("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
    address = `127.0.0.1:${port}`;
  });
  beforeEach(() => heard.splice(0));
  afterEach(() => {
    process.argv = argv;
  });
  after(() => engine.forceShutdown());

  it("arrives on its resource with its severity, fit to be shown", async () => {
    await log("info", "one");
    await log("warning", "two\u0007");
    await log("error", "three");
    assert.deepEqual(heard, [
      [levels.INFO, "urn:a", "one"],
      [levels.WARNING, "urn:a", "two"],
      [levels.ERROR, "urn:a", "three"],
    ]);
  });

  it("goes nowhere in a process that the engine has not started", async () => {
    for (const first of ["", "up", "--port:", ":7000", "a b:7000", `${address} `, `${address}/x`]) {
      await log("info", "lost", first);
    }
    process.argv = argv.slice(0, 2);
    await logToEngine("info", "urn:a", "lost");
    assert.deepEqual(heard, []);
  });

  it("that does not arrive fails nothing", async () => {
    engine.forceShutdown();
    await log("error", "lost");
    assert.deepEqual(heard, []);
  });
});

/** A process speaks to one engine: what is connected stays so, also where these tests are told twice in a process. */
function freshCopy(): typeof EngineLog {
  const path = require.resolve("../../../../provider/src/declaration/internals/engine-log");
  delete require.cache[path];
  return require(path);
}
