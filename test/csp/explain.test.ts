import assert from "node:assert/strict";
import fc from "fast-check";
import { compile, explain, parse, REQUEST_KINDS, type RequestKind } from "../../csp/src";
import { assertLinear } from "./growth";
import { holds, hostileText, policyText, request } from "./random";

const PAGE = "https://shop.example.com/cart";

/**
 * Policy, kind and URL. The next line has the verdict, the directive (`for`: the directive that it replaces), the source that
 * allows the request and, after a colon, a pattern of the reason.
 */
const CASES = `
script-src https://cdn.example.com | script https://cdn.example.com/a.js
  allowed by script-src source https://cdn.example.com
img-src 'self' | script https://cdn.example.com/a.js
  allowed: restricts no scripts
default-src *.example.com | connection https://api.example.com/v1
  allowed by default-src for connect-src source *.example.com: ^default-src \\(for connect-src\\)
script-src 'none' | script /a.js
  blocked by script-src: allows nothing$
script-src | script /a.js
  blocked by script-src: allows nothing$
default-src 'none' | frame https://pay.example.net/
  blocked by default-src for frame-src: allows nothing$
script-src js.example.net | script https://cdn.other.test/a.js
  blocked by script-src: names cdn\\.other\\.test$
script-src https: | script data:text/javascript,0
  blocked by script-src: names data:$
script-src * | script https://not a url/
  blocked: cannot be read
script-src 'self' 'strict-dynamic' | script /a.js
  blocked by script-src: 'strict-dynamic', so no host counts
script-src 'self' 'strict-dynamic' | worker /a.js
  allowed by script-src for worker-src: 'strict-dynamic'
connect-src 'strict-dynamic' 'self' | connection /a
  allowed by connect-src source 'self'
script-src 'self' 'url-sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' | script /a.js
  blocked by script-src: hash of a URL
frame-src 'self' 'url-sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' | frame /a
  allowed by frame-src source 'self'
script-src cdn.example.com/js/ | script https://cdn.example.com/js%2F..%2Fevil.js
  browsers-differ by script-src source cdn.example.com/js/: Chromium and Firefox
# Of several policies the one that blocks counts, wherever it is.
script-src *, default-src 'none' | script /a.js
  blocked by default-src for script-src: allows nothing$
script-src *, script-src 'self' | script /a.js
  allowed by script-src source *
# What has no URL.
script-src 'unsafe-inline' | script inline
  allowed by script-src source 'unsafe-inline'
script-src 'unsafe-inline' 'nonce-abc' | script inline
  blocked by script-src: has no effect
script-src 'self' | event-handler inline
  blocked by script-src: no 'unsafe-inline'; a nonce never allows it, and a hash only beside 'unsafe-hashes'$
style-src 'nonce-abc' | style-attribute inline
  blocked by style-src: no 'unsafe-inline'; a nonce never allows it, and a hash only beside 'unsafe-hashes'$
# Measured in Chromium: no list blocks a frame of about:blank.
frame-src 'none' | frame about:blank
  allowed: without a request
# Browsers load images of pages on https by https, whatever the page says; not those of an IP address.
img-src https: | image http://img.example.net/a.png
  allowed by img-src source https:
img-src a.test | image http://192.0.2.1/a.png
  blocked by img-src
default-src 'strict-dynamic' 'unsafe-inline' | style inline
  blocked by default-src for style-src: has no effect
style-src 'strict-dynamic' 'unsafe-inline' | style-attribute inline
  allowed by style-src source 'unsafe-inline'
# Without allow-scripts a sandbox blocks scripts of every kind, without allow-forms it blocks forms.
script-src https:; sandbox | script https://cdn.example.net/a.js
  blocked by sandbox: it has no allow-scripts
sandbox allow-forms | event-handler inline
  blocked by sandbox: it has no allow-scripts
script-src 'unsafe-eval', sandbox | script eval
  blocked by sandbox: it has no allow-scripts
SANDBOX Allow-Scripts | form https://cdn.example.net/
  blocked by sandbox: it has no allow-forms
sandbox Allow-Scripts; script-src https: | script https://cdn.example.net/a.js
  allowed by script-src source https:
sandbox | style https://cdn.example.net/a.css
  allowed: restricts no stylesheets
script-src-elem 'unsafe-eval'; script-src 'self' | script eval
  blocked by script-src: no 'unsafe-eval'$
default-src 'unsafe-eval' | script wasm-eval
  allowed by default-src for script-src source 'unsafe-eval'
`;

