import assert from "node:assert/strict";
import fc from "fast-check";
import { compile, explain, parse, REQUEST_KINDS, type RequestKind } from "../../provider/src/csp/index";
import { processorTime } from "../virtual-time/processor-time";
import { holds, hostileText, policyText, request } from "./random";

const PAGE = "https://shop.example.com/cart";

/** Policy, kind, URL, then how it begins, and the reason whole. */
const CASES: readonly (readonly [string, RequestKind, string, string, string])[] = [
  [
    "script-src https://cdn.example.com",
    "script",
    "https://cdn.example.com/a.js",
    "allowed",
    "script-src allows it by https://cdn.example.com",
  ],
  ["img-src 'self'", "script", "https://cdn.example.com/a.js", "allowed", "the policy restricts no scripts"],
  [
    "default-src *.example.com",
    "connection",
    "https://api.example.com/v1",
    "allowed",
    "default-src (for connect-src) allows it by *.example.com",
  ],
  ["script-src 'none'", "script", "/a.js", "blocked", "script-src allows nothing"],
  ["script-src", "script", "/a.js", "blocked", "script-src allows nothing"],
  [
    "default-src 'none'",
    "frame",
    "https://pay.example.net/",
    "blocked",
    "default-src (for frame-src) allows nothing",
  ],
  [
    "script-src js.example.net",
    "script",
    "https://cdn.other.test/a.js",
    "blocked",
    "no source of script-src names cdn.other.test",
  ],
  ["script-src https:", "script", "data:text/javascript,0", "blocked", "no source of script-src names data:"],
  [
    "script-src *",
    "script",
    "https://not a url/",
    "blocked",
    "the URL cannot be read, so no browser requests it",
  ],
  [
    ...(["script-src 'self' 'strict-dynamic'", "script", "/a.js", "blocked"] as const),
    "script-src has 'strict-dynamic', so no host counts: only a nonce, a hash or the script that adds it can allow it",
  ],
  [
    "script-src 'self' 'strict-dynamic'",
    "worker",
    "/a.js",
    "allowed",
    "script-src (for worker-src) has 'strict-dynamic', which lets pages start workers",
  ],
  ["connect-src 'strict-dynamic' 'self'", "connection", "/a", "allowed", "connect-src allows it by 'self'"],
  [
    ...([
      "script-src 'self' 'url-sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
      "script",
      "/a.js",
      "blocked",
    ] as const),
    "script-src has the hash of a URL, so Chromium allows nothing by its host",
  ],
  [
    "frame-src 'self' 'url-sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "frame",
    "/a",
    "allowed",
    "frame-src allows it by 'self'",
  ],
  [
    ...([
      "script-src cdn.example.com/js/",
      "script",
      "https://cdn.example.com/js%2F..%2Fevil.js",
      "browsers-differ",
    ] as const),
    "script-src allows it by cdn.example.com/js/ in Chromium and Firefox, which read %2F as a slash, and blocks it by the standard",
  ],
  // Of several policies the one that blocks counts, wherever it is.
  [
    "script-src *, default-src 'none'",
    "script",
    "/a.js",
    "blocked",
    "default-src (for script-src) allows nothing",
  ],
  ["script-src *, script-src 'self'", "script", "/a.js", "allowed", "script-src allows it by *"],
  // What has no URL.
  ["script-src 'unsafe-inline'", "script", "inline", "allowed", "script-src allows it by 'unsafe-inline'"],
  [
    ...(["script-src 'unsafe-inline' 'nonce-abc'", "script", "inline", "blocked"] as const),
    "'unsafe-inline' in script-src does not count beside a hash, a nonce or 'strict-dynamic'",
  ],
  [
    ...(["script-src 'self'", "event-handler", "inline", "blocked"] as const),
    "script-src has no 'unsafe-inline'; a hash or a nonce may still allow it",
  ],
  [
    "default-src 'strict-dynamic' 'unsafe-inline'",
    "style",
    "inline",
    "blocked",
    "'unsafe-inline' in default-src (for style-src) does not count beside a hash, a nonce or 'strict-dynamic'",
  ],
  [
    "style-src 'strict-dynamic' 'unsafe-inline'",
    "style-attribute",
    "inline",
    "allowed",
    "style-src allows it by 'unsafe-inline'",
  ],
  [
    "script-src-elem 'unsafe-eval'; script-src 'self'",
    "script",
    "eval",
    "blocked",
    "script-src has no 'unsafe-eval'",
  ],
  [
    "default-src 'unsafe-eval'",
    "script",
    "wasm-eval",
    "allowed",
    "default-src (for script-src) allows it by 'unsafe-eval'",
  ],
];

