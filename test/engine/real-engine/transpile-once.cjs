/** Kept code has the functions that were called: this calls those that a program in TypeScript needs. */
"use strict";
const { register } = require("ts-node");
const compilerOptions = { target: "ES2020", module: "nodenext", moduleResolution: "nodenext" };
// Loaded as the SDK does it: what `ts-node` loads by itself is out of our hands.
require("typescript");
register({ transpileOnly: true, skipProject: true, compilerOptions }).compile(
  "export const one: number = 1;\n",
  "one.ts",
);
