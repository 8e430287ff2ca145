#!/usr/bin/env node
import { keepCompiledCode } from "pulumi-page-guard/tools";

keepCompiledCode();
// After the line above: only code that is loaded later is kept.
const { processSession, run } = require("./run") as typeof import("./run");

// `page-guard lint … | head`: the reader has enough, and the command goes on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

void run(process.argv.slice(2), processSession()).then((code) => {
  process.exitCode = code;
});
