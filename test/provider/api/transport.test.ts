import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { promisify } from "node:util";
import { type CertificateWishes, makeCertificate } from "./certificate";
import { ok, startScriptedServer, TOKEN } from "./scripted-server";

interface Told {
  readonly ok?: { readonly enabled: boolean };
  readonly code?: string;
  readonly message?: string;
  readonly reason?: string;
}

const script = join(__dirname, "ask-settings.ts");
const register = join(__dirname, "../../../tools/test/transpile.cjs");
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

/** Runs a program with this environment, and returns the result for each base URL. */
async function ask(baseUrls: readonly string[], env: NodeJS.ProcessEnv): Promise<Told[]> {
  const inherited = Object.entries(process.env).filter(([name]) => !PROXIES.includes(name));
  const { stdout } = await promisify(execFile)(process.execPath, ["-r", register, script, ...baseUrls], {
    env: { ...Object.fromEntries(inherited), ...env },
  });
  assert.ok(!stdout.includes(TOKEN));
  return JSON.parse(stdout) as Told[];
}

function answer(_request: unknown, response: ServerResponse): void {
  response.end('{"success":true,"errors":[],"messages":[],"result":{"enabled":true}}');
}

/** Stops servers whose clients keep their connections open. */
function stop(...servers: readonly Server[]): void {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

describe("A failed TLS connection", () => {
  // Each call of `ask` starts a process.
  const folder = mkdtempSync(join(tmpdir(), "page-guard-tls-"));
  const trusted = join(folder, "trusted.pem");
  const servers: Server[] = [];
  const certificates: string[] = [];

  async function serve(wishes: CertificateWishes): Promise<string> {
    const { key, cert } = makeCertificate(wishes);
    certificates.push(cert);
    const server = createTlsServer({ key, cert }, answer);
    servers.push(server);
    return `https://127.0.0.1:${await listen(server)}/v4`;
  }

  after(() => {
    stop(...servers);
    rmSync(folder, { recursive: true });
  });

  it("is reported with its cause: not trusted, expired, not yet valid, for another host, or not TLS at all", async () => {
    const good = await serve({ host: "127.0.0.1" });
    const expired = await serve({ host: "127.0.0.1", fromDay: -9, toDay: -2 });
    const early = await serve({ host: "127.0.0.1", fromDay: 2, toDay: 9 });
    const foreign = await serve({ host: "other.example" });
    const plain = await startScriptedServer();
    writeFileSync(trusted, certificates.join(""));

    const [untrusted] = await ask([good], {});
    assert.equal(untrusted?.code, "PG_NETWORK");
    assert.match(untrusted?.message ?? "", /127\.0\.0\.1:\d+ is self-signed[\s\S]*NODE_EXTRA_CA_CERTS/);
    assert.match(untrusted?.message ?? "", /DEPTH_ZERO_SELF_SIGNED_CERT\)/, "not retried");

    const noTls = plain.baseUrl.replace("http:", "https:");
    const told = await ask([good, expired, early, foreign, noTls], { NODE_EXTRA_CA_CERTS: trusted });
    await plain.stop();
    assert.deepEqual(
      told.map(({ code, reason }) => reason ?? code),
      [
        undefined,
        "CERT_HAS_EXPIRED",
        "CERT_NOT_YET_VALID",
        "ERR_TLS_CERT_ALTNAME_INVALID",
        "ERR_SSL_WRONG_VERSION_NUMBER",
      ],
    );
    assert.deepEqual(told[0]?.ok, { enabled: true });
    assert.match(told[1]?.message ?? "", /has expired[\s\S]*clock/);
    assert.match(told[2]?.message ?? "", /not yet valid[\s\S]*install a certificate that is valid now/);
    assert.match(told[3]?.message ?? "", /hostname mismatch/);
    assert.match(told[4]?.message ?? "", /^Failed to get the settings: the TLS handshake/);
  });
});

