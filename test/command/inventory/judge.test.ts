import assert from "node:assert/strict";
import { judgeInventory } from "../../../command/src/inventory/judge";
import type { SeenScript } from "../../../command/src/inventory/seen-script";
import { each } from "../../support/each";
import { entriesOf, hashOf, policy, seen } from "./items";

const url = "https://js.example/a.js";
const integrity = `  integrity: { hashes: ["${hashOf(1)}"] }\n`;
const approved = "  approved: { by: Ada, reference: https://git.example/pull/7, on: 2024-05-01 }\n";
const whole = `- match: ${url}\n  justification: takes the card\n${integrity}${approved}  firstSeen: 2024-01-01\n`;
const withdrawn = whole.replace(approved, "  approved: null\n");
const fine = seen([{ url, hash: hashOf(1) }]);
const unread = seen([{ url }], { policies: undefined });
const having = (number: number) => seen([{ url, hash: hashOf(number) }]);
const fetched = (number: number, day: string, earlier: typeof served = []) =>
  seen([{ url, hash: hashOf(number), fetchedAt: `${day}T00:00:00Z`, versions: earlier }]);
const star = `- match: https://js.example/*\n  justification: x\n  integrity: { any: x }\n`;
const since = (day: string) => seen([{ url, firstSeenAt: `${day}T00:00:00Z` }]);
const bad = seen([{ url, hash: hashOf(1), jsIntegrityScore: 12 }]);
const by = (method: string) => whole.replace(integrity, `  integrity: ${method}\n`);
const change = (number: number) =>
  `{ hash: "${hashOf(number)}", approved: { by: Bob, reference: https://git.example/pull/8, on: 2024-05-20 } }`;
const days = ["2024-04-10", "2024-05-11", "2024-05-12"];
const served = days.map((day, at) => ({ hash: hashOf(3 - at), fetchedAt: `${day}T00:00:00Z` }));

const versions = seen([{ url, hash: hashOf(1), versions: served }]);
const restored = ["31T03", "30T12"].map((time, at) => ({
  hash: hashOf(at + 1),
  fetchedAt: `2024-05-${time}:00:00Z`,
}));
const byNight = [...restored, { hash: hashOf(1), fetchedAt: "2024-01-01T00:00:00Z" }];

