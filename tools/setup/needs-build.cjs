/**
 * Loaded by Node before the program of the root stack: says in a sentence what a clone that was never built lacks,
 * instead of Node's "Cannot find module".
 */
"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");

if (!existsSync(join(__dirname, "..", "..", "provider", "dist", "index.js"))) {
  process.stderr.write(
    "The package of this clone has not been built: provider/dist is missing. Run `npm run build` at the root of the clone, then run this command again. Nothing was changed.\n",
  );
  process.exit(1);
}
