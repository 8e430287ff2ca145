/**
 * `write-compile-cache.cjs MODULE...` loads what the engine's processes load and caches V8's compiled code of it, for
 * `compile-cache.cjs`; it writes nothing where all of that is kept already. A program of its own: those processes live too
 * briefly, and are killed at their end.
 */
"use strict";
const { mkdirSync, renameSync, writeFileSync } = require("node:fs");
const { dirname } = require("node:path");
require("./lazy-libraries.cjs");
const { digest, file, fileOf, useCompileCache } = require("./compile-cache.cjs");

const seen = new Map();
useCompileCache((path, edition, script) => seen.set(path, { edition, script }));
for (const name of process.argv.slice(2)) require(name);
const isAllKept = [...seen.values()].every(({ script }) => script.cachedDataRejected === false);
if (!isAllKept) keep();
process.exit();

function keep() {
  const codes = [];
  let end = 0;
  const entries = [...seen].map(([path, { edition, script }]) => {
    const code = script.createCachedData();
    const from = end;
    codes.push(code);
    end += code.length;
    return [path, edition, from, end, digest(code)];
  });
  mkdirSync(dirname(file), { recursive: true });
  // In one step: others may be reading, or writing the same.
  writeFileSync(`${file}.${process.pid}`, fileOf(entries, codes));
  renameSync(`${file}.${process.pid}`, file);
}
