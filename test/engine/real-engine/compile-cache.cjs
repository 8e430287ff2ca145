/**
 * Preloaded into the processes that the engine starts in stories, after `lazy-libraries`: V8's compiled code of the
 * SDK, of TypeScript and of the package is read, because compiling it is a quarter of such a process's time. Node 22 has
 * NODE_COMPILE_CACHE for this: once Node 20 is no longer supported, this file can go.
 *
 * It does not change what they do: a module whose code is not kept is compiled by Node as usual. V8 itself refuses what
 * it has compiled with other options. Those processes only read: they live too briefly, and are killed at their end.
 * `compile-cache.cjs MODULE...` loads what they load and keeps V8's code of it.
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
  // In the main module Node prepares itself for what that loads.
  const file = isPlain && this !== process.mainModule && fileOf(text, path);
  const cachedData = file ? kept(file) : undefined;
  if (!file || (cachedData === undefined && !isKeeping)) return compile.call(this, text, path, format);
  const script = new vm.Script(Module.wrap(text), {
    ...{ filename: path, cachedData },
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  // At the end the code has the functions that were called.
  if (isKeeping && script.cachedDataRejected !== false) process.once("exit", () => keep(file, script));
  const { exports } = this;
  const require = Module.createRequire(path);
  return script.runInThisContext().call(exports, exports, require, this, path, dirname(path));
};

function fileOf(text, path) {
  return join(folder, createHash("sha1").update(`${path}\n${text}`).digest("hex"));
}

function kept(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** In one step: others may be reading, or writing the same. */
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
