#!/usr/bin/env node
import { run } from "./run";
import { processSession } from "./session";

// `page-guard lint … | head`: whoever read the answer has enough of it, and what the command was doing goes on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

void run(process.argv.slice(2), processSession()).then((code) => {
  process.exitCode = code;
});
