/** Cached code contains the functions that were called: this calls those that a TypeScript program needs. */
"use strict";
const { register } = require("ts-node");
const compilerOptions = { target: "ES2020", module: "nodenext", moduleResolution: "nodenext" };
// Loaded first, like in the SDK: the cache cannot change what `ts-node` loads by itself.
require("typescript");
register({ transpileOnly: true, skipProject: true, compilerOptions }).compile(
  "export const one: number = 1;\n",
  "one.ts",
);
