/** Loaded by Node before the program of the root stack. Says so if the clone was never built, instead of "Cannot find module". */
"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");

if (!existsSync(join(__dirname, "..", "..", "provider", "dist", "index.js"))) {
  process.stderr.write(
    "The package of this clone has not been built: provider/dist is missing. Run `npm run build` at the root of the clone, then run this command again. Nothing was changed.\n",
  );
  process.exit(1);
}
