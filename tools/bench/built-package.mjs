/** The package as its users load it. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export const { getSettings, getScripts, iterateScripts } = require("pulumi-page-guard");