/** Title, inventory, scripts, expected codes without `inventory-`, and expected text. */
type Case = readonly [
  what: string,
  text: string,
  scripts: readonly SeenScript[],
  codes: string,
  said?: RegExp,
];
const cases: readonly Case[] = [
  ["everything is approved", whole, fine, ""],
  ["a hash in capitals is approved", whole.replace(hashOf(1), hashOf(0xab).toUpperCase()), having(0xab), ""],
  [
    "no entry matches a script, once for all its versions",
    "",
    seen(["https://js.example/app.3f2a91bc.js", "https://js.example/app.9c1d22ee.js"]),
    "not-listed",
    /^https:\/\/js\.example\/app\.\*\.js is not in the inventory\. Add/,
  ],
  [
    "nobody has approved an entry",
    `- match: ${url}\n  justification: " "\n  approved: null\n`,
    fine,
    "unapproved",
    /has no justification and no integrity method/,
  ],
  ["an approval lacks both", `- match: ${url}\n${approved}`, fine, "no-justification no-integrity"],
  ["a hash is not in the list", whole, having(2), "changed", /has the hash 0+2,/],
  ["the approval of a changed script was withdrawn", withdrawn, having(2), "unapproved changed"],
  ["the approval of an unchanged script was withdrawn", withdrawn, fine, "unapproved"],
  ["a hash is unknown", whole, seen([{ url }]), "hash-unknown"],
  ["contents predate the approval", whole, fetched(2, "2024-04-20"), "changed", /has .* 0+2,/],
  ["other contents were served in between", whole, versions, "changed", /had .* 0+2,/],
  ["a review is overdue", `${whole}  reviewBy: 2024-05-31\n`, fine, "review-overdue"],
  ["a review is due today", `${whole}  reviewBy: 2024-06-01\n`, fine, ""],
  ["an approved script is malicious", whole, bad, "malicious"],
  ["a script without an entry is malicious", "", bad, "not-listed malicious"],
  ["a script is gone", whole, [], "gone"],
  ["a script is marked as gone", `${whole}  gone: 2024-05-20\n`, [], ""],
  ["a script that was marked as gone returns", `${whole}  gone: 2024-05-20\n`, fine, "returned"],
  [
    "a new script matches an approved pattern",
    `${star}${approved}`,
    since("2024-05-30"),
    "first-seen unchecked",
    /first seen on 2024-05-30, after https:\/\/js\.example\/\* was approved \(2024-05-01\)\./,
  ],
  ["a new script was reported for a week", `${star}${approved}`, since("2024-05-20"), "unchecked"],
  ["an approval is older than the script", by("{ any: x }"), since("2024-05-20"), "approved-early unchecked"],
  [
    "a script was changed by day and restored by night",
    by("{ policy: checkout }"),
    seen([{ url, hash: hashOf(1), versions: byNight }]),
    "contents weak-integrity",
  ],
  [
    "two contents came after the approval, of which the first are the earliest known ones",
    by("{ policy: checkout }"),
    fetched(2, "2024-05-30", [{ hash: hashOf(1), fetchedAt: "2024-05-28T00:00:00Z" }]),
    "contents weak-integrity",
    /since its approval: 0+2 \(2024-05-30\)\. .* does not prevent this\./,
  ],
  ["an entry never matched", `- match: ${url}\n`, [], "matches-nothing"],
  ["a script is the processor's", `- match: ${url}\n  scope: processor\n`, [], ""],
  [
    "two entries match one script",
    `${whole}- match: https://js.example/*\n${integrity}${approved}  justification: x\n`,
    fine,
    "matched-twice",
    /also matched by the entry at line 6/,
  ],
  ["no policy allows it", whole, seen([{ url, hash: hashOf(1) }], { policies: [] }), "not-allowed"],
  ["nothing checks the contents", by("{ any: daily releases }"), fine, "unchecked"],
  ["a policy restricts its origin", by("{ policy: checkout }"), fine, "weak-integrity"],
  ["the named policy does not exist", by("{ policy: chekout }"), fine, "weak-integrity policy-unknown"],
  ["the policies are unknown", by("{ policy: chekout }"), unread, "weak-integrity"],
  ["the page's SRI hash is unchanged", `${by("{ sri: true }")}  hash: "${hashOf(1)}"\n`, fine, ""],
  ["the page's SRI hash has changed", `${by("{ sri: true }")}  hash: "${hashOf(1)}"\n`, having(2), "changed"],
  ["the earlier SRI hash is unknown", by("{ sri: true }"), having(2), ""],
  ["a change is approved", `${whole}  change: ${change(2)}\n`, having(2), ""],
  ["two changes are approved", `${whole}  change:\n    - ${change(2)}\n    - ${change(3)}\n`, having(3), ""],
  ["another change is approved", `${whole}  change: ${change(2)}\n`, having(3), "changed"],
];

