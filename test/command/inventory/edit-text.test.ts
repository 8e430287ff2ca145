import assert from "node:assert/strict";
import { type EntryFields, withEdits } from "../../../command/src/inventory/edit-text";
import { type InventoryEntry, parseInventory } from "../../../command/src/inventory/inventory-file";

const news = { match: "https://new.example/a.js", purpose: "", approved: null, firstSeen: "2026-11-23" };
const gone = (...indices: number[]) => new Map(indices.map((index) => [index, { gone: "2026-11-23" }]));
const withFields = (text: string, fields: EntryFields) =>
  withEdits("a.yaml", text, [], new Map([[0, fields]]));

describe("Edits of an inventory", () => {
  it("add a new entry after the last one, and keep comments in place", () => {
    const added =
      '- match: https://new.example/a.js\n  purpose: ""\n  approved: null\n  firstSeen: 2026-11-23\n';
    const [before, after] = [
      "# Head\n- match: https://a.example/ # first\n  owner: 'Ada'\n\n",
      "# The end\n",
    ];
    assert.equal(withEdits("a.yaml", before + after, [news]), `${before}${added}\n${after}`);
  });

  it("keep all other lines of a changed entry, in every notation", () => {
    const lines = [
      `- match:   "https://a.example/"   # first`,
      `  pages: [x,y]`,
      `  purpose: ${"a long line ".repeat(20)}`,
      `  approved: {by: Ada, reference: 'https://git.example/7', on: 2026-01-05}`,
      `  integrity:`,
      `    hashes:`,
      `    -   "${"a".repeat(64)}"  # 1.0`,
      ` # odd`,
      `  owner: 'Ada'  `,
    ];
    const [hashes, more] = [["a", "b"].map((letter) => letter.repeat(64)), `    - ${"b".repeat(64)}`];
    for (const eol of ["\n", "\r\n"])
      for (const end of ["", eol]) {
        const text = `\ufeff${lines.join(eol)}${end}`;
        const marked = `\ufeff${[...lines, "  gone: 2026-11-23", ""].join(eol)}`;
        assert.equal(withEdits("a.yaml", text, [], gone(0)), marked);
        const approved = [...lines.slice(0, 7), more, ...lines.slice(7)].join(eol);
        assert.equal(withFields(text, { integrity: { hashes } }), `\ufeff${approved}${end}`);
      }
  });

  it("keep the indentation of a list, and Windows line ends, after a comment at the end of an entry", () => {
    const before = ["  - match: https://a.example/", "    pages:", "      - x", "      # of the pages", ""];
    const after = ["  - match: https://b.example/", "    gone: 2026-11-23", "    # of b", "", ""];
    for (const eol of ["\n", "\r\n"]) {
      const lines = [...before, ...after];
      const text = lines.filter((line) => !line.includes("gone")).join(eol);
      assert.equal(withEdits("a.yaml", text, [], gone(1)), lines.join(eol));
    }
  });

  const a = "match: https://a.example/";
  const b = "match: https://b.example/";
  const layouts = {
    "an empty file": "",
    "only a comment": "# nothing yet",
    "the start of a document": "---\n",
    "an empty list": "[] # none\n",
    "a list on one line": `[{${a}, owner: a}]`,
    "a list on several lines": `[\n  { ${a} }, # a\n  { match: 'https://b.example/', },\n]\n`,
    "entries in braces": `- {${a}, pages: [x, y]}\n- { ${b}\n  }\n`,
    "an indented list": `  - ${a}\n    owner: x\n  - ${b}\n`,
    "Windows line ends": `- ${a}\r\n  owner: >\r\n    x\r\n\r\n    y\r\n`,
    "a byte order mark": `\ufeff- ${a}\n`,
    "the end of a document": `- ${a}\n...\n`,
    "empty values": `- ${a}\n  owner: # nobody\n  approved:\n`,
    "anchors and merged fields": `- &a\n  ${a}\n  owner: &o Ada\n- <<: *a\n  ${b}\n  purpose: *o\n`,
    "a text with empty lines": `- ${a}\n  purpose: |+\n    x\n\n\n- ${b}\n  purpose: |+\n    x\n\n`,
    "a list below a field": `- ${a}\n  pages:\n  - x\n  - y # last\n`,
    "keys in quotes": '- "match": "https://a.example/"\n  \'owner\': x\n',
    "a text over several lines": `- ${a}\n  purpose: "x\n\n    y"\n`,
  };
  for (const [what, text] of Object.entries(layouts)) {
    it(`keep the content of ${what}`, () => {
      const { entries, faults } = parseInventory(text);
      assert.deepEqual(faults, []);
      const added = [news, { ...news, match: "https://new.example/b.js" }];
      const result = withEdits("a.yaml", text, added, gone(...entries.keys()));
      expectComments(text, result);
      const after = parseInventory(result).entries;
      const marked = entries.map((entry) => ({ ...content(entry), gone: "2026-11-23" }));
      assert.deepEqual(after.slice(0, entries.length).map(content), marked);
      const further = after.slice(entries.length).map(({ match }) => match.text);
      assert.deepEqual(further, ["https://new.example/a.js", "https://new.example/b.js"]);
    });
  }

  it("are refused if an entry is an alias or has one, or if other entries refer to the replaced value", () => {
    const aliased = "- &a { match: https://a.example/ }\n- *a\n";
    for (const at of [0, 1])
      assert.throws(
        () => withEdits("a.yaml", aliased, [], gone(at)),
        /^CommandError: Failed to edit a\.yaml/,
      );
    const referred =
      "- match: https://a.example/\n  owner: &o Ada\n- match: https://b.example/\n  owner: *o\n";
    assert.throws(() => withFields(referred, { owner: "Bob" }), /would also change other entries/);
  });

  it("replace a text of several lines, and add to a list and a mapping in brackets", () => {
    const hashes = ["a", "b"].map((letter) => letter.repeat(64));
    for (const eol of ["\n", "\r\n"]) {
      const text = `- ${a}\n  justification: >\n    x\n\n    y\n  integrity: {hashes: [${hashes[0]}]} # z\n`;
      const changed = `- ${a}\n  justification: "a, b: c"\n  integrity: {hashes: [${hashes.join(", ")}]} # z\n`;
      const fields = { justification: "a, b: c", integrity: { hashes } };
      assert.equal(withFields(text.replaceAll("\n", eol), fields), changed.replaceAll("\n", eol));
    }
  });

  it("fill in empty fields, and keep the comments beside them", () => {
    const approved = { by: "Ada", reference: "https://git.example/7", on: "2026-11-23" };
    const text = `- ${a}\n  approved: null # yet\n  justification:\n- ${b}\n`;
    const filled = "{ by: Ada, reference: https://git.example/7, on: 2026-11-23 } # yet\n  justification: x";
    assert.equal(
      withFields(text, { approved, justification: "x" }),
      `- ${a}\n  approved: ${filled}\n- ${b}\n`,
    );
  });
});

function content({ line: _, at: __, ...entry }: InventoryEntry): object {
  return entry;
}

/** Asserts that every comment of the file is still in it. */
function expectComments(before: string, after: string): void {
  const count = (text: string, remark: string) => text.split(remark).length;
  for (const [remark] of before.matchAll(/# ?\w.*$/gm))
    assert.ok(count(after, remark.trim()) >= count(before, remark.trim()), `${before}\n=>\n${after}`);
}
