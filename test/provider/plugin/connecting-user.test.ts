import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import {
  type ProviderCalls,
  serveProvider,
} from "../../../provider/src/declaration/internals/provider-server";
import { identifyStranger } from "../../../provider/src/plugin/connecting-user";

const nobody = 65534;

/** Asks the plugin for its schema, without the SDK, which another user of the machine may not read. */
const ask = `
  const [port, leaves, localPort] = process.argv.slice(1);
  const from = localPort && { localAddress: "127.0.0.2", localPort: Number(localPort) };
  const createConnection = () => require("node:net").connect({ host: "127.0.0.1", port, ...from });
  const client = require("node:http2").connect("http://127.0.0.1:" + port, { createConnection });
  client.on("error", () => process.exit());
  const path = "/pulumirpc.ResourceProvider/GetSchema";
  const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
  const request = client.request(headers);
  const show = ({ "grpc-status": status, "grpc-message": message }) => {
    if (status === undefined) return;
    console.log(status, decodeURIComponent(message ?? ""));
    client.close();
  };
  request.on("response", show).on("trailers", show).resume().end(Buffer.alloc(5));
  if (leaves) request.once("ready", () => setTimeout(() => process.exit(), 50));
`;

describe("The port of the plugin", () => {
  let asked = 0;
  let server: Awaited<ReturnType<typeof serveProvider>>;

  before(async function () {
    if (process.platform !== "linux" || process.getuid?.() !== 0) {
      process.stderr.write("!! Left out: only root on Linux can connect as another user.\n");
      this.skip();
    }
    const none = () => assert.fail("this is not called here");
    const schema = () => {
      asked++;
      return "{}";
    };
    const calls: ProviderCalls = {
      version: "1.2.3",
      components: {},
      schema,
      checkConfig: none,
      configure: none,
      resource: none,
      invoke: none,
    };
    server = await serveProvider(calls, identifyStranger);
  });

  after(() => server?.close());

  async function answerTo(uid: number): Promise<string> {
    const client = spawn(process.execPath, ["-e", ask, String(server.port)], { uid, cwd: "/" });
    const ended = once(client, "exit");
    const [said, complaint] = await Promise.all([text(client.stdout), text(client.stderr), ended]);
    assert.equal(complaint, "");
    return said;
  }

  it("given another user of the machine, when they connect, then the plugin refuses the request and says why", async () => {
    const said = await answerTo(nobody);
    assert.match(said, /^7 The plugin runs as user 0, but the connection comes from user 65534\./);
    assert.equal(asked, 0);
  });

  it("given another user who disconnects before the plugin reads the request, then it is refused, even if the port number is one of ours", async () => {
    const ours = connect(server.port, "127.0.0.1");
    await once(ours, "connect");
    // Our server cannot accept the connection before this returns. By then, Linux no longer knows the user of the first one.
    for (const as of [[], [], [String(ours.localPort)]]) {
      const args = ["-e", ask, String(server.port), "leaves", ...as];
      spawnSync(process.execPath, args, { uid: nobody, cwd: "/" });
    }
    await answerTo(nobody);
    ours.destroy();
    assert.equal(asked, 0);
  });

  it("given our own user, then the plugin answers", async () => {
    assert.match(await answerTo(0), /^0 /);
    assert.equal(asked, 1);
  });
});

describe("A system that does not show the users of connections", () => {
  it("makes the plugin trust every user", () => {
    const { readFileSync } = fs;
    const local = { remoteAddress: "127.0.0.1", localAddress: "127.0.0.1" };
    fs.readFileSync = () => assert.fail("EACCES");
    try {
      assert.equal(identifyStranger(local as Socket), undefined);
    } finally {
      fs.readFileSync = readFileSync;
    }
  });
});