/** Sources, URL, the nearest of them, what fails, and how. */
const NEAREST: readonly (readonly [string, string, string, readonly string[], string])[] = [
  [
    "https://cdn.example.net/js/",
    "https://cdn.example.net/lib/a.js",
    "https://cdn.example.net/js/",
    ["path"],
    "the path /lib/a.js is not below /js/",
  ],
  [
    "cdn.example.net/JS/",
    "https://cdn.example.net/js/a.js",
    "cdn.example.net/JS/",
    ["path"],
    "the path /js/a.js is not below /JS/",
  ],
  [
    "cdn.example.net/a.js cdn.example.net/lib/a.js",
    "https://cdn.example.net/lib/b.js",
    "cdn.example.net/lib/a.js",
    ["path"],
    "the path /lib/b.js is not /lib/a.js",
  ],
  [
    "cdn.example.net/js%2Fa.js",
    "https://cdn.example.net/js%2fb.js",
    "cdn.example.net/js%2Fa.js",
    ["path"],
    "the path /js%2Fb.js is not /js%2Fa.js",
  ],
  [
    "cdn.example.net",
    "http://cdn.example.net/a.js",
    "cdn.example.net",
    ["scheme"],
    "the scheme is http, not https",
  ],
  [
    "https://cdn.example.net",
    "wss://cdn.example.net/a",
    "https://cdn.example.net",
    ["scheme"],
    "the scheme is wss, not https",
  ],
  [
    "cdn.example.net",
    "https://cdn.example.net:8443/a.js",
    "cdn.example.net",
    ["port"],
    "the port is 8443, not 443",
  ],
  [
    "http://cdn.example.net:8080",
    "https://cdn.example.net:8080/a.js",
    "http://cdn.example.net:8080",
    ["scheme"],
    "the scheme is https, not http",
  ],
  [
    "http://cdn.example.net:8080",
    "https://cdn.example.net/a.js",
    "http://cdn.example.net:8080",
    ["port"],
    "the port is 443, not 8080",
  ],
  [
    "cdn.example.net:8080/js/",
    "http://cdn.example.net:9090/a.js",
    "cdn.example.net:8080/js/",
    ["scheme", "port", "path"],
    "the scheme is http, not https and the port is 9090, not 8080 and the path /a.js is not below /js/",
  ],
  ["https:", "http://cdn.example.net/a.js", "https:", ["scheme"], "the scheme is http, not https"],
  ["*.example.net", "https://example.net/a.js", "*.example.net", ["host"], "the host is example.net"],
  [
    "a.test b.example.net",
    "https://cdn.example.net/a.js",
    "b.example.net",
    ["host"],
    "the host is cdn.example.net",
  ],
  ["'self'", "https://static.example.com/a.js", "'self'", ["host"], "the host is static.example.com"],
  ["'self'", "https://shop.example.com:8443/a.js", "'self'", ["port"], "the port is 8443, not 443"],
  ["js.example.net", "https://js.exmaple.net/a.js", "js.example.net", ["host"], "the host is js.exmaple.net"],
  // A host that is named with another path is nearer than a host alike without one.
  [
    "b.example.net cdn.example.net/js/",
    "https://cdn.example.net/a.js",
    "cdn.example.net/js/",
    ["path"],
    "the path /a.js is not below /js/",
  ],
];

