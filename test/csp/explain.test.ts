import assert from "node:assert/strict";
import fc from "fast-check";
import { compile, type Explanation, explain, parse, REQUEST_KINDS, type RequestKind } from "../../csp/src";
import { assertLinear } from "./growth";
import { holds, hostileText, policyText, request } from "./random";

const PAGE = "https://shop.example.com/cart";

type Decided = Pick<Explanation, "directive" | "fallbackFor" | "allowedBy">;

/** Policy, kind, URL, then the verdict, what decides, and what of the reason these do not say. */
const CASES: readonly (readonly [string, RequestKind, string, string, Decided, RegExp?])[] = [
  [
    "script-src https://cdn.example.com",
    "script",
    "https://cdn.example.com/a.js",
    "allowed",
    { directive: "script-src", allowedBy: "https://cdn.example.com" },
  ],
  ["img-src 'self'", "script", "https://cdn.example.com/a.js", "allowed", {}, /restricts no scripts/],
  [
    "default-src *.example.com",
    "connection",
    "https://api.example.com/v1",
    "allowed",
    { directive: "default-src", fallbackFor: "connect-src", allowedBy: "*.example.com" },
  ],
  ["script-src 'none'", "script", "/a.js", "blocked", { directive: "script-src" }, /allows nothing$/],
  ["script-src", "script", "/a.js", "blocked", { directive: "script-src" }, /allows nothing$/],
  [
    "default-src 'none'",
    "frame",
    "https://pay.example.net/",
    "blocked",
    { directive: "default-src", fallbackFor: "frame-src" },
    /allows nothing$/,
  ],
  [
    "script-src js.example.net",
    "script",
    "https://cdn.other.test/a.js",
    "blocked",
    { directive: "script-src" },
    /names cdn\.other\.test$/,
  ],
  [
    "script-src https:",
    "script",
    "data:text/javascript,0",
    "blocked",
    { directive: "script-src" },
    /names data:$/,
  ],
  ["script-src *", "script", "https://not a url/", "blocked", {}, /cannot be read/],
  [
    "script-src 'self' 'strict-dynamic'",
    "script",
    "/a.js",
    "blocked",
    { directive: "script-src" },
    /'strict-dynamic', so no host counts/,
  ],
  [
    "script-src 'self' 'strict-dynamic'",
    "worker",
    "/a.js",
    "allowed",
    { directive: "script-src", fallbackFor: "worker-src" },
    /'strict-dynamic'/,
  ],
  [
    "connect-src 'strict-dynamic' 'self'",
    "connection",
    "/a",
    "allowed",
    { directive: "connect-src", allowedBy: "'self'" },
  ],
  [
    "script-src 'self' 'url-sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "script",
    "/a.js",
    "blocked",
    { directive: "script-src" },
    /hash of a URL/,
  ],
  [
    "frame-src 'self' 'url-sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "frame",
    "/a",
    "allowed",
    { directive: "frame-src", allowedBy: "'self'" },
  ],
  [
    "script-src cdn.example.com/js/",
    "script",
    "https://cdn.example.com/js%2F..%2Fevil.js",
    "browsers-differ",
    { directive: "script-src", allowedBy: "cdn.example.com/js/" },
    /Chromium and Firefox/,
  ],
  // Of several policies the one that blocks counts, wherever it is.
  [
    "script-src *, default-src 'none'",
    "script",
    "/a.js",
    "blocked",
    { directive: "default-src", fallbackFor: "script-src" },
    /allows nothing$/,
  ],
  [
    "script-src *, script-src 'self'",
    "script",
    "/a.js",
    "allowed",
    { directive: "script-src", allowedBy: "*" },
  ],
  // What has no URL.
  [
    "script-src 'unsafe-inline'",
    "script",
    "inline",
    "allowed",
    { directive: "script-src", allowedBy: "'unsafe-inline'" },
  ],
  [
    "script-src 'unsafe-inline' 'nonce-abc'",
    "script",
    "inline",
    "blocked",
    { directive: "script-src" },
    /does not count/,
  ],
  [
    "script-src 'self'",
    "event-handler",
    "inline",
    "blocked",
    { directive: "script-src" },
    /no 'unsafe-inline'; a nonce never allows it, and a hash only beside 'unsafe-hashes'$/,
  ],
  [
    "style-src 'nonce-abc'",
    "style-attribute",
    "inline",
    "blocked",
    { directive: "style-src" },
    /no 'unsafe-inline'; a nonce never allows it, and a hash only beside 'unsafe-hashes'$/,
  ],
  // Browsers load images of pages on https by https, whatever the page says; not those of an IP address.
  [
    "img-src https:",
    "image",
    "http://img.example.net/a.png",
    "allowed",
    { directive: "img-src", allowedBy: "https:" },
  ],
  ["img-src a.test", "image", "http://192.0.2.1/a.png", "blocked", { directive: "img-src" }],
  [
    "default-src 'strict-dynamic' 'unsafe-inline'",
    "style",
    "inline",
    "blocked",
    { directive: "default-src", fallbackFor: "style-src" },
    /does not count/,
  ],
  [
    "style-src 'strict-dynamic' 'unsafe-inline'",
    "style-attribute",
    "inline",
    "allowed",
    { directive: "style-src", allowedBy: "'unsafe-inline'" },
  ],
  [
    "script-src-elem 'unsafe-eval'; script-src 'self'",
    "script",
    "eval",
    "blocked",
    { directive: "script-src" },
    /no 'unsafe-eval'$/,
  ],
  [
    "default-src 'unsafe-eval'",
    "script",
    "wasm-eval",
    "allowed",
    { directive: "default-src", fallbackFor: "script-src", allowedBy: "'unsafe-eval'" },
  ],
];

