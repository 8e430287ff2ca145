import assert from "node:assert/strict";
import { lint } from "../../csp/src";
import { realPolicies } from "./real-policies";

/**
 * Reasons why findings are right: what happens to a site that sends the policy through the service. A reason is for a rule, or
 * for a rule and the first word of the place if each place has its own reason.
 */
const why = readReasons(`
comma: the header has two policies, and browsers load only what both allow
duplicate-directive: browsers use the first one only
frame-ancestors-source: the service refuses hosts in frame-ancestors
missing-base-uri: the hash or nonce of this list allows scripts that load others relative to the base URL
missing-semicolon: the directive restricts nothing, because its name is a source of the directive before it
nonce: the service writes one policy for all answers, so a nonce never changes
none-with-others: 'none' is ignored beside other sources
query-in-source: browsers ignore the query, so every version is allowed
script-scheme blob:: injected text becomes a script by URL.createObjectURL
security-anyone-publishes cdn.jsdelivr.net: an attacker publishes a package of npm
security-anyone-publishes unpkg.com: an attacker publishes a package of npm
security-bypass *.criteo.com: gum.criteo.com calls what the query names
security-bypass *.demdex.net: dpm.demdex.net calls what the query names
security-bypass *.doubleclick.net: googleads.g.doubleclick.net calls what the query names
security-bypass *.facebook.com: api.facebook.com calls what the query names
security-bypass *.google-analytics.com: www.google-analytics.com calls what the query names
security-bypass *.googletagmanager.com: www.googletagmanager.com calls what the query names
security-bypass *.paypal.com: www.paypal.com calls what the query names
security-bypass *.twimg.com: cdn.syndication.twimg.com calls what the query names
security-bypass *.wikipedia.org: se.wikipedia.org has an API that calls what the query names
security-bypass apis.google.com: apis.google.com answers a search with a call of what the query names
security-bypass cdn.jsdelivr.net: cdn.jsdelivr.net has AngularJS, Alpine and htmx, which run code of attributes
security-bypass cdnjs.cloudflare.com: cdnjs.cloudflare.com has AngularJS, Alpine and htmx, which run code of attributes
security-bypass maps.googleapis.com: maps.googleapis.com calls what the query names when the map is ready
security-bypass unpkg.com: unpkg.com has AngularJS, Alpine and htmx, which run code of attributes
security-bypass www.google-analytics.com: www.google-analytics.com calls what the query names
security-bypass www.googletagmanager.com: www.googletagmanager.com calls what the query names
security-bypass www.gstatic.com/recaptcha/: www.gstatic.com has AngularJS below this folder
security-known-bad polyfill.io: a new owner used it to attack visitors
security-known-bad cdn.polyfill.io/v3/: a new owner used it to attack visitors
security-missing-script-src: the policy leaves scripts alone
security-plain-scheme data:: the URL itself is the script that is injected
security-plain-scheme https:: an attacker's host has a certificate, too
security-unsafe-eval: text becomes code
security-unsafe-inline: no hash or nonce is in the list, so an injected tag or handler runs
security-wildcard *: an attacker's host is one of all
strict-dynamic: without a nonce or hash that the service can send, no script loads
unknown-directive Content-Security-Policy:: the name of the header was copied with its value, and its first directive is lost
unknown-directive scrpit-src: script-src was meant, and default-src decides about scripts
unlisted-keyword 'inline-speculation-rules': speculation rules are no scripts to the service
unlisted-keyword 'wasm-unsafe-eval': the service lists 'unsafe-eval', which allows it as well
unquoted-keyword: it is the name of a host
unsupported-directive block-all-mixed-content: the service refuses it, and browsers block or upgrade all anyway
unsupported-directive prefetch-src: the service refuses it, and browsers take default-src
unsupported-directive report-to: the service reports by itself
unsupported-directive report-uri: the service reports by itself
unsupported-directive require-trusted-types-for: the service refuses what browsers would obey
unsupported-directive script-src-elem: the service refuses it, and script-src has its hosts, too
wildcard-in-host: browsers ignore the source
wildcard-in-path: it allows a URL with a * in it only
wrong-quotes: browsers ignore what is in curly quotes
`);

/** `rule: reason` or `rule place: reason` on each line. */
function readReasons(text: string): ReadonlyMap<string, string> {
  const lines = text.trim().split("\n");
  return new Map(lines.map((line) => line.split(/: (.*)/) as [string, string]));
}

const placesOfRules: ReadonlyMap<string, string> = new Map([
  ["strict-dynamic", "'strict-dynamic'"],
  ["security-unsafe-inline", "'unsafe-inline'"],
  ["security-unsafe-eval", "'unsafe-eval'"],
]);

/**
 * Findings of severity high and medium, with the first word of the place. No word means the whole policy, or the keyword that
 * the rule is about.
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

const used = new Set<string>();

describe("lint of policies that real sites send", () => {
  for (const [site, policy] of Object.entries(realPolicies))
    it(`has for ${site} only findings that the owner would act on, each with a reason`, () => {
      const findings = lint(policy)
        .filter(({ severity, syntax }) => syntax || severity === "high" || severity === "medium")
        .sort((a, b) => a.position.offset - b.position.offset || (a.ruleId < b.ruleId ? -1 : 1));
      const told = findings.map(({ ruleId, message, position: { offset, length } }) => {
        const [place = ""] = policy.slice(offset, offset + length).split(" ");
        const placed = `${ruleId} ${place.replace("https://", "")}`;
        const found = why.has(placed) ? placed : ruleId;
        const reason = why.get(found) ?? assert.fail(placed);
        // A reason is about the host that the message names.
        if (ruleId === "security-bypass") assert.equal(reason.split(" ")[0], message.split(" ")[0]);
        used.add(found);
        const isPlain = length === policy.length || place === placesOfRules.get(ruleId);
        return isPlain ? ruleId : `${ruleId} ${place}`;
      });
      assert.deepEqual(told, expected.get(site));
    });

  it("has no reason without a finding", () => {
    const unused = [...why.keys()].filter((key) => !used.has(key));
    assert.deepEqual(unused, []);
  });
});

/** Reads lines that each have a site with its findings. Indented lines continue the line before. */
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
