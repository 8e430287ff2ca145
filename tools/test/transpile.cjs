/**
 * Lets Node load TypeScript, as it is and without a type check (`npm run typecheck` has that): `node -r` or mocha's
 * `require`. What was transpiled once is kept in node_modules/.cache, so that mostly not even the compiler is loaded.
 */
"use strict";
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { join, relative, resolve } = require("node:path");
const { performance } = require("node:perf_hooks");

const root = resolve(__dirname, "../..");
const cache = join(root, "node_modules", ".cache", "page-guard-transpiled");
const { version } = require("typescript/package.json");
/** Whatever decides what comes out: another compiler, other options. */
const edition = digest(version, readFileSync(__filename, "utf8"));

// Stack traces name the lines of the sources.
process.setSourceMapsEnabled(true);

Module._extensions[".ts"] = (module, file) => {
  const text = readFileSync(file, "utf8");
  module._compile(kept(file, text), file);
};

/** Sources see those of the other packages, not what was built of them: there is one copy of each in a test. */
const sources = {
  "page-guard-csp": "csp/src/index.ts",
  "pulumi-page-guard/tools": "provider/src/tools.ts",
};
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const source = parent?.filename?.endsWith(".ts") && Object.hasOwn(sources, request) && sources[request];
  return source ? join(root, source) : resolveFilename.call(this, request, parent, ...rest);
};

module.exports = { keep: (file) => void kept(file, readFileSync(file, "utf8")) };

/** One file for each source, which begins with what it was made of. */
function kept(file, text) {
  const path = join(cache, `${digest(relative(root, file))}.js`);
  const mark = `//${digest(edition, text)}\n`;
  try {
    const found = readFileSync(path, "utf8");
    if (found.startsWith(mark)) return found.slice(mark.length);
  } catch {
    // It was never transpiled on this machine.
  }
  const began = performance.now();
  const made = transpiled(file, text);
  note(performance.now() - began);
  mkdirSync(cache, { recursive: true });
  writeFileSync(`${path}.${process.pid}`, mark + made);
  // In one step: several workers fill the cache at once.
  renameSync(`${path}.${process.pid}`, path);
  return made;
}

function transpiled(file, text) {
  const ts = require("typescript");
  const { outputText } = ts.transpileModule(text, {
    fileName: file,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      esModuleInterop: true,
      inlineSourceMap: true,
      inlineSources: true,
    },
  });
  return outputText;
}

/** For the summary at the end of `npm test`. */
function note(ms) {
  const folder = process.env.PAGE_GUARD_TEST_SPENT;
  if (folder)
    writeFileSync(join(folder, String(process.pid)), `TypeScript ${Math.round(ms)}\n`, { flag: "a" });
}

function digest(...parts) {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}
