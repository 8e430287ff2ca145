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
      "Narrower than asked for: cdn.example also allows something malicious, so paths or URLs stand in for it.",
      "Not allowed: script https://evil.example/x.js, its integrity score is 12, below 50; on shop.example/checkout.",
      "Also restricted, and in no list: inline scripts, event handlers, eval, WebAssembly, workers, also of blob:. See the reports of the policy in log before it blocks.",
    ]);
  });

  it("warns of what the policy will break: a narrowed 'self', names of one release, too many bytes", () => {
    const { warnings } = tellSuggestion(
      suggest(
        [
          script({ url: "https://shop.example/js/own.js" }),
          script({ url: "https://shop.example/uploads/evil.js", jsIntegrityScore: 3 }),
          script({ url: "https://cdn.example/app.3f2a91bc.js" }),
          script({ url: "https://cdn.example/evil.js", jsIntegrityScore: 3 }),
        ],
        [],
        { maxBytes: 50 },
      ),
    );
    assert.deepEqual(warnings, [
      "NARROWED: 'self' also allows something malicious, so paths or URLs of your own host stand in for it. What you add elsewhere on your host is blocked: take the malicious file away and suggest again.",
      "TOO LONG: the policy has 55 bytes, more than 50, and is sent with every page. Take hosts that are not needed off the pages, or make a policy for each host (--host).",
      "BREAKS WITH THE NEXT RELEASE: cdn.example/app.3f2a91bc.js. Each names a version, a build, a date or an id, and nothing wider is safe or was asked for: suggest again before the vendor's next release, or serve the file from your own host.",
    ]);
  });

  it("notes what was merged with gain and risk, what vendors document besides, and where anybody can publish", () => {
    const shards = ["a", "b", "c", "d", "e", "f", "g"].map((name) =>
      script({ url: `https://${name}.clarity.ms/s/0.7.20/clarity.js` }),
    );
    const { notes } = tellSuggestion(
      suggest(
        [
          ...shards,
          script({ url: "https://unpkg.com/vue@3.4.21/dist/vue.js" }),
          script({ url: "https://js.stripe.com/v3/" }),
        ],
        [],
        { maxBytes: 100 },
      ),
    );
    assert.deepEqual(notes.slice(0, -1), [
      "Wider than asked for: *.clarity.ms replaces a.clarity.ms, b.clarity.ms, c.clarity.ms, d.clarity.ms, e.clarity.ms, and 2 more. Gain: 78 bytes less. Risk: it allows every host below that domain.",
      "Narrower than asked for: unpkg.com allows scripts that anybody can publish there, so paths or URLs stand in for it.",
      "Not seen: Stripe documents script-src *.js.stripe.com as well, see https://docs.stripe.com/security/guide.",
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
    assert.equal(notes.length, 2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(notes.join(), /[\x00-\x1f]|::stop/);
  });
});
