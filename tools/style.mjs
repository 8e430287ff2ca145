/**
 * Part of `npm run lint`: what Biome has no rule for. A spread of an object literal only packs several members on one line, past the
 * formatter.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup/workspace.mjs";

const packed = /^\s*\.\.\.\(?\{ .*,.*\}\)?,?$/;

const files = execFileSync("git", ["ls-files", "*/src/*.ts"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n");
const found = files.flatMap((file) =>
  readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) => (packed.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
);
if (found.length > 0) {
  process.stdout.write(`Write each member on a line of its own:\n${found.join("\n")}\n`);
  process.exitCode = 1;
}
