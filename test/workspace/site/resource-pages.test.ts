import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { resourcePages, schema, subjects } from "../../../tools/docs/resource-pages";
import { filesBelow, root, textOf } from "../structure/source-files";

describe("The pages of resources", () => {
  it("are up to date with the sources; npm run resources writes them", () => {
    const pages = Object.entries(resourcePages()).map(([name, text]) => [`docs/resources/${name}`, text]);
    const now = filesBelow("docs/resources").map((path) => [path, textOf(path)]);
    assert.deepEqual(Object.fromEntries(now), Object.fromEntries(pages));
  });

  it("exist for each resource, with an existing example", () => {
    const names = Object.keys(schema.resources).map((token) => token.replace(/^.*:/, ""));
    assert.deepEqual(Object.keys(subjects).sort(), names.sort());
    for (const { example } of Object.values(subjects))
      assert.ok(existsSync(join(root, "examples", example, "index.ts")), example);
  });

  it("given an output with the name of an argument but another type, then the page lists it as an output", () => {
    const outputs = (name: string) =>
      /## Outputs(.*?)\n## /s.exec(textOf(`docs/resources/${name}`))?.[1] ?? "";
    assert.match(outputs("csp-policy.md"), /^\| `impact` \| \[PolicyImpact\]\(#policyimpact\)/m);
    assert.match(outputs("waf-migration.md"), /^\| `configuration` \| \[AppliedConfiguration\]/m);
    assert.doesNotMatch(outputs("csp-policy.md"), /^\| `action`/m);
  });
});
