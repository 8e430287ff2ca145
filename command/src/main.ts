#!/usr/bin/env node
import { run } from "./run";
import { processSession } from "./session";

// `page-guard lint … | head`: the reader has enough, and the command goes on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

void run(process.argv.slice(2), processSession()).then((code) => {
  process.exitCode = code;
});
