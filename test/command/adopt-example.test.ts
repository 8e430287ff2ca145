import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { useDesk } from "./support/console";

const example = resolve(__dirname, "../../examples/adopt");
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";

describe("examples/adopt", () => {
  const open = useDesk();

  it("is exactly what page-guard export writes for its zone", async () => {
    const { sim, folder, pageGuard } = await open();
    sim.zones.seed(zoneId, JSON.parse(readFileSync(join(example, "zone.json"), "utf8")));
    const flags = ["--zone", zoneId, "--name", `${zoneId}=shop`, "--out", "page-guard-adopt"];
    const { code, out, err } = await pageGuard(["export", ...flags]);
    const made = join(folder, "page-guard-adopt");
    assert.equal(code, 0, err);
    const page = readFileSync(join(example, "README.md"), "utf8");
    assert.match(page, new RegExp(`^${out.split("\n")[0]}$`, "m"));
    if (process.env["UPDATE_EXAMPLE"]) {
      rmSync(join(example, "zones"), { recursive: true });
      for (const file of filesOf(made)) cpSync(join(made, file), join(example, file));
    }
    const own = new Set(["README.md", "zone.json"]);
    const committed = filesOf(example).filter((file) => !own.has(file));
    assert.deepEqual(filesOf(made), committed, hint);
    for (const file of committed) {
      // The export writes its own time as the start of a policy's logging time.
      const [written, expected] = [made, example].map((one) =>
        readFileSync(join(one, file), "utf8").replace(/("loggingSince": \{[^}]*\})/g, ""),
      );
      assert.equal(written, expected, `${file}. ${hint}`);
    }
  });
});

const hint = "UPDATE_EXAMPLE=1 npx mocha test/command/adopt-example.test.ts writes the example again.";

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.\w+$/.test(file) && !file.includes("node_modules"))
    .sort();
}
