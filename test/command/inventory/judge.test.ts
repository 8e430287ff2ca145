import assert from "node:assert/strict";
import { type InventoryFinding, judgeInventory } from "../../../command/src/inventory/judge";
import type { SeenScript } from "../../../command/src/inventory/seen-script";
import { entriesOf, hashOf, seen } from "./items";

const url = "https://js.example/a.js";
const fine = `  justification: takes the card
  integrity: { hashes: ["${hashOf(1)}"] }
  approved: { by: Ada, reference: https://git.example/pull/7, on: 2024-05-01 }
  firstSeen: 2024-01-01
`;

function judge(
  text: string,
  scripts: readonly SeenScript[] = seen([{ url, hash: hashOf(1) }]),
  enforces: boolean | undefined = true,
): readonly InventoryFinding[] {
  return judgeInventory(entriesOf(text), scripts, { today: "2024-06-01", enforces });
}

function codes(findings: readonly InventoryFinding[]): readonly string[] {
  return findings.map(({ code }) => code);
}

describe("What an inventory and a zone disagree about", () => {
  it("is nothing where every script is approved as it is", () => {
    assert.deepEqual(judge(`- match: ${url}\n${fine}`), []);
  });

  it("names a script that no entry matches, once for all its versions", () => {
    const [first, ...rest] = judge(
      "",
      seen(["https://js.example/app.3f2a91bc.js", "https://js.example/app.9c1d22ee.js"]),
    );
    assert.deepEqual(rest, []);
    assert.equal(first?.code, "inventory-not-listed");
    assert.equal(first?.subject, "https://js.example/app.*.js");
    assert.match(first?.text ?? "", /first seen on 2024-01-01 on shop\.example\/checkout/);
    assert.equal(first?.line, undefined);
  });

  it("names an entry that nobody has approved, and what it lacks besides", () => {
    const findings = judge(`- match: ${url}\n  justification: " "\n  approved: null\n`);
    assert.deepEqual(codes(findings), ["inventory-unapproved"]);
    assert.match(findings[0]?.text ?? "", /lacks a justification and an integrity method/);
    assert.equal(findings[0]?.line, 1);
  });

  it("names an approval without a justification or an integrity method", () => {
    const approved = "  approved: { by: Ada, reference: https://git.example/pull/7, on: 2024-05-01 }\n";
    assert.deepEqual(codes(judge(`- match: ${url}\n${approved}`)), [
      "inventory-no-justification",
      "inventory-no-integrity",
    ]);
  });

  it("takes an approval for void where the hash is not in its list", () => {
    const findings = judge(`- match: ${url}\n${fine}`, seen([{ url, hash: hashOf(2) }]));
    assert.deepEqual(codes(findings), ["inventory-changed"]);
    assert.ok(findings[0]?.text.includes(hashOf(2)));
  });

  it("never takes it for void where the hash is not known", () => {
    const findings = judge(`- match: ${url}\n${fine}`, seen([{ url }]));
    assert.deepEqual(
      findings.map(({ code, severity }) => [code, severity]),
      [["inventory-hash-unknown", "info"]],
    );
  });

  it("finds contents that were served between the approval and now, where versions were read", () => {
    const version = (number: number, fetchedAt: string) => ({ hash: hashOf(number), fetchedAt });
    const versions = [
      version(3, "2024-04-01T00:00:00Z"),
      version(2, "2024-05-10T00:00:00Z"),
      version(1, "2024-05-20T00:00:00Z"),
    ];
    const findings = judge(`- match: ${url}\n${fine}`, seen([{ url, hash: hashOf(1), versions }]));
    assert.deepEqual(codes(findings), ["inventory-changed"]);
    assert.match(findings[0]?.text ?? "", /had the hash 0+2,/);
  });

  it("names a review that is overdue, from the day after", () => {
    const due = (day: string) => codes(judge(`- match: ${url}\n${fine}  reviewBy: ${day}\n`));
    assert.deepEqual(due("2024-05-31"), ["inventory-review-overdue"]);
    assert.deepEqual(due("2024-06-01"), []);
  });

  it("names what is malicious, whoever has approved it", () => {
    const bad = seen([{ url, hash: hashOf(1), jsIntegrityScore: 12 }]);
    assert.deepEqual(codes(judge(`- match: ${url}\n${fine}`, bad)), ["inventory-malicious"]);
    assert.deepEqual(codes(judge("", bad)), ["inventory-not-listed", "inventory-malicious"]);
  });

  it("distinguishes what is gone from what never matched, and reports nothing once it is marked", () => {
    assert.deepEqual(codes(judge(`- match: ${url}\n${fine}`, [])), ["inventory-gone"]);
    assert.deepEqual(codes(judge(`- match: ${url}\n${fine}  gone: 2024-05-20\n`, [])), []);
    assert.deepEqual(codes(judge(`- match: ${url}\n${fine}  gone: 2024-05-20\n`)), ["inventory-returned"]);
    assert.deepEqual(codes(judge(`- match: ${url}\n`, [])), ["inventory-matches-nothing"]);
  });

  it("does not look for the processor's scripts on the zone's pages", () => {
    assert.deepEqual(codes(judge(`- match: ${url}\n  scope: processor\n`, [])), []);
  });

  it("names two entries for one script, at the first", () => {
    const findings = judge(`- match: ${url}\n${fine}- match: https://js.example/*\n${fine}`);
    assert.deepEqual(codes(findings), ["inventory-matched-twice"]);
    assert.equal(findings[0]?.line, 1);
    assert.match(findings[0]?.text ?? "", /: also matched by the entry at line 6/);
  });

  it("names what no enforced policy allows, and a zone without one just once", () => {
    const scripts = seen([{ url, hash: hashOf(1) }], { policies: [] });
    const text = `- match: ${url}\n${fine}`;
    assert.deepEqual(codes(judge(text, scripts)), ["inventory-not-allowed"]);
    assert.deepEqual(codes(judge(text, scripts, false)), ["inventory-nothing-enforced"]);
    assert.deepEqual(
      codes(judge(text, seen([{ url, hash: hashOf(1) }], { policies: undefined }), undefined)),
      [],
    );
  });

  it("asks for what a method does not do: nothing is checked, the policy is not there, the contents are new", () => {
    const found = (method: string, more = "", scripts?: readonly SeenScript[]) =>
      judge(`- match: ${url}\n${fine.replace(/integrity: .*/, `integrity: ${method}`)}${more}`, scripts).map(
        ({ code, severity }) => `${severity} ${code}`,
      );
    const other = seen([{ url, hash: hashOf(2) }]);
    const unknown = seen([{ url, hash: hashOf(1) }], { policies: undefined });
    const hash = `  hash: "${hashOf(1)}"\n`;
    assert.deepEqual(found("{ any: daily releases }"), ["warning inventory-unchecked"]);
    assert.deepEqual(found("{ policy: checkout }"), ["info inventory-weak-integrity"]);
    assert.deepEqual(found("{ policy: chekout }", "", unknown), ["info inventory-weak-integrity"]);
    assert.deepEqual(found("{ policy: chekout }"), [
      "info inventory-weak-integrity",
      "warning inventory-policy-unknown",
    ]);
    assert.deepEqual(found("{ sri: true }", hash), []);
    assert.deepEqual(found("{ sri: true }", hash, other), ["error inventory-changed"]);
    assert.deepEqual(found("{ sri: true }", "", other), [], "nobody knows what it was");
  });

  it("takes a change with its own approval for an answer, each by its hash", () => {
    const change = (number: number) =>
      `{ hash: "${hashOf(number)}", approved: { by: Bob, reference: https://git.example/pull/8, on: 2024-05-20 } }`;
    const left = (more: string, number: number) =>
      codes(judge(`- match: ${url}\n${fine}${more}`, seen([{ url, hash: hashOf(number) }])));
    assert.deepEqual(left(`  change: ${change(2)}\n`, 2), []);
    assert.deepEqual(left(`  change:\n    - ${change(2)}\n    - ${change(3)}\n`, 3), []);
    assert.deepEqual(left(`  change: ${change(2)}\n`, 3), ["inventory-changed"]);
  });

  it("shows nothing that a terminal or a CI would obey", () => {
    const hostile = "https://js.example/a.js?\u001b[31m\u202e\n::error::x";
    for (const { text, subject } of judge(
      "",
      seen([{ url: hostile, firstPageUrl: hostile, jsIntegrityScore: 1 }]),
    ))
      assert.doesNotMatch(`${text}${subject}`, /\p{C}|^::error/mu);
  });
});
