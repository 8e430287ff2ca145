import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** One row of docs/waf-migration-refusals.md. */
export interface Refusal {
  readonly action: string;
  /** Lines that the CLI prints, with placeholders for values that differ between stacks. */
  readonly messages: readonly string[];
}

/** Reads the table of the documentation, so that a test can compare it with the output of the CLI. */
export function refusalTable(): Refusal[] {
  const file = join(resolve(__dirname, "../../.."), "docs/waf-migration-refusals.md");
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /^\|(?! ?-)/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter(([, action]) => action !== "Action")
    .map(([, action = "", , messages = ""]) => ({
      action,
      messages: [...messages.matchAll(/``\s?(.+?)\s?``/g)].map(([, message = ""]) => message),
    }));
}

/** Expects that the output contains the messages of this row. */
export function expectWords(
  row: string,
  output: string,
  { urn, zoneId }: { urn: string; zoneId: string },
): void {
  const said = output
    .replaceAll(urn, "<urn>")
    .replaceAll(zoneId, "<zone>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<moment>")
    .replace(/\s+/g, " ");
  const found = refusalTable().find(({ action }) => action === row);
  for (const message of found?.messages ?? assert.fail(`the table has no row ${row}`))
    assert.ok(said.includes(message), `${row}: expected\n${message}\ngot\n${output}`);
}
