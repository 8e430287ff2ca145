import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, root, textOf } from "../structure/source-files";
import { resourcePages } from "./support/all-resource-pages";
import { type Schema, subjects } from "./support/resource-page";

describe("The pages of resources", () => {
  it("are as the sources are now: npm run resources writes them", () => {
    const pages = resourcePages();
    assert.deepEqual(
      filesBelow("docs/resources"),
      Object.keys(pages)
        .map((name) => `docs/resources/${name}`)
        .sort(),
    );
    for (const [name, text] of Object.entries(pages))
      assert.equal(textOf(`docs/resources/${name}`), text, name);
  });

  it("are there for each resource, with an example that exists", () => {
    const { resources }: Schema = JSON.parse(textOf("provider/plugin/schema.json"));
    const names = Object.keys(resources).map((token) => token.replace(/^.*:/, ""));
    assert.deepEqual(Object.keys(subjects).sort(), names.sort());
    for (const { example } of Object.values(subjects))
      assert.ok(existsSync(join(root, "examples", example, "index.ts")), example);
  });
});