describe("The findings about an inventory and a zone", () => {
  const judge = (text: string, scripts: readonly SeenScript[], policies = [policy()]) => [
    ...judgeInventory(entriesOf(text), scripts, { today: "2024-06-01", policies }),
  ];

  for (const [what, text, scripts, expected, said = /^/] of cases)
    it(`given that ${what}: ${expected || "none"}`, () => {
      const findings = judge(text, scripts);
      assert.equal(findings.map(({ code }) => code.replace("inventory-", "")).join(" "), expected);
      assert.match(findings[0]?.text ?? "", said);
      for (const { line, entry } of findings) assert.equal(line, entry?.line);
    });

  it("name payment pages that no enforced policy covers, and a policy that allows scripts from anywhere", () => {
    const pages = ["https://shop.example/checkout*", "https://pay.example/*"];
    const open = policy({ description: "pay", value: "script-src https:" });
    const found = [...judgeInventory([], fine, { today: "2024-06-01", policies: [open], pages })];
    const [nothing, open2] = each(found, "code") ?? [];
    assert.deepEqual([nothing, open2], ["inventory-nothing-enforced", "inventory-policy-open"]);
    assert.match(found[0]?.text ?? "", /^No enforced policy covers https:\/\/pay\.example\/\*, so /);
    assert.match(found[1]?.text ?? "", /^The enforced policy "pay" allows scripts from anywhere/);
  });

  for (const [expression, isCovered] of [
    ["", true],
    ['starts_with(http.request.uri.path, "/checkout")', true],
    ['http.request.full_uri wildcard "https://*/check*"', true],
    ["not ip.src in {192.0.2.1}", true],
    ['http.request.uri.path eq "/checkout"', false],
    ['not starts_with(http.request.uri.path, "/checkout/pay")', false],
    ['not ends_with(http.request.uri.path, ".html")', false],
    ['http.request.uri.query eq ""', false],
    ['not http.request.uri contains "?step=2"', false],
    ['not http.request.uri.path wildcard "/check*/v*/card"', false],
    ['http.request.full_uri eq "https://shop.example/checkout"', false],
  ] as const)
    it(`take the pages /checkout* as covered only if all of them are: ${isCovered}, given "${expression}"`, () => {
      const pages = ["https://shop.example/checkout*", "shop.example/checkout"].slice(0, isCovered ? 2 : 1);
      const tests = ['http.host eq "shop.example"', expression].filter(Boolean).join(" and ");
      const found = judgeInventory([], fine, {
        today: "2024-06-01",
        policies: [policy({ expression: tests })],
        pages,
      });
      assert.equal(
        [...found].some(({ code }) => code === "inventory-nothing-enforced"),
        !isCovered,
      );
    });

  for (const [page, first, codes] of [
    ["https://shop.example/pay", "https://shop.example/pay", ""],
    ["https://shop.example/pay", "shop.example/pay?step=2", ""],
    ["https://shop.example/pay?step=2", "https://shop.example/pay?step=1", "inventory-contents"],
    ["https://shop.example/p*", "https://Shop.example:443/pay", ""],
    ["https://shop.example/payy", "https://shop.example/pay", "inventory-contents"],
  ] as const)
    it(`are about the payment page ${page} if a script was seen on ${first}, and about all pages if none was`, () => {
      const contents = { hash: hashOf(2), fetchedAt: "2024-05-30T00:00:00Z" };
      const old = { hash: hashOf(1), fetchedAt: "2024-01-01T00:00:00Z" };
      const home = { firstPageUrl: "https://shop.example/", versions: [old] };
      const scripts = seen([
        { url: `${url}?1`, firstPageUrl: first },
        { url, ...contents, ...home },
      ]);
      const entries = entriesOf(by("{ policy: checkout }"));
      const found = judgeInventory(entries, scripts, {
        today: "2024-06-01",
        policies: [policy()],
        pages: [page],
      });
      const news = [...found].filter(({ code }) => code === "inventory-contents");
      assert.equal(news.map(({ code }) => code).join(), codes);
    });

  for (const [value, expected] of [
    ["script-src https://*/js/", "policy-open"],
    ["script-src *:8443 'self'", "policy-open"],
    ["script-src HTTPS://*:*/a.js", "policy-open"],
    ["script-src https://*/js/ 'nonce-a' 'strict-dynamic'", ""],
    ["img-src *, script-src js.example", ""],
    ["script-src https://*/js/, script-src js.example", ""],
    ["script-src js.example; img-src https://*/js/", ""],
  ] as const)
    it(`say whether "${value}" restricts scripts: ${expected || "yes"}`, () => {
      const options = {
        today: "2024-06-01",
        policies: [policy({ value })],
        pages: ["https://shop.example/"],
      };
      const codes = [...judgeInventory([], fine, options)].map(({ code }) => code.replace("inventory-", ""));
      assert.equal(codes.filter((code) => code !== "not-listed").join(), expected);
    });

  it("take pages as covered that two policies select together", () => {
    const tests = ["not starts_with", "starts_with"].map(
      (by) => `${by}(http.request.uri.path, "/checkout/")`,
    );
    const policies = tests.map((expression) => policy({ expression }));
    const found = judgeInventory([], fine, {
      today: "2024-06-01",
      policies,
      pages: ["https://a.example/c*"],
    });
    assert.equal(
      [...found].some(({ code }) => code === "inventory-nothing-enforced"),
      false,
    );
  });

  it("name an approval that was committed long after its day, and two entries with the same reason and reference", () => {
    const copied = `${whole}${whole.replace("a.js", "b.js")}`;
    const on = "2024-05-20T12:00:00.000Z";
    const history = (_: object, text?: string) =>
      text === "2024-05-01" ? { id: "a", on, isOnDefault: true } : null;
    const options = { today: "2024-06-01", policies: [policy()], history };
    const found = [...judgeInventory(entriesOf(copied), fine, options)];
    const told = found.map(({ code, severity, line }) => `${code} ${severity} ${line}`);
    const early = "inventory-approved-early warning 1";
    assert.deepEqual(told, ["inventory-same-approval info 1", early, "inventory-gone warning 6"]);
    assert.match(found[1]?.text ?? "", /is dated 2024-05-01, but was committed on 2024-05-20, 19 days later/);
  });

  it("name a zone without an enforced policy only once", () => {
    const scripts = seen([{ url, hash: hashOf(1) }], { policies: [] });
    assert.deepEqual(each(judge(whole, scripts, []), "code"), ["inventory-nothing-enforced"]);
  });
});
