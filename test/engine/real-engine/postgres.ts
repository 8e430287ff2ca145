import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A Postgres server of this test's own: a folder and a loopback port that nobody else uses. */
export interface Postgres {
  /** For `PULUMI_BACKEND_URL`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Where the server's programs are, or undefined on a machine without them. */
export function postgresFolder(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian)
    ? readdirSync(debian).map((version) => join(debian, version, "bin"))
    : [];
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...versions.reverse()];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

export async function startPostgres(programs: string): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-postgres-"));
  const user = unprivileged();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  execFileSync(
    join(programs, "initdb"),
    ["--pgdata", data, "--auth=trust", "--username=story", "--no-sync"],
    {
      ...user,
      cwd: folder,
      env,
      stdio: "pipe",
    },
  );
  const port = await freePort();
  const server = spawn(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
    { ...user, cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
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

/** The server refuses to run as root. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