/** Sources, URL, the nearest of them, what fails, and what is compared there. */
const NEAREST: readonly (readonly [string, string, string, readonly string[], readonly string[]])[] = [
  [
    "https://cdn.example.net/js/",
    "https://cdn.example.net/lib/a.js",
    "https://cdn.example.net/js/",
    ["path"],
    ["/lib/a.js", "/js/"],
  ],
  [
    "cdn.example.net/JS/",
    "https://cdn.example.net/js/a.js",
    "cdn.example.net/JS/",
    ["path"],
    ["/js/a.js", "/JS/"],
  ],
  [
    "cdn.example.net/a.js cdn.example.net/lib/a.js",
    "https://cdn.example.net/lib/b.js",
    "cdn.example.net/lib/a.js",
    ["path"],
    ["/lib/b.js", "/lib/a.js"],
  ],
  [
    "cdn.example.net/js%2Fa.js",
    "https://cdn.example.net/js%2fb.js",
    "cdn.example.net/js%2Fa.js",
    ["path"],
    ["/js%2Fb.js", "/js%2Fa.js"],
  ],
  ["cdn.example.net", "http://cdn.example.net/a.js", "cdn.example.net", ["scheme"], ["http", "https"]],
  [
    "https://cdn.example.net",
    "wss://cdn.example.net/a",
    "https://cdn.example.net",
    ["scheme"],
    ["wss", "https"],
  ],
  ["cdn.example.net", "https://cdn.example.net:8443/a.js", "cdn.example.net", ["port"], ["8443", "443"]],
  [
    "http://cdn.example.net:8080",
    "https://cdn.example.net:8080/a.js",
    "http://cdn.example.net:8080",
    ["scheme"],
    ["https", "http"],
  ],
  [
    "http://cdn.example.net:8080",
    "https://cdn.example.net/a.js",
    "http://cdn.example.net:8080",
    ["port"],
    ["443", "8080"],
  ],
  [
    "cdn.example.net:8080/js/",
    "http://cdn.example.net:9090/a.js",
    "cdn.example.net:8080/js/",
    ["scheme", "port", "path"],
    ["http", "https", "9090", "8080", "/a.js", "/js/"],
  ],
  ["https:", "http://cdn.example.net/a.js", "https:", ["scheme"], ["http", "https"]],
  ["*.example.net", "https://example.net/a.js", "*.example.net", ["host"], ["example.net"]],
  ["a.test b.example.net", "https://cdn.example.net/a.js", "b.example.net", ["host"], ["cdn.example.net"]],
  ["'self'", "https://static.example.com/a.js", "'self'", ["host"], ["static.example.com"]],
  ["'self'", "https://shop.example.com:8443/a.js", "'self'", ["port"], ["8443", "443"]],
  ["js.example.net", "https://js.exmaple.net/a.js", "js.example.net", ["host"], ["js.exmaple.net"]],
  // A host that is named with another path is nearer than a host alike without one.
  [
    "b.example.net cdn.example.net/js/",
    "https://cdn.example.net/a.js",
    "cdn.example.net/js/",
    ["path"],
    ["/a.js", "/js/"],
  ],
];

/** Whether a directive of the text, which counts, decides about the kind. */
function isRestricted(text: string, kind: "script" | "connection"): boolean {
  const names =
    kind === "script" ? ["script-src-elem", "script-src", "default-src"] : ["connect-src", "default-src"];
  return parse(text).directives.some(({ name }) => names.includes(name));
}

describe("explain", () => {
  for (const [policy, kind, url, verdict, decided, says = /./] of CASES) {
    it(`${verdict}: ${kind} ${url} by ${policy}`, () => {
      const { reason, ...found } = explain(policy, { kind, url, pageUrl: PAGE });
      assert.deepEqual(found, { verdict, ...decided });
      assert.match(reason, says);
    });
  }

  for (const [sources, url, source, fails, compared] of NEAREST) {
    it(`names of ${sources} the one nearest to ${url}, and what it fails by`, () => {
      const { nearest, reason } = explain(`script-src ${sources}`, { kind: "script", url, pageUrl: PAGE });
      const { difference = "", ...found } = nearest ?? {};
      assert.deepEqual(found, { source, fails });
      for (const part of compared)
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

  it("gives the deciding directive, what it replaces, and the source", () => {
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

  it("agrees with matches, and reports that browsers differ where only some allow it", () => {
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
    const work = (count: number) => {
      const hosts = Array.from({ length: count }, (_, index) => `cdn${index}.exampel.org`).join(" ");
      explain(`script-src ${hosts}`, { kind: "script", url: "https://cdn.example.org/", pageUrl: PAGE });
    };
    assertLinear(work, { small: 2000, factor: 16, tolerated: 6 });
  });
});
