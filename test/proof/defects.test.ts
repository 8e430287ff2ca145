import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(__dirname, "../..");

interface Defect {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly instead: string }[];
}

describe("The planted defects", () => {
  it("fit the sources as they are: what each one changes stands there just once", async () => {
    const { defects }: { defects: readonly Defect[] } = await import(
      pathToFileURL(join(root, "tools/prove/defects.mjs")).href
    );
    const lost = defects.flatMap(({ name, edits }) =>
      edits
        .filter(({ file, find }) => {
          const text = readFileSync(join(root, "provider/src", file), "utf8");
          return text.split(find).length !== 2;
        })
        .map(({ file }) => `${name}: ${file}`),
    );
    assert.ok(defects.length >= 30, "there are defects to plant");
    assert.deepEqual(lost, [], "mend these in tools/prove/defects.mjs");
  });
});
