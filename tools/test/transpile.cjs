/** Lets Node load TypeScript without a type check (`npm run typecheck` has that), and our packages from their sources. */
"use strict";
const { resolve } = require("node:path");
const { register } = require("esbuild-register/dist/node");
const packages = require("tsconfig-paths");

const root = resolve(__dirname, "../..");
const { paths } = packages.loadConfig(root);
register({ target: "node20.18" });
packages.register({ baseUrl: root, paths });
