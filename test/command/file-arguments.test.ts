import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { useDesk, zoneId } from "./support/console";

/** Commands with each of their arguments that name a file to read. */
const commands: Record<string, (file: string) => readonly string[]> = {
  "lint --file": (file) => ["lint", "--file", file],
  "drift --state": (file) => ["drift", "--state", file],
  "drift --zones": (file) => ["drift", "--state", "state.json", "--zones", file],
  "review --events": (file) => ["review", "--events", file],
  "review --findings": (file) => ["review", "--events", "events", "--findings", file],
  "comment --markdown": (file) => ["comment", "--markdown", file, "--on", "github"],
  "issue --file": (file) => ["issue", "--title", "x", "--file", file, "--on", "github"],
};

describe("A file argument of a command", () => {
  const open = useDesk();

  async function begin() {
    const desk = await open();
    const at = (name: string) => join(desk.folder, name);
    writeFileSync(at("state.json"), stateWith("1"));
    writeFileSync(at("events"), "{}\n");
    writeFileSync(at("review.md"), "<!-- page-guard:review dev -->\n");
    return { desk, at };
  }

  for (const [name, given] of Object.entries(commands)) {
    it(`given ${name} with something other than a file, or a file that is too large, then is refused at once`, async () => {
      const { desk, at } = await begin();
      execFileSync("mkfifo", [at("pipe")]);
      mkdirSync(at("folder"));
      const server = createServer().listen(at("socket"));
      writeFileSync(at("large"), "");
      truncateSync(at("large"), 2 ** 33);
      try {
        for (const file of ["pipe", "/dev/zero", "/dev/null", "folder", "socket", "large", "nowhere"]) {
          const { code, err } = await desk.pageGuard(given(file));
          assert.equal(code, 1, file);
          assert.match(err, /^Failed to read .*\[PG_COMMAND\]$/m, file);
          assert.doesNotMatch(err, / {4}at /);
        }
        assert.equal(desk.sim.journal.length, 0);
      } finally {
        server.close();
      }
    });
  }

  it("given endless standard input, then is not read beyond a limit", async () => {
    const main = resolve(__dirname, "../../command/dist/main.js");
    for (const args of [
      ["lint", "-"],
      ["comment", "--markdown", "-"],
    ]) {
      const child = spawn(process.execPath, [main, ...args], { stdio: ["pipe", "pipe", "pipe"] });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      const feed = () => {
        while (child.stdin.writable && child.stdin.write("x".repeat(1 << 20)));
      };
      child.stdin.on("drain", feed).on("error", () => undefined);
      feed();
      const code = await new Promise((settle) => child.on("close", settle));
      assert.equal(code, 1);
      assert.match(said, /^Failed to read standard input: it has more than \d+ MB\. \[PG_COMMAND\]$/m);
    }
  });

  it("given an output that cannot be written, then fails with one line", function () {
    // Only Linux has this device, which is always full.
    if (!existsSync("/dev/full")) this.skip();
    const main = resolve(__dirname, "../../command/dist/main.js");
    const stdio = ["ignore", openSync("/dev/full", "w"), "pipe"] as const;
    const { status, stderr } = spawnSync(process.execPath, [main, "--help"], { stdio: [...stdio] });
    assert.equal(status, 1);
    assert.match(`${stderr}`, /^Failed to print: ENOSPC.* \[PG_COMMAND\]\n$/);
  });

  it("given a state, events or zones that are nested too deep, then is refused without a stack trace", async () => {
    const { desk, at } = await begin();
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    writeFileSync(at("deep.json"), stateWith(deep));
    writeFileSync(at("deep.yaml"), deep);
    const inputs = `"inputs":{"zoneId":"${zoneId}","value":${deep}}`;
    writeFileSync(
      at("deep-events"),
      `{"resourcePreEvent":{"metadata":{"op":"create","urn":"urn:pulumi:dev::p::a:b:C::c","type":"a:b:C","old":null,"new":{"id":"",${inputs},"outputs":{}}}}}`,
    );
    for (const args of [
      ["drift", "--state", "deep.json"],
      ["drift", "--state", "state.json", "--zones", "deep.yaml"],
      ["review", "--events", "deep-events"],
    ]) {
      const { code, out, err } = await desk.pageGuard(args);
      assert.equal(code, 1, args.join(" "));
      assert.equal(out, "");
      assert.match(err, /nested too deeply|is not YAML/);
      assert.match(err, /^.{20,600} \[PG_COMMAND\]\n$/);
    }
    assert.equal(desk.sim.journal.length, 0);
  });
});

function stateWith(value: string): string {
  const type = "pulumi-nodejs:dynamic/page-guard:CspPolicy";
  return `{"version":3,"deployment":{"resources":[{"urn":"urn:pulumi:dev::p::${type}::csp","type":"${type}","id":"${zoneId}/1","inputs":{"x":${value}},"outputs":{}}]}}`;
}
