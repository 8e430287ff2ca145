import { Command } from "commander";
import { duration, repeatable, waitForLock, wholeNumber, withPages } from "../shared/options";
import type { Conclude, Session } from "../shared/session";
import type { FleetAction, FleetFlags } from "./gate";
import { type RunCommand, runFleet } from "./run-fleet";

const example = `
Examples:
  page-guard fleet preview --zones zones.yaml --approve approved --markdown review.md
  page-guard fleet apply --zones zones.yaml --approved approved
  page-guard fleet drift --zones zones.yaml --only production

page-guard fleet COMMAND --help shows the options of a command.`;

const notes = `
Exit codes: 0 all zones succeeded; 2 at least one needs attention or waits, and none failed; 1 at least one failed. The table
shows which.`;

export function fleetCommand(session: Session, conclude: Conclude, run: RunCommand): Command {
  const sub = (action: FleetAction, description: string): Command => {
    const command = new Command(action)
      .description(description)
      .requiredOption("--zones <file>", "YAML file of zones: { id, name, hosts?, wave?, stage?, tags? }")
      .option("--wave <number>", "only this wave", wholeNumber(1, 1000))
      .option("--only <tag>", "only zones with this tag")
      .option("--parallel <number>", "number of stacks to run at the same time", wholeNumber(1, 64), 4);
    return withPages(command)
      .addHelpText("after", notes)
      .action((flags: FleetFlags) => conclude(runFleet(session, run, action, flags)));
  };
  const count = wholeNumber(0, 100_000);
  const impact = (command: Command) =>
    command
      .option("--refresh", "read the zones before the previews, so that drift counts as a change")
      .option(
        "--max-impact <zones>",
        "stop if changes block, or may block, scripts in use in more than this many zones; malicious scripts do not count",
        count,
        0,
      )
      .option(
        "--allow <what>",
        "like --allow of page-guard apply; STACK:WHAT for one stack only (repeatable)",
        repeatable,
      );
  const preview = impact(sub("preview", "Preview all stacks")).option(
    "--approve <dir>",
    "write an approved file for each stack, and its review as an HTML page",
  );
  const apply = impact(sub("apply", "Update all stacks, wave by wave"))
    .addOption(waitForLock().default(600_000, "10m"))
    .option(
      "--approved <dir>",
      "folder that fleet preview --approve wrote; without it each wave is previewed first",
    )
    .option(
      "--max-failures <number>",
      "stop once more than this many zones failed or need attention",
      count,
      0,
    )
    .option(
      "--after <time>",
      "how long a wave waits after the last change in earlier waves, such as 7d or 12h",
      duration,
    );
  return new Command("fleet")
    .description("Preview, apply and compare many zones, each with its own stack")
    .addHelpText("after", example)
    .addCommand(preview)
    .addCommand(apply)
    .addCommand(sub("drift", "List zones that differ from their stacks"))
    .addCommand(sub("status", "Show the last update of each stack"))
    .helpCommand(false);
}
