import assert from "node:assert/strict";
import { lint } from "../../csp/src";
import { realPolicies } from "./real-policies";

/** Why each finding is right where it is: what happens to the site that sends the policy through the service. */
const why: Readonly<Record<string, string>> = {
  comma: "the header holds two policies, and only what both allow is allowed",
  "duplicate-directive": "browsers use the first one only",
  "frame-ancestors-source": "the service refuses hosts in frame-ancestors",
  "missing-base-uri": "a hash or nonce lets scripts in that load others relative to the base URL",
  "missing-semicolon": "the directive restricts nothing, its name is a source of the one before",
  nonce: "the service writes one policy for all answers, so a nonce never changes",
  "none-with-others": "'none' is ignored beside other sources",
  "query-in-source": "browsers ignore the query, so every version is allowed",
  "script-scheme": "injected text becomes a script by URL.createObjectURL",
  "security-anyone-publishes": "an attacker publishes a package or uploads a file there",
  "security-bypass": "a known URL of that host runs what an injected tag names",
  "security-known-bad": "the domain has attacked visitors",
  "security-missing-script-src": "the policy leaves scripts alone",
  "security-plain-scheme": "any host may serve scripts, or the injected text is the script",
  "security-unsafe-eval": "text becomes code",
  "security-unsafe-inline": "an injected tag or handler runs",
  "security-wildcard": "any host may serve scripts",
  "strict-dynamic": "without a nonce or hash that the service can send, no script loads",
  "unknown-directive": "browsers ignore it and its values",
  "unlisted-keyword": "the service does not list the keyword",
  "unquoted-keyword": "it is the name of a host",
  "unsupported-directive": "the service refuses the directive, whatever browsers do with it",
  "wildcard-in-host": "browsers ignore the source",
  "wildcard-in-path": "it allows a URL with a * in it only",
  "wrong-quotes": "browsers ignore what stands in curly quotes",
};

const placesOfRules: ReadonlyMap<string, string> = new Map([
  ["strict-dynamic", "'strict-dynamic'"],
  ["security-unsafe-inline", "'unsafe-inline'"],
  ["security-unsafe-eval", "'unsafe-eval'"],
]);

/**
 * Findings of severity high and medium, with the first word of the place: without one it is the whole policy, or the keyword
 * that the rule is about.
 */
