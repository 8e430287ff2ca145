import assert from "node:assert/strict";
import fc from "fast-check";
import { type Fields, withEdits } from "../../../command/src/inventory/edit-text";
import { type InventoryEntry, parseInventory } from "../../../command/src/inventory/inventory-file";

const news = { match: "https://new.example/a.js", purpose: "", approved: null, firstSeen: "2026-11-23" };
const gone = (...indices: number[]) => new Map(indices.map((index) => [index, { gone: "2026-11-23" }]));
const withFields = (text: string, fields: Fields) => withEdits(text, [], new Map([[0, fields]]));

describe("Edits of an inventory", () => {
  it("put a new entry behind the last one, and leave comments where they are", () => {
    const text = "# Head\n- match: https://a.example/ # first\n  owner: 'Ada'\n\n# The end\n";
    assert.equal(
      withEdits(text, [news]),
      "# Head\n- match: https://a.example/ # first\n  owner: 'Ada'\n\n- match: https://new.example/a.js\n  purpose: \"\"\n  approved: null\n  firstSeen: 2026-11-23\n\n# The end\n",
    );
  });

  it("mark what is gone in a line of its own", () => {
    const text =
      "- match: https://a.example/\n  justification: |\n    long\n    text\n\n  # of this entry\n- match: https://b.example/";
    assert.equal(
      withEdits(text, [], gone(0, 1)),
      "- match: https://a.example/\n  justification: |\n    long\n    text\n  gone: 2026-11-23\n  # of this entry\n- match: https://b.example/\n  gone: 2026-11-23\n",
    );
  });

  it("give the text itself where there is no news, however it is written", () => {
    const text = "-   match:   https://a.example/\n\n\n\n-  {match: https://b.example/}";
    assert.equal(withEdits(text, []), text);
  });

  const layouts: readonly (readonly [what: string, text: string])[] = [
    ["nothing", ""],
    ["a comment alone", "# nothing yet"],
    ["a start of a document", "---\n"],
    ["an empty list", "[] # none\n"],
    ["a list on one line", "[{match: https://a.example/, owner: a}]"],
    [
      "a list on several lines",
      "[\n  { match: https://a.example/ }, # a\n  { match: 'https://b.example/', },\n]\n",
    ],
    [
      "entries in braces",
      "- {match: https://a.example/, pages: [x, y]}\n- { match: https://b.example/\n  }\n",
    ],
    ["an indented list", "  - match: https://a.example/\n    owner: x\n  - match: https://b.example/\n"],
    ["the ends of lines of Windows", "- match: https://a.example/\r\n  owner: >\r\n    x\r\n\r\n    y\r\n"],
    ["a byte order mark", "\ufeff- match: https://a.example/\n"],
    ["the end of a document", "- match: https://a.example/\n...\n"],
    ["a value left empty", "- match: https://a.example/\n  owner: # nobody\n  approved:\n"],
    [
      "anchors and merged fields",
      "- &a\n  match: https://a.example/\n  owner: &o Ada\n- <<: *a\n  match: https://b.example/\n  purpose: *o\n",
    ],
    [
      "a text that keeps its empty lines",
      "- match: https://a.example/\n  purpose: |+\n    x\n\n\n- match: https://b.example/\n  purpose: |+\n    x\n\n",
    ],
    ["a list below a field", "- match: https://a.example/\n  pages:\n  - x\n  - y # last\n"],
    ["keys in quotes", '- "match": "https://a.example/"\n  \'owner\': x\n'],
    ["a text over several lines", '- match: https://a.example/\n  purpose: "x\n\n    y"\n'],
  ];
  for (const [what, text] of layouts) {
    it(`keep what ${what} says`, () => {
      const { entries, faults } = parseInventory(text);
      assert.deepEqual(faults, []);
      const result = withEdits(
        text,
        [news, { ...news, match: "https://new.example/b.js" }],
        gone(...entries.keys()),
      );
      assert.ok(result !== undefined, "it was refused");
      keepsComments(text, result);
      const after = parseInventory(result).entries;
      assert.deepEqual(
        after.slice(0, entries.length).map(content),
        entries.map((entry) => ({ ...content(entry), gone: "2026-11-23" })),
      );
      assert.deepEqual(
        after.slice(entries.length).map(({ match }) => match.text),
        ["https://new.example/a.js", "https://new.example/b.js"],
      );
    });
  }

  it("are refused rather than done wrong, where an entry is an alias, or what others refer to is replaced", () => {
    assert.equal(withEdits("- &a { match: https://a.example/ }\n- *a\n", [], gone(1)), undefined);
    const referred =
      "- match: https://a.example/\n  owner: &o Ada\n- match: https://b.example/\n  owner: *o\n";
    assert.equal(withFields(referred, { owner: "Bob" }), undefined);
  });

  it("of any list keep what it says and its comments", () => {
    const texts = fc.constantFrom(...hostile.map((text) => `x${text}`));
    fc.assert(
      fc.property(inventory, fc.nat(20), texts, texts, fc.nat(2), (text, at, by, why, count) => {
        const { entries, faults } = parseInventory(text);
        assert.deepEqual(faults, [], text);
        const index = at % Math.max(1, entries.length);
        const added = Array.from({ length: count }, (_, of) => ({ ...news, owner: hostile[of + at] ?? "" }));
        const fields = { approved: { by, reference: by, on: "2026-11-23" }, justification: why };
        const result = withEdits(text, added, entries.length > 0 ? new Map([[index, fields]]) : new Map());
        assert.ok(result !== undefined, text);
        keepsComments(text, result);
        const after = parseInventory(result).entries;
        const others = (all: readonly InventoryEntry[]) =>
          all.slice(0, entries.length).flatMap((one, i) => (i === index ? [] : [content(one)]));
        assert.deepEqual(others(after), others(entries));
        assert.deepEqual(
          after.slice(entries.length).map(({ owner }) => owner),
          added.map(({ owner }) => owner.trim() || undefined),
        );
        if (entries.length === 0) return;
        assert.equal(after[index]?.justification, why.trim());
        assert.equal(after[index]?.approved?.by, by.trim());
      }),
      { numRuns: 150 },
    );
  });
});