/** Whether a directive of the text, which counts, decides about the kind. */
function isRestricted(text: string, kind: "script" | "connection"): boolean {
  const names =
    kind === "script" ? ["script-src-elem", "script-src", "default-src"] : ["connect-src", "default-src"];
  return parse(text).directives.some(({ name }) => names.includes(name));
}

describe("explain", () => {
  for (const [policy, kind, url, verdict, reason] of CASES) {
    it(`${verdict}: ${kind} ${url} by ${policy}`, () => {
      const found = explain(policy, { kind, url, pageUrl: PAGE });
      assert.deepEqual([found.verdict, found.reason], [verdict, reason]);
    });
  }

  for (const [sources, url, source, fails, difference] of NEAREST) {
    it(`names of ${sources} the one nearest to ${url}, and what it fails by`, () => {
      const { nearest, reason } = explain(`script-src ${sources}`, { kind: "script", url, pageUrl: PAGE });
      assert.deepEqual(nearest, { source, fails, difference });
      assert.equal(reason, `no source of script-src allows it; the nearest is ${source}, but ${difference}`);
    });
  }

  for (const [sources, url] of [
    ["cdn.example.net", "https://cdn.other.test/a.js"],
    ["a.co.uk", "https://b.co.uk/a.js"],
    ["a.test", "https://b.test/a.js"],
    ["https:", "data:text/javascript,0"],
    ["'none' 'nonce-abc'", "https://b.test/a.js"],
  ] as const) {
    it(`names none of ${sources} as near to ${url}`, () => {
      assert.equal(
        explain(`script-src ${sources}`, { kind: "script", url, pageUrl: PAGE }).nearest,
        undefined,
      );
    });
  }

  it("takes 'self' of a page on the default port of another scheme for another scheme", () => {
    const { verdict, nearest } = explain("script-src 'self'", {
      kind: "script",
      url: "https://plain.example/a.js",
      pageUrl: "http://plain.example:443/",
    });
    assert.equal(verdict, "blocked");
    assert.deepEqual(nearest?.fails, ["scheme"]);
  });

  it("gives the directive that decides, what it stands in for, and the source", () => {
    const { reason, ...found } = explain("default-src cdn.test", {
      kind: "image",
      url: "https://cdn.test/a.png",
      pageUrl: PAGE,
    });
    assert.deepEqual(found, {
      verdict: "allowed",
      directive: "default-src",
      fallbackFor: "img-src",
      allowedBy: "cdn.test",
    });
    assert.match(reason, /^default-src \(for img-src\)/);
  });

  it("says what matches says, and that browsers differ where only some have a source that allows it", () => {
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

  it("shows hostile texts on one line, and fails at none", () => {
    holds(
      fc.property(
        hostileText,
        hostileText,
        hostileText,
        fc.constantFrom(...REQUEST_KINDS),
        (text, url, pageUrl, kind) => {
          const { reason } = explain(`default-src ${text}`, { kind, url, pageUrl });
          assert.doesNotMatch(reason, /[\p{Cc}\p{Cf}]/u);
          assert.ok(reason.length < 400);
        },
      ),
    );
  });

  it("takes time by the length of the policy, not by its square", () => {
    const time = (count: number) => {
      const hosts = Array.from({ length: count }, (_, index) => `cdn${index}.exampel.org`).join(" ");
      return Math.min(
        ...Array.from({ length: 5 }, () =>
          processorTime(() =>
            explain(`script-src ${hosts}`, {
              kind: "script",
              url: "https://cdn.example.org/",
              pageUrl: PAGE,
            }),
          ),
        ),
      );
    };
    time(1000);
    const ratio = Math.max(5, time(32_000)) / Math.max(5, time(2000));
    assert.ok(ratio < 16 * 6, `16 times the text took ${ratio.toFixed(0)} times as long`);
  });
});
