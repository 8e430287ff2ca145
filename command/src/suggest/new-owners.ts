import { hostOwner } from "page-guard-csp";
import { z } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import { forTerminal } from "../reports/escape";

const directivesSchema = z.record(z.string(), z.array(z.string()));

/**
 * Hosts of a suggestion whose owner the file of an earlier one does not name in the same directive. Other paths and hosts
 * of a known owner are its releases. Safe to show.
 */
export function newOwners(
  directives: Readonly<Record<string, readonly string[]>>,
  file: string,
): readonly string[] {
  const known = read(file);
  return Object.entries(directives).flatMap(([name, sources]) => {
    const owners = new Set((known[name] ?? []).map(hostOwner));
    return sources
      .filter((source) => !owners.has(hostOwner(source)))
      .map((source) => `${name} needs ${forTerminal(source, 300)}`);
  });
}

function read(text: string): Readonly<Record<string, readonly string[]>> {
  try {
    return directivesSchema.parse(JSON.parse(text));
  } catch {
    throw new CommandError("--known takes a file of --seen: directive names, each with a list of sources.");
  }
}