/** Sources and URL. The next line has the nearest source, the parts that fail and, after the colon, what they compare. */
const NEAREST = `
https://cdn.example.net/js/ | https://cdn.example.net/lib/a.js
  https://cdn.example.net/js/ by path: /lib/a.js /js/
cdn.example.net/JS/ | https://cdn.example.net/js/a.js
  cdn.example.net/JS/ by path: /js/a.js /JS/
cdn.example.net/a.js cdn.example.net/lib/a.js | https://cdn.example.net/lib/b.js
  cdn.example.net/lib/a.js by path: /lib/b.js /lib/a.js
cdn.example.net/js/a.js cdn.example.net/js/app/ | https://cdn.example.net/js/app.js
  cdn.example.net/js/app/ by path: /js/app.js /js/app/
cdn.example.net/js%2Fa.js | https://cdn.example.net/js%2fb.js
  cdn.example.net/js%2Fa.js by path: /js%2Fb.js /js%2Fa.js
cdn.example.net | http://cdn.example.net/a.js
  cdn.example.net by scheme: http https
https://cdn.example.net | wss://cdn.example.net/a
  https://cdn.example.net by scheme: wss https
cdn.example.net | https://cdn.example.net:8443/a.js
  cdn.example.net by port: 8443 443
http://cdn.example.net:8080 | https://cdn.example.net:8080/a.js
  http://cdn.example.net:8080 by scheme: https http
http://cdn.example.net:8080 | https://cdn.example.net/a.js
  http://cdn.example.net:8080 by port: 443 8080
cdn.example.net:8080/js/ | http://cdn.example.net:9090/a.js
  cdn.example.net:8080/js/ by scheme port path: http https 9090 8080 /a.js /js/
https: | http://cdn.example.net/a.js
  https: by scheme: http https
*.example.net | https://example.net/a.js
  *.example.net by host: example.net
a.test b.example.net | https://cdn.example.net/a.js
  b.example.net by host: cdn.example.net
'self' | https://static.example.com/a.js
  'self' by host: static.example.com
'self' | https://shop.example.com:8443/a.js
  'self' by port: 8443 443
js.example.net | https://js.exmaple.net/a.js
  js.example.net by host: js.exmaple.net
# A host that is named with another path is nearer than a host alike without one.
b.example.net cdn.example.net/js/ | https://cdn.example.net/a.js
  cdn.example.net/js/ by path: /a.js /js/
`;

/** Returns the lines of a table in pairs, without its comments. */
function pairsOf(table: string): readonly (readonly [string, string])[] {
  const lines = table.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.flatMap((line, index) => (index % 2 === 0 ? [[line, lines[index + 1] ?? ""] as const] : []));
}

/** Whether a directive that browsers use in the text decides about the kind. */
function isRestricted(text: string, kind: "script" | "connection"): boolean {
  const names =
    kind === "script" ? ["script-src-elem", "script-src", "default-src"] : ["connect-src", "default-src"];
  return parse(text).directives.some(({ name }) => names.includes(name));
}

const asking = (kind: RequestKind, url: string) => ({ kind, url, pageUrl: PAGE });

