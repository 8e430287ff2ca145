#!/usr/bin/env node
import { run } from "./run";
import { processSession } from "./session";

void run(process.argv.slice(2), processSession()).then((code) => {
  process.exitCode = code;
});
