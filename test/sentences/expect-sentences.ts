import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const tests = join(__dirname, "..");

/** Holds whole sentences against `sentences.json` of the test's room, where they are under the test's full title. */
export function expectSentences({ test }: Mocha.Context, sentences: readonly string[]): void {
  const file = relative(tests, test?.file ?? "");
  const title = test?.fullTitle() ?? "";
  const path = join(tests, file.split(/[\\/]/)[0] ?? "", "sentences.json");
  const kept: Record<string, readonly string[]> = existsSync(path)
    ? JSON.parse(readFileSync(path, "utf8"))
    : {};
  if (process.env["PAGE_GUARD_TEST_SENTENCES"] === "write") {
    const all = Object.entries({ ...kept, [title]: sentences }).sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
    return;
  }
  assert.deepEqual(sentences, kept[title], `npm run sentences -- test/${file} writes what is said now`);
}
