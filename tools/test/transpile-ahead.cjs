/** Keeps what all sources and tests are transpiled to, as `transpile.cjs` finds it: for a core that has nothing else to do. */
"use strict";
const { readdirSync } = require("node:fs");
const { join, resolve } = require("node:path");
const { keep } = require("./transpile.cjs");

const root = resolve(__dirname, "../..");
for (const folder of ["csp/src", "provider/src", "command/src", "simulator/src", "test"]) {
  for (const path of readdirSync(join(root, folder), { recursive: true })) {
    if (path.endsWith(".ts") && !path.endsWith(".d.ts")) keep(join(root, folder, path));
  }
}
