/**
 * Loaded by mocha under Stryker, after the compiler: all sources in which a fault may be made, also those that others
 * load at their first use. Loaded then, what they compute once would be computed under the fault that is tried at that
 * moment, and stay so for all that are tried after it in the same process.
 */
"use strict";
const { readdirSync } = require("node:fs");
const { join } = require("node:path");

for (const folder of process.env.MUTATED_FOLDERS.split(" ")) {
  const path = join(process.cwd(), "provider", "src", folder);
  for (const file of readdirSync(path, { recursive: true })) {
    if (file.endsWith(".ts")) require(join(path, file));
  }
}