const expected = readExpected(`
code hosting:
code hosting, second: strict-dynamic, security-unsafe-eval, nonce 'nonce-8Zy2Ww=='
search engine: nonce 'nonce-x2FqKQ', strict-dynamic, security-unsafe-eval, unsupported-directive report-uri
search engine, private: script-scheme blob:, security-unsafe-inline, security-unsafe-eval,
  unsupported-directive block-all-mixed-content
social network: security-bypass *.facebook.com, security-bypass *.google-analytics.com,
  security-unsafe-inline, script-scheme blob:, security-plain-scheme data:, security-unsafe-eval
short messages: missing-base-uri, security-bypass https://*.twimg.com, nonce 'nonce-NTk3Yj',
  unsupported-directive report-uri
professional network: security-unsafe-inline, security-unsafe-eval, unsupported-directive report-uri
file sharing: security-unsafe-eval, unlisted-keyword 'inline-speculation-rules', nonce 'nonce-A5xPzw'
payment provider:
payment wallet: nonce 'nonce-s8iD', security-bypass https://*.paypal.com, security-unsafe-eval,
  unsupported-directive block-all-mixed-content, unsupported-directive report-uri
shop platform: security-missing-script-src, unsupported-directive block-all-mixed-content
shop, checkout: security-bypass https://www.googletagmanager.com,
  security-bypass https://www.google-analytics.com
shop, classic: security-unsafe-inline, security-unsafe-eval, security-plain-scheme https:,
  security-plain-scheme data:, script-scheme blob:
shop with many tags: security-unsafe-inline, security-unsafe-eval, security-bypass *.google-analytics.com,
  security-bypass *.googletagmanager.com, security-bypass *.doubleclick.net, security-bypass *.criteo.com
shop of magento: frame-ancestors-source 'unsafe-inline', security-bypass *.paypal.com,
  security-bypass www.googletagmanager.com, security-unsafe-inline, security-unsafe-eval,
  unsupported-directive report-uri
marketplace: security-missing-script-src, unsupported-directive report-uri
auctions: frame-ancestors-source https://*.ebay.com, security-unsafe-inline, security-unsafe-eval,
  script-scheme blob:
bank:
bank with tags: security-unsafe-inline, security-unsafe-eval, security-bypass *.demdex.net,
  frame-ancestors-source *.bank.example
bank, old application: security-unsafe-eval
bank, with X-headers: security-plain-scheme https:, security-unsafe-inline
insurance: security-unsafe-inline, security-bypass *.googletagmanager.com
broker:
government portal: missing-base-uri, security-bypass *.google-analytics.com,
  security-bypass *.googletagmanager.com, nonce 'nonce-abc'
town hall: security-wildcard *, security-unsafe-inline, security-unsafe-eval, security-plain-scheme data:,
  script-scheme blob:
tax office:
university: security-unsafe-inline, security-unsafe-eval, security-anyone-publishes cdn.jsdelivr.net,
  security-bypass cdn.jsdelivr.net, security-bypass cdnjs.cloudflare.com,
  frame-ancestors-source *.uni.example
newspaper: security-plain-scheme data:, security-unsafe-inline, security-unsafe-eval,
  security-plain-scheme https:, script-scheme blob:, unsupported-directive report-uri
newspaper, upgrade only: security-missing-script-src
magazine: security-missing-script-src, unsupported-directive block-all-mixed-content,
  frame-ancestors-source *.magazine.example
public broadcaster: security-unsafe-inline
encyclopedia: security-unsafe-eval, script-scheme blob:, security-bypass *.wikipedia.org,
  security-unsafe-inline, unsupported-directive report-uri
developer documentation: unlisted-keyword 'wasm-unsafe-eval', unsupported-directive script-src-elem
questions and answers: security-missing-script-src, frame-ancestors-source https://stackexchange.com
package registry: missing-base-uri
package registry, second: missing-base-uri, security-unsafe-eval
chat application: security-unsafe-eval, security-unsafe-inline
voice chat: missing-base-uri, security-unsafe-eval, nonce 'nonce-MTgx',
  security-bypass https://www.gstatic.com/recaptcha/, unsupported-directive prefetch-src
video calls: security-plain-scheme https:, security-unsafe-inline, security-unsafe-eval, script-scheme blob:
video streaming: security-plain-scheme https:, security-unsafe-inline, security-unsafe-eval,
  security-plain-scheme data:, script-scheme blob:, unsupported-directive require-trusted-types-for
music: missing-base-uri, security-unsafe-eval, script-scheme blob:,
  security-bypass www.google-analytics.com, security-bypass www.googletagmanager.com
project tracker: security-unsafe-inline, security-unsafe-eval, frame-ancestors-source *.atlassian.net,
  unsupported-directive report-uri
notes application: security-unsafe-inline, security-unsafe-eval, security-bypass https://apis.google.com
customer relations: security-unsafe-inline, security-unsafe-eval
help desk: nonce 'nonce-5cH'
single-page application:
application from a CDN: security-anyone-publishes https://unpkg.com, security-bypass https://unpkg.com,
  security-bypass https://cdnjs.cloudflare.com
application with polyfill: security-known-bad https://polyfill.io,
  security-known-bad https://cdn.polyfill.io/v3/
maps application: security-bypass https://maps.googleapis.com
website builder: security-plain-scheme https:, security-plain-scheme data:, script-scheme blob:,
  security-unsafe-inline, security-unsafe-eval, frame-ancestors-source *
blog of wordpress: security-plain-scheme https:, security-unsafe-inline, security-unsafe-eval,
  security-plain-scheme data:
blog, strict: unsupported-directive report-to
blog, copied with quotes: wrong-quotes “self”, wrong-quotes ‘self’
policy without quotes: unquoted-keyword self, unquoted-keyword self, unquoted-keyword unsafe-inline
policy in one directive: comma 'self',
policy without semicolons: missing-semicolon script-src, missing-semicolon style-src
policy with header name: unknown-directive Content-Security-Policy:
policy with a typo: unknown-directive scrpit-src
policy with wrong wildcards: wildcard-in-host https://cdn*.example.com, wildcard-in-host *example.com,
  wildcard-in-path https://a.example/*.js
policy that says things twice: duplicate-directive script-src, none-with-others 'none'
health portal: query-in-source https://cdn.health.example/js/app.js?v=3
`);

describe("lint of policies that real sites send", () => {
  for (const [site, policy] of Object.entries(realPolicies))
    it(`${site}: each finding is one that its owner would act on, once`, () => {
      const findings = lint(policy)
        .filter(({ severity, syntax }) => syntax || severity === "high" || severity === "medium")
        .sort((a, b) => a.position.offset - b.position.offset || (a.ruleId < b.ruleId ? -1 : 1));
      const told = findings.map(({ ruleId, position: { offset, length } }) => {
        const [place = ""] = policy.slice(offset, offset + length).split(" ");
        const isPlain = length === policy.length || place === placesOfRules.get(ruleId);
        return isPlain ? ruleId : `${ruleId} ${place}`;
      });
      assert.deepEqual(told, expected.get(site));
      assert.deepEqual(
        findings.filter(({ ruleId }) => why[ruleId] === undefined),
        [],
      );
    });
});

/** A site on each line, with its findings; further ones are indented. */
function readExpected(text: string): ReadonlyMap<string, readonly string[]> {
  const lines = text
    .trim()
    .replace(/\n {2}/g, " ")
    .split("\n");
  return new Map(
    lines.map((line) => {
      const [, site = "", findings = ""] = /^(.*?):(?: (.*))?$/.exec(line) ?? [];
      return [site, findings === "" ? [] : findings.split(", ")];
    }),
  );
}