describe("The edit of one entry", () => {
  const approval = {
    approved: { by: "Ada", reference: "https://git.example/7", on: "2026-11-23" },
    justification: "card form",
  };

  it("fills in what was left empty", () => {
    assert.equal(
      withFields(
        "- match: https://a.example/\n  approved: null # yet\n  justification:\n- match: https://b.example/\n",
        approval,
      ),
      "- match: https://a.example/\n  approved: { by: Ada, reference: https://git.example/7, on: 2026-11-23 } # yet\n  justification: card form\n- match: https://b.example/\n",
    );
  });

  it("changes an earlier approval where it is, comments and all", () => {
    assert.equal(
      withFields(
        "- match: https://a.example/\n  justification: |\n    old\n    reason\n  approved:\n    by: Bob # on leave\n    reference: x\n    on: 2025-01-01\n  owner: z\n",
        approval,
      ),
      "- match: https://a.example/\n  justification: card form\n  approved:\n    by: Ada # on leave\n    reference: https://git.example/7\n    on: 2026-11-23\n  owner: z\n",
    );
  });

  it("adds a hash to the list that is there", () => {
    const [old, added] = ["a".repeat(64), "b".repeat(64)];
    const fields = { integrity: { hashes: [old, added] } };
    assert.equal(
      withFields(
        `- match: https://a.example/\n  integrity:\n    hashes:\n      - ${old} # 1.0\n  owner: x\n`,
        fields,
      ),
      `- match: https://a.example/\n  integrity:\n    hashes:\n      - ${old} # 1.0\n      - ${added}\n  owner: x\n`,
    );
    assert.equal(
      withFields(`- {match: https://a.example/, integrity: {hashes: ['${old}']}}`, fields),
      `- { match: https://a.example/, integrity: { hashes: [ '${old}', ${added} ] } }\n`,
    );
  });
});

/** What people and pages call things. */
const hostile = [
  "",
  "- match: x",
  "a: b # c",
  "*alias",
  "&anchor",
  "'\"",
  "line\nline\r\nline",
  "\u0000\u001b[31m\u0085\u2028\u202e\ufeff",
  "{ [",
  "---\n...",
  "null",
  "2026-11-23",
  "0x1f",
  "\\x",
  "\ud800",
  "%TAG",
  "❤️",
];

const scalar = fc.constantFrom(
  "plain text",
  "'single ''quoted'''",
  '"double \\"quoted\\" # no comment"',
  "a#b",
  "",
);
const block = fc.constantFrom(
  "|\n    one\n      two\n\n    three",
  ">-\n    folded\n    text",
  '"over\n    lines"',
  "word\n    word",
);
const comment = fc.constantFrom("", " # said", " #: - match: x");
const approvals = fc.constantFrom(
  "null",
  "~",
  "",
  "{ by: A, reference: B, on: 2026-01-01 }",
  "\n    by: A # he\n    reference: >\n      B\n    on: 2026-01-01",
);
const entry = fc
  .record({
    path: fc.nat(9),
    owner: scalar,
    purpose: fc.oneof(scalar, block),
    approved: approvals,
    remark: comment,
    above: fc.constantFrom("", "\n", "# above\n", "\n  # indented\n\n"),
    hasPages: fc.boolean(),
  })
  .map(
    ({ path, owner, purpose, approved, remark, above, hasPages }) =>
      `${above}- match: https://a.example/${path}${remark}\n  owner: ${owner}${owner === "" ? remark : ""}\n  purpose: ${purpose}\n${hasPages ? "  pages:\n  - a\n  - b # c\n" : ""}  approved: ${approved}\n`,
  );
const inventory = fc
  .record({
    head: fc.constantFrom("", "# Head\n", "---\n", "\ufeff", "\n\n"),
    entries: fc.array(entry, { maxLength: 4 }),
    tail: fc.constantFrom("", "\n", "# tail", "\n\n# tail\n", "...\n"),
    eol: fc.constantFrom("\n", "\r\n"),
    isOpen: fc.boolean(),
  })
  // What says nothing at all cannot end.
  .filter(({ entries, tail }) => entries.length > 0 || !tail.startsWith("..."))
  .map(({ head, entries, tail, eol, isOpen }) => {
    const text = `${head}${entries.join("")}${tail}`.replaceAll("\n", eol);
    return isOpen && tail === "" ? text.replace(/(\r?\n)+$/, "") : text;
  });

function content({ line: _, at: __, ...entry }: InventoryEntry): object {
  return entry;
}

/** Every remark of the file is in it once more. */
function keepsComments(before: string, after: string): void {
  const count = (text: string, remark: string) => text.split(remark).length;
  for (const [remark] of before.matchAll(/# ?\w.*$/gm))
    assert.ok(count(after, remark.trim()) >= count(before, remark.trim()), `${before}\n=>\n${after}`);
}
