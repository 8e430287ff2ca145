/**
 * Preloaded into the processes that the engine starts in stories, after `lazy-libraries`: V8's compiled code of the
 * SDK, of TypeScript and of the package is read, because compiling it is a quarter of such a process's time. Node 22 has
 * NODE_COMPILE_CACHE for this: once Node 20 is no longer supported, this file can go.
 *
 * It does not change what they do. A module whose file has changed since, or that is not cached, is compiled by Node
 * as usual, and so is one whose cached code is damaged. Each version of Node has its own cache; V8 itself refuses what
 * it has compiled with other options. Processes only read, and only what they load; `write-compile-cache.cjs` writes, in one step.
 */
"use strict";
const { openSync, readSync, statSync } = require("node:fs");
const Module = require("node:module");
const { dirname, join, resolve } = require("node:path");
const vm = require("node:vm");

const folder = resolve(__dirname, "../../../node_modules/.cache/page-guard-code");
const file = join(folder, `${process.version}-${process.arch}`);
const digestLength = 40;
/** Digits of the length of the list of what is kept. */
const lengthDigits = 8;

/**
 * The file begins with the length and the digest of a list in JSON; then come the list, which says of each module where its
 * code is, and all the code.
 */
function fileOf(entries, codes) {
  const list = JSON.stringify(entries);
  const length = String(Buffer.byteLength(list)).padStart(lengthDigits);
  return Buffer.concat([Buffer.from(length + digest(list) + list), ...codes]);
}

/** What is kept, by the path of the module; nothing where the file is not as it was written. */
function cachedCode() {
  try {
    // Open as long as the process: modules are loaded at any time.
    const opened = openSync(file);
    const read = (from, length) => {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(opened, bytes, 0, length, from));
    };
    const begin = read(0, lengthDigits + digestLength).toString("latin1");
    const listLength = Number(begin.slice(0, lengthDigits));
    const list = read(begin.length, listLength);
    if (digest(list) !== begin.slice(lengthDigits)) return new Map();
    const codeBegins = begin.length + listLength;
    return new Map(
      JSON.parse(list.toString("utf8")).map(([path, edition, from, to, digestOfCode]) => {
        const code = () => {
          const bytes = read(codeBegins + from, to - from);
          return digest(bytes) === digestOfCode ? bytes : undefined;
        };
        return [path, { edition, code }];
      }),
    );
  } catch {
    return new Map();
  }
}

/** V8 would run damaged code as it is. */
function digest(bytes) {
  const { createHash } = require("node:crypto");
  return createHash("sha1").update(bytes).digest("hex");
}

/** Changes with the file. npm gives the same time of the last edit to all files, so that one alone would not do. */
function editionOf(path) {
  const { size, mtimeMs, ctimeMs } = statSync(path);
  return `${size} ${mtimeMs} ${ctimeMs}`;
}

/** From now on modules are evaluated with their cached code. `seen` is called for each, also for those that are not cached. */
function useCompileCache(seen) {
  const compile = Module.prototype._compile;
  // Read with the first module: some processes load none.
  let kept;
  Module.prototype._compile = function (text, path, format) {
    kept ??= cachedCode();
    const known = kept.get(path);
    const isPlain = (format ?? "commonjs") === "commonjs" && !text.startsWith("#!");
    // In the main module Node prepares itself for what that loads.
    const isMain = this === process.mainModule;
    if (!isPlain || isMain || (known === undefined && seen === undefined))
      return compile.call(this, text, path, format);
    const edition = editionOf(path);
    const script = new vm.Script(Module.wrap(text), {
      filename: path,
      cachedData: known?.edition === edition ? known.code() : undefined,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    seen?.(path, edition, script);
    const { exports } = this;
    return script.runInThisContext().call(exports, exports, requireOf(this), this, path, dirname(path));
  };
}

/** What a module calls `require`, as Node makes it. */
function requireOf(module) {
  const require = (id) => module.require(id);
  require.resolve = (id, options) => Module._resolveFilename(id, module, false, options);
  require.resolve.paths = (id) => Module._resolveLookupPaths(id, module);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  return require;
}

module.exports = { digest, file, fileOf, useCompileCache };
// Preloaded, that is: there is no main module yet.
if (require.main === undefined) useCompileCache();
