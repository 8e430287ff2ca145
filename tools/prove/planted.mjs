/**
 * `npm run prove -- --planted`: plants each of the defects in a copy of the sources, and plays stories until one of them
 * falls. Never touches the tree itself.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say } from "../setup/say.mjs";
import { root } from "../setup/workspace.mjs";
import { defects } from "./defects.mjs";

/** Such a part of them must be caught. */
const leastCaught = 0.9;
/** What a story needs, and what a story is told with. */
const copied = ["provider/package.json", "provider/src", "test", "tools", "package.json", ".mocharc.json"];

/** Gives whether enough are caught. `only`: parts of the names of the defects to plant, with `|` between them. */
export function plantDefects({ runs, seed, only = "" }) {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-planted-"));
  try {
    for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const chosen = defects.filter(({ name }) => only.split("|").some((part) => name.includes(part)));
    const results = chosen.map((defect) => plant(folder, defect, { runs, seed }));
    const caught = results.filter((run) => run !== undefined).length;
    say(`${caught} of ${chosen.length} defects are caught within ${runs} runs (seed ${seed}).`);
    return caught >= leastCaught * chosen.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gives the number of the first run that fell; undefined when all stood. */
function plant(folder, { name, edits }, { runs, seed }) {
  const originals = new Map();
  for (const { file, find, instead } of edits) {
    const path = join(folder, "provider/src", file);
    const text = readFileSync(path, "utf8");
    if (text.split(find).length !== 2) {
      process.stdout.write(`| ${name} | **can't be planted** | ${file} has changed |\n`);
      return undefined;
    }
    if (!originals.has(path)) originals.set(path, text);
    writeFileSync(
      path,
      text.replace(find, () => instead),
    );
  }
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/mocha/bin/mocha.js"), "test/proof/proof.test.ts"],
    {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, RUNS: String(runs), SEED: String(seed), SHRINK: "no" },
    },
  );
  for (const [path, text] of originals) writeFileSync(path, text);
  const fell = /Property failed after (\d+) tests/.exec(stdout);
  const reason = /Caused by: (?:\w+ \[\w+\]: |\w+: )?(.*)/.exec(stdout)?.[1] ?? "";
  if (!fell && !/\d passing/.test(stdout))
    throw new Error(`"${name}" does not even run:\n${stdout.slice(0, 2000)}`);
  process.stdout.write(`| ${name} | ${fell ? fell[1] : "**not caught**"} | ${reason.slice(0, 90)} |\n`);
  return fell ? Number(fell[1]) : undefined;
}
