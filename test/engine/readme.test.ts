import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/src";
import { writeFiles } from "./consumers/support/installation";
import { compilerOptions } from "./consumers/support/programs";
import { emptyStack, engine, newPlace, type Place, runPulumi } from "./real-engine/engine";
import { killAll, processesOf } from "./real-engine/processes";

const readme = readFileSync(resolve(__dirname, "../../README.md"), "utf8");
const program = firstBlock("ts");
const promised = linesOf(firstBlock("text"));
const zoneId = /const zoneId = "([0-9a-f]{32})"/.exec(program)?.[1] ?? "";

describe("The README's first program", () => {
  let place: Place | undefined;
  let sim: Simulator | undefined;

  before("find or build the engine", async () => {
    await engine();
  });

  after(async () => {
    await sim?.stop();
    if (place === undefined) return;
    killAll(processesOf(place.pulumiHome));
    rmSync(place.folder, { recursive: true, force: true });
  });

  it("given a zone whose shop loads a script from elsewhere, when it is previewed, then the CLI prints what the README shows", async () => {
    sim = await startSimulator();
    sim.zones.seed(zoneId, { plan: "enterprise", scripts: 30 });
    place = await shopProject();
    const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
    const preview = ["preview", "--stack", "prod", "--non-interactive", "--suppress-progress"];
    const { code, output } = await runPulumi(place, preview, env).ended;
    assert.equal(code, 0, output);
    assert.equal(sim.changing().length, 0, "a preview changes nothing");

    const said = linesOf(output);
    // 1. A row for each resource. Their order varies, because the engine prints each when it is done.
    const rows = promised.slice(0, promised.indexOf("Diagnostics:"));
    assert.equal(rows.length, 3, "the README shows a row for the stack and for each of the two resources");
    const missing = rows.filter((row) => !said.some((line) => isSame(line, row)));
    assert.deepEqual(missing, [], `the CLI did not print these rows:\n${output}`);
    // 2. From the diagnostics on, each line word by word, except for an ellipsis.
    const shown = promised.slice(rows.length);
    const diagnostics = said.slice(said.indexOf("Diagnostics:"));
    const unlike = diagnostics.filter((line, index) => !isSame(line, shown[index] ?? ""));
    assert.deepEqual([unlike, diagnostics.length], [[], shown.length], output);
  });
});

/** A project as a reader of the README would have it: TypeScript, and the package in node_modules. */
async function shopProject(): Promise<Place> {
  const place = await newPlace();
  rmSync(join(place.project, "index.js"));
  writeFiles(place.project, {
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "package.json": '{ "private": true, "main": "index.ts" }\n',
    "tsconfig.json": JSON.stringify({ compilerOptions }),
    "index.ts": program,
  });
  emptyStack(place, place.project, "prod");
  return place;
}

function firstBlock(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(readme)?.[1];
  assert.ok(block, `README.md has no block of ${language}`);
  return block;
}

/** Whether a line of the CLI is this row of the README, in which an ellipsis stands for any words. */
function isSame(line: string, row: string): boolean {
  const [start = "", end] = row.split("…");
  return end === undefined ? line === row : line.startsWith(start) && line.endsWith(end.trimStart());
}

/** The lines of a text, without blank lines and trailing blanks. */
function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}
