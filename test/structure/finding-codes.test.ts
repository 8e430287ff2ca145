import assert from "node:assert/strict";
import { findingMeanings, meaningOf } from "../../provider/src/reports/finding-meanings";
import { filesBelow, textOf } from "./source-files";

const rows = new Map(
  [...textOf("docs/findings.md").matchAll(/^\| `([\w-]+)` \| (.*?) \| (.*?) \| (.*?) \|$/gm)].map(
    ([, code = "", means = "", concern = "", wayOut = ""]) => [code, { means, concern, wayOut }],
  ),
);
const fields = ["code", "severity", "zone", "urn", "property", "text", "data", "file", "line"];

describe("Codes of findings: what pipelines switch on", () => {
  it("are all in docs/findings.md, with the meaning that reports show and a way out, and none besides", () => {
    const all = Object.keys(findingMeanings);
    assert.ok(all.length > 50, `${all.length} codes`);
    assert.deepEqual([...rows.keys()].sort(), all.sort());
    for (const [code, { means, concern }] of Object.entries(findingMeanings)) {
      assert.equal(rows.get(code)?.means, means, code);
      assert.ok(rows.get(code)?.wayOut, `${code} has no way out`);
      assert.equal(rows.get(code)?.concern === "", concern === "rest", code);
    }
  });

  it("are each used somewhere in the sources", () => {
    const sources = filesBelow("provider/src")
      .filter((path) => path.endsWith(".ts") && !/finding-(code|meanings)\.ts$/.test(path))
      .map(textOf)
      .join("\n");
    const unused = Object.keys(findingMeanings).filter(
      (code) => !sources.includes(`"${code}"`) && !sources.includes(`[${code}]`),
    );
    assert.deepEqual(unused, [], "nothing says these: take them out of errors/finding-code.ts");
  });

  it("have a meaning also where a rule or an error lends its name", () => {
    assert.match(meaningOf("csp-lint-http-source").means, /lint rule/);
    assert.match(meaningOf("PG_NOT_FOUND").means, /error/);
    assert.match(meaningOf("constructor").means, /error/);
  });

  it("stand in a file whose fields the page names", () => {
    const page = textOf("docs/findings.md");
    assert.deepEqual(
      fields.filter((field) => !page.includes(`\`${field}\``)),
      [],
    );
  });
});
