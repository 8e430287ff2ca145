#!/usr/bin/env node
import { keepCompiledCode } from "pulumi-page-guard/tools";

keepCompiledCode();
// This file does not import `run` at the top, because code is cached only for modules that are loaded after `keepCompiledCode`.
const { processSession, run } = require("./run") as typeof import("./run");

// In `page-guard lint … | head`, `head` closes the pipe early. That is not an error, so the command runs to its end.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    console.error(`Failed to print: ${error.message} [PG_COMMAND]`);
    process.exit(1);
  });
}

void run(process.argv.slice(2), processSession()).then((code) => {
  process.exitCode = code;
});