describe("The client behind a proxy", () => {
  let tunnels: string[] = [];
  let refuse: number | undefined;
  let credentials: string | undefined;
  const proxy = createHttpServer();
  const sockets = new Set<Duplex>();
  proxy.on("connect", (request, socket) => {
    tunnels.push(request.url ?? "");
    sockets.add(socket);
    credentials = request.headers["proxy-authorization"];
    socket.on("error", () => undefined);
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
      return;
    }
    const [, port] = (request.url ?? "").split(":");
    // The requested name does not matter, because all servers run on this machine.
    const upstream = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(upstream);
      upstream.pipe(socket);
    });
    sockets.add(upstream);
    upstream.on("error", () => socket.destroy());
  });
  let proxyUrl = "";
  before(async () => {
    proxyUrl = `http://user:proxy-secret@127.0.0.1:${await listen(proxy)}`;
  });
  beforeEach(() => {
    tunnels = [];
    refuse = undefined;
    credentials = undefined;
  });
  after(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });

  it("sends the credentials of the proxy, and connects directly to the hosts in NO_PROXY", async () => {
    refuse = 403;
    await ask(["https://api.example.test/v4"], { HTTPS_PROXY: proxyUrl });
    assert.deepEqual(tunnels.slice(0, 1), ["api.example.test:443"]);
    assert.equal(credentials, `Basic ${Buffer.from("user:proxy-secret").toString("base64")}`);

    tunnels = [];
    const around = { https_proxy: proxyUrl, NO_PROXY: "example.com,api.example.test" };
    const [direct] = await ask(["https://api.example.test/v4"], around);
    assert.equal(direct?.code, "PG_NETWORK");
    assert.deepEqual(tunnels, []);
  });

  it("never uses the proxy for a loopback host, because the proxy would see the token unencrypted", async () => {
    const server = await startScriptedServer();
    server.script(ok({ enabled: true }));
    const { port } = new URL(server.baseUrl);
    const bases = ["127.0.0.1", "localhost"].map((host) => `http://${host}:${port}/v4`);
    for (const env of [{ HTTP_PROXY: proxyUrl }, { http_proxy: proxyUrl, https_proxy: proxyUrl }]) {
      const told = await ask(bases, env);
      assert.deepEqual(told[0]?.ok, { enabled: true });
      assert.deepEqual(told[1]?.ok, { enabled: true });
    }
    assert.deepEqual(tunnels, []);
    await server.stop();
  });

  it("tunnels TLS, and checks the certificate against the host of the URL", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-proxy-"));
    const { key, cert } = makeCertificate({ host: "api.example.test" });
    const pem = join(folder, "trusted.pem");
    writeFileSync(pem, cert);
    const server = createTlsServer({ key, cert }, answer);
    const port = await listen(server);
    const env = { HTTPS_PROXY: proxyUrl, NODE_EXTRA_CA_CERTS: pem };
    const bases = ["api", "else"].map((name) => `https://${name}.example.test:${port}/v4`);
    const told = await ask(bases, env);
    assert.deepEqual(told[0]?.ok, { enabled: true });
    assert.equal(told[1]?.reason, "ERR_TLS_CERT_ALTNAME_INVALID");
    assert.match(told[1]?.message ?? "", /hostname mismatch/);
    const [untrusted] = await ask(bases.slice(0, 1), { HTTPS_PROXY: proxyUrl });
    assert.equal(untrusted?.reason, "DEPTH_ZERO_SELF_SIGNED_CERT");
    stop(server);
    rmSync(folder, { recursive: true });
  });

  it("reports a proxy that refuses or is missing, without its password", async () => {
    refuse = 407;
    const [refused] = await ask(["https://api.example.test/v4"], { HTTPS_PROXY: proxyUrl });
    assert.equal(refused?.code, "PG_NETWORK");
    assert.match(refused?.message ?? "", /proxy[\s\S]*PROXY_407[\s\S]*HTTPS_PROXY/);
    assert.doesNotMatch(refused?.message ?? "", /proxy-secret/);
    const nowhere = { HTTPS_PROXY: "http://u:proxy-secret@127.0.0.1:9" };
    const [absent] = await ask(["https://api.example.test/v4"], nowhere);
    assert.equal(absent?.code, "PG_NETWORK");
    assert.match(absent?.message ?? "", /the proxy did not connect to api\.example\.test \(ECONNREFUSED/);
    assert.doesNotMatch(absent?.message ?? "", /proxy-secret/);
  });
});
