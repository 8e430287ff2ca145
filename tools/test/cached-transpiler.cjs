/**
 * The transpiler that ts-node calls in tests. It caches its output in node_modules/.cache, because every worker and each
 * process that a test starts load several hundred files.
 */
"use strict";
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { join, resolve } = require("node:path");
const ts = require("typescript");

const cache = resolve(__dirname, "../../node_modules/.cache/page-guard-tests");

exports.create = ({ service: { config } }) => {
  const compilerOptions = { ...config.options, inlineSourceMap: false, sourceMap: true };
  const edition = JSON.stringify([ts.version, compilerOptions]);
  mkdirSync(cache, { recursive: true });

  return {
    transpile(source, { fileName }) {
      const key = createHash("sha256")
        .update(JSON.stringify([edition, fileName, source]))
        .digest("hex");
      const path = join(cache, key);
      try {
        return JSON.parse(readFileSync(path, "utf8"));
      } catch {
        const { outputText, sourceMapText } = ts.transpileModule(source, { fileName, compilerOptions });
        const made = { outputText, sourceMapText };
        // Write the file in one step, because several workers may write it at the same time.
        writeFileSync(`${path}.${process.pid}`, JSON.stringify(made));
        renameSync(`${path}.${process.pid}`, path);
        return made;
      }
    },
  };
};
