import assert from "node:assert/strict";
import { parseInventory } from "../../../command/src/inventory/inventory-file";

describe("Reading an inventory", () => {
  const entry = "- match: https://a.example/\n";
  for (const [what, text, line, message] of [
    ["a misspelt field", `${entry}  aproved: null\n`, 2, /no field aproved/],
    ["a missing match", "- purpose: x\n", 1, /^match: expected a string/],
    ["a match open to anyone", "\n- match: https://*.com/a.js\n", 2, /^match: has a \* in the registrable/],
    ["an invalid day", `${entry}  reviewBy: 2026-02-30\n`, 2, /^reviewBy: expected a date/],
    ["no reference", `${entry}  approved: { by: A, on: 2026-01-01 }\n`, 2, /^approved\.reference: expected/],
    ["a word for an approval", `${entry}  approved: yes\n`, 2, /^approved: expected \{ by, reference, on \}/],
    ["a number where a text is expected", `${entry}  owner: 7\n`, 2, /quote/],
    ...[
      "{ hashes: [] }",
      "{ hashes: [abc] }",
      "{ sri: false }",
      "{ any: '' }",
      "{ sri: true, any: x }",
      "sri",
    ].map((text) => [`the integrity ${text}`, `${entry}  integrity: ${text}\n`, 2, /^integrity/] as const),
    ["an unknown scope", `${entry}  scope: mine\n`, 2, /merchant or processor/],
    ["a mapping instead of a list", "match: https://a.example/\n", 1, /YAML list/],
    ["a text instead of an entry", "- https://a.example/\n", 1, /an entry: a mapping/],
    ["two fields with one name", `${entry}  owner: a\n  owner: b\n`, 3, /not YAML: Map keys must be unique/],
    ["invalid YAML", "- match: [\n", 2, /not YAML/],
    ["an alias without an anchor", "- match: *x\n", 1, /not YAML/],
    ["a page with a fragment", '- pages: ["https://a.example/pay#card"]\n', 1, /^pages.*without #/],
    ["text that is not UTF-8", Buffer.from(`${entry}  owner: Müller\n`, "latin1"), 2, /^This is not UTF-8/],
    ["two documents", `${entry}---\n${entry}`, 2, /got several YAML documents; remove this `---`/],
    ["too deep nesting", `- match: ${"[".repeat(100_000)}`, 1, /^This is nested too deeply to be read\.$/],
    ["control characters, without showing them", '- { "\\e[31m::error::x\\u202e": 1 }\n', 1, /^\P{C}*$/u],
  ] as const)
    it(`reports ${what}`, () => {
      const [fault] = parseInventory(text).faults;
      assert.match(fault?.message ?? "", message);
      assert.equal(fault?.line, line);
    });

  it("reads the payment pages in the file as browsers write them, besides its entries", () => {
    const { pages, entries, faults } = parseInventory(
      "- pages: [https://A.example:443/pay*, https://bücher.example]\n- match: https://a.example/a.js\n- pages: any\n",
    );
    assert.deepEqual(pages, ["https://a.example/pay*", "https://xn--bcher-kva.example/"]);
    const places = entries.map(({ line, at }) => [line, at]);
    assert.deepEqual(places, [[2, 1]]);
    assert.match(faults[0]?.message ?? "", /^pages: expected the URL of a page/);
  });

  it("does not exhaust the memory because of aliases of aliases", () => {
    const levels = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &x${i + 1} [*x${i}, *x${i}, *x${i}]`);
    const { faults } = parseInventory(`- { a0: &x0 [x], ${levels.join(", ")}, match: https://a.example/ }\n`);
    assert.match(faults[0]?.message ?? "", /not YAML|no field/);
  });
});
