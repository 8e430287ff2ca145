/**
 * Preloaded into the processes that the engine starts in stories, after `lazy-libraries`. Reads V8's compiled code of the
 * SDK, TypeScript and the package from a cache, because compiling it takes a quarter of such a process's time. Node 22 has
 * NODE_COMPILE_CACHE for this: delete this file when Node 20 is no longer supported.
 *
 * The processes behave as without it: Node compiles a module that is not in the cache, and V8 rejects code that was
 * compiled with other options. They only read the cache: they live too briefly to write it, and are killed at their end.
 * `compile-cache.cjs MODULE...` loads the modules and writes the cache.
 */
"use strict";
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, join } = require("node:path");
const vm = require("node:vm");

const root = join(__dirname, "../../..");
const folder = join(root, "node_modules/.cache/page-guard-compiled", `${process.version}-${process.arch}`);
const isKeeping = require.main === module;

const compile = Module.prototype._compile;
Module.prototype._compile = function (text, path, format) {
  const isPlain = (format ?? "commonjs") === "commonjs" && !text.startsWith("#!");
  // Node compiles the main module itself, because that also prepares it to load others.
  const file = isPlain && this !== process.mainModule && fileOf(text, path);
  const cachedData = file ? readCached(file) : undefined;
  if (!file || (cachedData === undefined && !isKeeping)) return compile.call(this, text, path, format);
  const script = new vm.Script(Module.wrap(text), {
    filename: path,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  // Written at the end, so that the code contains the functions that were called.
  if (isKeeping && script.cachedDataRejected !== false) process.once("exit", () => keep(file, script));
  const { exports } = this;
  const require = Module.createRequire(path);
  return script.runInThisContext().call(exports, exports, require, this, path, dirname(path));
};

function fileOf(text, path) {
  return join(folder, createHash("sha1").update(`${path}\n${text}`).digest("hex"));
}

function readCached(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Writes the file in one step, because other processes may read or write it. */
function keep(file, script) {
  writeFileSync(`${file}.${process.pid}`, script.createCachedData());
  renameSync(`${file}.${process.pid}`, file);
}

if (isKeeping) {
  mkdirSync(folder, { recursive: true });
  process.setMaxListeners(0);
  require("./lazy-libraries.cjs");
  for (const name of process.argv.slice(2)) require(name);
  process.exit();
}