describe("explain", () => {
  for (const [asked, expected] of pairsOf(CASES)) {
    it(`${expected.trim()}: ${asked}`, () => {
      const [policy = "", kindAndUrl = ""] = asked.split(" | ");
      const [, word = "", url = ""] = /^(\S+) (.*)$/.exec(kindAndUrl) ?? [];
      const kind = REQUEST_KINDS.find((one) => one === word) ?? assert.fail(word);
      const { reason, verdict, directive, fallbackFor, allowedBy, ...more } = explain(
        policy,
        asking(kind, url),
      );
      const found =
        `  ${verdict}${directive ? ` by ${directive}` : ""}` +
        `${fallbackFor ? ` for ${fallbackFor}` : ""}${allowedBy ? ` source ${allowedBy}` : ""}`;
      assert.equal(expected.slice(0, found.length), found);
      const [, says = "."] = /^(?:|: (.+))$/.exec(expected.slice(found.length)) ?? assert.fail(expected);
      assert.match(reason, new RegExp(says));
      assert.deepEqual(more, {});
    });
  }

  for (const [asked, expected] of pairsOf(NEAREST)) {
    it(`names the nearest source and its failing parts for ${asked}`, () => {
      const [sources = "", url = ""] = asked.split(" | ");
      const { nearest, reason } = explain(`script-src ${sources}`, asking("script", url));
      const { source, fails = [], difference = "" } = nearest ?? {};
      const found = `  ${source} by ${fails.join(" ")}: `;
      assert.equal(expected.slice(0, found.length), found);
      for (const part of expected.slice(found.length).split(" "))
        assert.ok(` ${difference} `.replaceAll(",", "").includes(` ${part} `), difference);
      assert.ok(reason.endsWith(` ${source}, but ${difference}`), reason);
    });
  }

  for (const [sources, url] of [
    ["cdn.example.net", "https://cdn.other.test/a.js"],
    ["a.co.uk", "https://b.co.uk/a.js"],
    ["a.test", "https://b.test/a.js"],
    ["https:", "data:text/javascript,0"],
    ["'none' 'nonce-abc'", "https://b.test/a.js"],
  ] as const) {
    it(`names no source of ${sources} as near to ${url}`, () =>
      assert.equal(explain(`script-src ${sources}`, asking("script", url)).nearest, undefined));
  }

  it("given a page on the default port of another scheme, then 'self' fails by its scheme", () => {
    const asked = { ...asking("script", "https://plain.example/a.js"), pageUrl: "http://plain.example:443/" };
    const { verdict, nearest } = explain("script-src 'self'", asked);
    assert.deepEqual([verdict, nearest?.fails], ["blocked", ["scheme"]]);
  });

  it("agrees with matches, and reports browsers-differ if only some browsers allow the request", () => {
    holds(
      fc.property(policyText, fc.array(request, { maxLength: 5 }), (text, requests) => {
        const compiled = compile(text);
        for (const one of requests) {
          const { verdict, directive, allowedBy, nearest } = explain(text, one);
          const sources = compiled.sourcesFor(one);
          const isAllowed = compiled.allows(one);
          assert.equal(verdict, isAllowed ? "allowed" : sources.length > 0 ? "browsers-differ" : "blocked");
          assert.equal(sources.length > 0, allowedBy !== undefined);
          assert.ok(allowedBy === undefined || sources.includes(allowedBy));
          assert.equal(directive === undefined, !isRestricted(text, one.kind));
          assert.ok(nearest === undefined || (verdict === "blocked" && nearest.fails.length > 0));
        }
      }),
      1000,
    );
  });

  it("shows hostile texts on one line, and never fails", () => {
    const kinds = fc.constantFrom(...REQUEST_KINDS);
    holds(
      fc.property(hostileText, hostileText, hostileText, kinds, (text, url, pageUrl, kind) => {
        const { reason } = explain(`default-src ${text}`, { kind, url, pageUrl });
        assert.doesNotMatch(reason, /[\p{Cc}\p{Cf}]/u);
        assert.ok(reason.length < 400);
      }),
    );
  });

  it("takes time in proportion to the length of the policy", () => {
    const work = (count: number) => {
      const hosts = Array.from({ length: count }, (_, index) => `cdn${index}.exampel.org`).join(" ");
      explain(`script-src ${hosts}`, asking("script", "https://cdn.example.org/"));
    };
    assertLinear(work, { small: 2000, factor: 16, tolerated: 6 });
  });
});
