import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Body, start, stopAll, zoneId } from "./raw-client";

const root = join(__dirname, "../..");
const children: ChildProcess[] = [];

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves with the exit code when the command ends. */
  readonly end: Promise<number | null>;
}

function run(...args: string[]): Run {
  const main = ["-r", join(root, "tools/test/transpile.cjs"), join(root, "simulator/src/main.ts")];
  const child = spawn(process.execPath, [...main, ...args]);
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const end = once(child, "close").then(([code]) => (typeof code === "number" ? code : null));
  return { child, output: () => output, end };
}

async function printed({ output, end }: Run, text: string): Promise<string> {
  let ended = false;
  void end.then(() => {
    ended = true;
  });
  while (!output().includes(text)) {
    assert.ok(!ended, `ended without "${text}":\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return output();
}

describe("page-guard-simulator", () => {
  // Each command is a process of its own that compiles the sources first.
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    return stopAll();
  });

  for (const [signal, given, wanted] of [
    ["SIGINT", [], /^[0-9a-f]{40}$/],
    ["SIGTERM", ["--token", "mine"], /^mine$/],
  ] as const) {
    it(`serves the requested zones, prints the variables to export, and ends cleanly on ${signal}`, async () => {
      const other = "f".repeat(32);
      const limit = ["--rate-limit", "2", "--rate-headers", "ratelimit"];
      const command = run("--zone", zoneId, "--zone", `${other}:pro`, ...limit, ...given);
      const output = await printed(command, "Stop it");
      const baseUrl = /^export PAGE_GUARD_BASE_URL=(\S+)$/m.exec(output)?.[1];
      const token = /^export PAGE_GUARD_API_TOKEN=(\S+)$/m.exec(output)?.[1];
      const controlUrl = /^Control URL: (\S+)$/m.exec(output)?.[1];
      assert.match(token ?? "", wanted);
      const get = async (path: string) =>
        (await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
      assert.equal(await get(`/zones/${zoneId}/page_guard`), 200);
      assert.equal(await get(`/zones/${other}/page_guard`), 200);
      assert.equal(await get(`/zones/${zoneId}/page_guard`), 429);
      const snapshot: Body = await (await fetch(`${controlUrl}/zones/${other}`)).json();
      assert.equal(snapshot.plan, "pro");
      command.child.kill(signal);
      assert.equal(await command.end, 0);
    });
  }

  it("prints the help that its page in docs/ shows", async () => {
    const help = run("--help");
    assert.equal(await help.end, 0);
    const page = readFileSync(join(root, "docs/commands/simulator.md"), "utf8");
    assert.ok(page.includes(`$ page-guard-simulator --help\n${help.output()}`));
  });

  it("given a port in use or a wrong flag, then it says so in one sentence and exits with 1", async () => {
    const occupied = await start();
    for (const [args, message] of [
      [["--port", new URL(occupied.url).port], / at 127\.0\.0\.1:\d+ \(EADDRINUSE\).* another --port/],
      [["--host", "192.0.2.1"], / at 192\.0\.2\.1:0 \(EADDRNOTAVAIL\)/],
      [["--zone", "shop"], /32 hexadecimal/],
      [["--zone", `${zoneId}:free`], /pro, business, enterprise/],
      [["--port", "http"], /whole number/],
      [["--quickly", "9"], /Unknown option/],
      [["--rate-headers", "x-limit"], /ratelimit or none/],
    ] as const) {
      const command = run(...args);
      assert.equal(await command.end, 1);
      assert.match(command.output(), message);
      assert.equal(command.output().trim().split("\n").length, 2, "and where the options are");
    }
  });
});
