#!/usr/bin/env node
import { Command } from "commander";
import { simulatorCommand } from "./simulator-command";

const program = new Command("page-guard")
  .description("Tools around the Pulumi resources of pulumi-page-guard")
  .showHelpAfterError("(page-guard --help tells more)")
  .addCommand(simulatorCommand());

program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
