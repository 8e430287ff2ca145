import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A Postgres server for one test, with a folder and a loopback port of its own. */
export interface Postgres {
  /** The value of `PULUMI_BACKEND_URL`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Folder of the server's programs; undefined on a machine without them. */
export function postgresFolder(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).reverse() : [];
  const ofDebian = versions.map((version) => join(debian, version, "bin"));
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...ofDebian];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

export async function startPostgres(programs: string): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-postgres-"));
  const user = unprivileged();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  const init = ["--pgdata", data, "--auth=trust", "--username=story", "--no-sync"];
  execFileSync(join(programs, "initdb"), init, { ...user, cwd: folder, env, stdio: "pipe" });
  const port = await freePort();
  const flags = ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  const options = { ...user, cwd: folder, env };
  const stdio = ["ignore", "ignore", "pipe"] as ["ignore", "ignore", "pipe"];
  const server = spawn(join(programs, "postgres"), [...flags, "-c", "fsync=off"], { ...options, stdio });
  const ended = once(server, "close");
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (part: string) => {
    said += part;
  });
  for (let tries = 0; !said.includes("ready to accept connections"); tries += 1) {
    if (server.exitCode !== null || tries > 600) throw new Error(`Postgres did not start:\n${said}`);
    await wait(50);
  }
  return {
    url: `postgres://story@127.0.0.1:${port}/postgres?sslmode=disable`,
    async stop() {
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The user of the server, which refuses to run as root. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
