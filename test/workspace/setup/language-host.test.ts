import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./support/machine";

const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const { EngineService } = sdk("./proto/engine_grpc_pb");
const { LanguageRuntimeClient } = sdk("./proto/language_grpc_pb");
const messages = sdk("./proto/language_pb");
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb.js");

describe("The language host of machines without the official bundle", () => {
  let host: ChildProcess;
  let client: Record<string, (request: unknown, done: (error: unknown, answer: never) => void) => void>;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-host-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  before(async () => {
    host = spawn(process.execPath, [join(root, "tools/engine/language-host.cjs"), "127.0.0.1:1"]);
    const [line] = await once(host.stdout ?? process.stdin, "data");
    assert.match(String(line), /^\d+\n$/, "all that it prints is its port");
    client = new LanguageRuntimeClient(`127.0.0.1:${String(line).trim()}`, grpc.credentials.createInsecure());
  });

  after(() => void host?.kill());

  function ask<Answer>(method: string, request: unknown): Promise<Answer> {
    return new Promise((done, failed) =>
      client[method]?.(request, (error, answer) => (error ? failed(error) : done(answer))),
    );
  }

  it("answers the engine's questions before a program, and reports that a program failed or cannot run", async () => {
    await ask("handshake", new messages.LanguageHandshakeRequest());
    await ask("getRequiredPackages", new messages.GetRequiredPackagesRequest());
    await ask("getPluginInfo", new Empty());
    const advice = /There is no @pulumi\/pulumi for the program in .* Run `npm install` there/;
    assert.match((await run()).getError(), advice);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const answer = await run();
    assert.ok(answer.getBail() || answer.getError() !== "");
  });

  it("sends the output of the program to an engine that has attached itself", async () => {
    const told: string[] = [];
    const engine = new grpc.Server();
    engine.addService(EngineService, {
      log: (call: { request: { getMessage(): string } }, answer: (error: null, empty: unknown) => void) => {
        told.push(call.request.getMessage());
        answer(null, new Empty());
      },
    });
    const bind = promisify(engine.bindAsync.bind(engine));
    const port = await bind("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
    const { serveLanguage } = require(join(root, "tools/engine/language-host.cjs"));
    const words = join(folder, "words.cjs");
    writeFileSync(words, "console.log('on one stream'); console.error('and on the other');");
    const attached = await serveLanguage({ env: { ...process.env, NODE_OPTIONS: `--require=${words}` } });
    const before = client;
    client = new LanguageRuntimeClient(`127.0.0.1:${attached.port}`, grpc.credentials.createInsecure());
    try {
      const handshake = new messages.LanguageHandshakeRequest();
      handshake.setEngineAddress(`127.0.0.1:${port}`);
      await ask("handshake", handshake);
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      await run();
      for (const words of ["on one stream", "and on the other"]) assert.ok(told.join("").includes(words));
    } finally {
      client = before;
      attached.close();
      engine.forceShutdown();
    }
  });

  /** Runs a program that ends at once. It cannot reach any engine. */
  function run(): Promise<{ getError(): string; getBail(): boolean }> {
    writeFileSync(join(folder, "package.json"), "{}");
    writeFileSync(join(folder, "index.js"), "process.exit(7);");
    const info = new messages.ProgramInfo();
    info.setRootDirectory(folder);
    info.setProgramDirectory(folder);
    info.setEntryPoint(".");
    const request = new messages.RunRequest();
    request.setInfo(info);
    request.setPwd(folder);
    request.setProject("story");
    request.setStack("dev");
    request.setMonitorAddress("127.0.0.1:1");
    return ask("run", request);
  }
});
