import assert from "node:assert/strict";
import { suggest, tellSuggestion } from "../../provider/src/csp/index";
import { script } from "./items";

describe("tellSuggestion", () => {
  it("warns of what is allowed all the same and of what is unsafe; the rest are notes", () => {
    const bad = { jsIntegrityScore: 12 };
    const { warnings, notes } = tellSuggestion(
      suggest(
        [
          script({ url: "https://cdn.example/lib/a.js?v=1" }),
          script({ url: "https://cdn.example/lib/a.js?v=2", ...bad }),
          script({ url: "https://evil.example/x.js", ...bad }),
          script({ url: "https://accounts.google.com/o/oauth2/revoke" }),
        ],
        [],
      ),
    );
    assert.deepEqual(warnings, [
      "STILL ALLOWED, by cdn.example/lib/a.js: script https://cdn.example/lib/a.js?v=2, its integrity score is 12, below 50; on shop.example/checkout.",
      "STILL UNSAFE: accounts.google.com is known to host JSONP endpoints, by which scripts get around this policy. Name the path or the very URL that you need. (security-bypass)",
    ]);
    assert.deepEqual(notes, [
      "Narrower than asked for: accounts.google.com is known to let scripts get around policies, so paths or URLs stand in for it.",
      "Narrower than asked for: accounts.google.com/o/oauth2/ is known to let scripts get around policies, so paths or URLs stand in for it.",
      "Narrower than asked for: cdn.example also allows something malicious, so paths or URLs stand in for it.",
      "Narrower than asked for: cdn.example/lib/ also allows something malicious, so paths or URLs stand in for it.",
      "Not allowed: script https://evil.example/x.js, its integrity score is 12, below 50; on shop.example/checkout.",
    ]);
  });

  it("shows nothing of an item that a terminal or a CI would obey", () => {
    const hostile = "https://evil.example/\u001b[2K\n::stop-commands::x";
    const item = script({
      url: hostile,
      firstPageUrl: hostile,
      urlReportedMalicious: true,
      maliciousUrlCategories: [hostile],
    });
    const { notes } = tellSuggestion(suggest([item], []));
    assert.equal(notes.length, 1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(notes.join(), /[\x00-\x1f]|::stop/);
  });
});
