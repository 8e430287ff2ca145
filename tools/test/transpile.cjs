/** Lets Node load TypeScript without a type check, which `npm run typecheck` does, and our packages from their sources. */
"use strict";
const { join, resolve } = require("node:path");
const { register } = require("ts-node");
const packages = require("tsconfig-paths");

const root = resolve(__dirname, "../..");
const transpiler = join(__dirname, "cached-transpiler.cjs");
const { config } = register({ project: join(root, "tsconfig.json"), transpileOnly: true, transpiler });
packages.register({ baseUrl: root, paths: config.options.paths });
