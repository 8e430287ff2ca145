import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./source-files";

/** Declarations that a user's compiler reads: with theirs, the libraries behind them would decide which TypeScript works. */
describe("The public types", () => {
  for (const surface of [
    "provider/dist/index",
    "provider/dist/runtime",
    "provider/dist/policy",
    "csp/dist/index",
    "simulator/dist/index",
  ]) {
    it(`of ${surface} need nothing but @pulumi/pulumi and Node`, () => {
      const foreign = [...packagesReachedFrom(join(root, `${surface}.d.ts`))].filter(
        (name) => name !== "@pulumi/pulumi" && name !== "page-guard-csp" && !name.startsWith("node:"),
      );
      assert.deepEqual(foreign, [], "keep the types of libraries out of what is exported");
    });
  }

  it("would show a library's", () => {
    assert.ok(packagesReachedFrom(join(root, "provider/types/api/wire/page-guard-schema.d.ts")).has("zod"));
  });
});

function packagesReachedFrom(entry: string): Set<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    // Examples in comments import the package itself.
    const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
    for (const [, target = ""] of text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
      if (!target.startsWith(".")) {
        packages.add(target);
        continue;
      }
      const base = join(dirname(file), target);
      const next = [`${base}.d.ts`, join(base, "index.d.ts")].find((path) => existsSync(path));
      assert.ok(next, `${file} imports ${target}, which has no declarations`);
      visit(next);
    }
  };
  visit(entry);
  return packages;
}
