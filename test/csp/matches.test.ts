import assert from "node:assert/strict";
import fc from "fast-check";
import { compile, matches, parse } from "../../csp/src";
import { HOSTS, holds, policyText, request, source } from "./random";

const PAGE = "https://shop.example/cart";

const URL_HASH = "'url-sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** Policy, kind, URL and page of requests that browsers allow. */
const ALLOWED: readonly (readonly [string, "script" | "connection", string, string?])[] = [
  ["img-src 'none'", "script", "https://cdn.example/a.js"],
  ["", "connection", "https://api.example/"],
  ["default-src cdn.example", "script", "https://cdn.example/a.js"],
  ["script-src-elem cdn.example; script-src 'none'", "script", "https://cdn.example/a.js"],
  ["script-src cdn.example; default-src 'none'", "script", "https://cdn.example/a.js"],
  ["connect-src api.example; default-src 'none'", "connection", "https://api.example/v1?x=1"],
  ["script-src 'self'", "script", "https://shop.example:443/a.js"],
  ["script-src 'self'", "script", "/a.js"],
  ["script-src 'self'", "script", "https://shop.example/a.js", "http://shop.example/"],
  ["connect-src 'self'", "connection", "wss://shop.example/live"],
  ["script-src 'self'", "script", "https://shop.example:8443/a.js", "http://shop.example:8443/"],
  // The standard blocks this: the page has no port, and the URL has port 80.
  ["script-src 'self'", "script", "https://shop.example:80/a.js", "http://shop.example/"],
  ["connect-src 'self'", "connection", "ws://shop.example/live", "http://shop.example/"],
  ["script-src 'self'", "script", "https://shop.example/a.js", "shop.example/page-without-scheme"],
  ["script-src http://cdn.example", "script", "https://cdn.example/a.js"],
  ["connect-src ws://api.example", "connection", "wss://api.example/"],
  ["script-src CDN.Example", "script", "https://cdn.example/a.js"],
  ["script-src *.example", "script", "https://a.b.example/a.js"],
  ["script-src *", "script", "https://anything.test/a.js"],
  ["connect-src *", "connection", "wss://anything.test/"],
  ["script-src cdn.example:*", "script", "https://cdn.example:8443/a.js"],
  ["script-src cdn.example:443", "script", "https://cdn.example/a.js"],
  ["script-src http://cdn.example:80", "script", "https://cdn.example/a.js"],
  ["script-src cdn.example:80", "script", "https://cdn.example/a.js", "http://shop.example/"],
  ["script-src http://cdn.example:443", "script", "https://cdn.example/a.js"],
  ["script-src http://cdn.example:443", "script", "http://cdn.example:443/a.js", "http://shop.example/"],
  ["script-src *", "script", "app://anything.test/a.js", "app://shop.example/"],
  ["connect-src 'self'", "connection", "wss://shop.example/live", "http://shop.example/"],
  ["script-src cdn.example/js/", "script", "https://cdn.example/js/deep/a.js"],
  ["script-src cdn.example/a%20b.js", "script", "https://cdn.example/a b.js"],
  ["script-src cdn.example/%E9.js", "script", "https://cdn.example/é.js"],
  ["script-src cdn.example/a.js?v=1", "script", "https://cdn.example/a.js?v=2"],
  ["script-src data:", "script", "data:text/javascript,0"],
  ["connect-src blob:", "connection", "blob:https://shop.example/1"],
  ["script-src 10.1.2.3", "script", "https://10.1.2.3/a.js"],
  ["script-src 'none' cdn.example", "script", "https://cdn.example/a.js"],
  ["script-src https:; upgrade-insecure-requests", "script", "http://cdn.example/a.js"],
  ["script-src https:; upgrade-insecure-requests, script-src https:", "script", "http://cdn.example/a.js"],
  ["connect-src 'strict-dynamic' api.example", "connection", "https://api.example/"],
  ["script-src cdn.example; script-src 'none'", "script", "https://cdn.example/a.js"],
  // Browsers compare the page's own URL, although its origin in a sandbox is opaque.
  ["script-src 'self'; sandbox allow-scripts", "script", "https://shop.example/a.js"],
];

const BLOCKED: typeof ALLOWED = [
  ["script-src https:; sandbox", "script", "https://cdn.example/a.js"],
  ["script-src http://cdn.example", "script", "http://cdn.example:443/a.js", "http://shop.example/"],
  ["script-src https:; upgrade-insecure-requests", "script", "http://localhost/a.js", "http://shop.example/"],
  ["script-src 'none'", "script", "https://cdn.example/a.js"],
  ["script-src", "script", "https://cdn.example/a.js"],
  ["default-src 'none'", "connection", "https://api.example/"],
  ["script-src-elem 'none'; script-src *", "script", "https://cdn.example/a.js"],
  ["script-src 'self'", "script", "https://www.shop.example/a.js"],
  ["script-src 'self'", "script", "https://shop.example:8443/a.js"],
  ["script-src 'self'", "script", "http://shop.example/a.js"],
  ["script-src 'self'", "script", "https://shop.example/a.js", "http://shop.example:443/"],
  ["connect-src 'self'", "connection", "wss://shop.example/", "http://shop.example:443/"],
  ["script-src self", "script", "https://shop.example/a.js"],
  ["script-src https://cdn.example", "script", "http://cdn.example/a.js", "http://shop.example/"],
  ["script-src cdn.example", "script", "http://cdn.example/a.js"],
  ["connect-src api.example", "connection", "wss://api.example/"],
  ["connect-src api.example", "connection", "ws://api.example/", "http://shop.example/"],
  ["connect-src https:", "connection", "wss://api.example/"],
  ["script-src *.example.com", "script", "https://example.com/a.js"],
  ["script-src cdn.*.com", "script", "https://cdn.example.com/a.js"],
  ["script-src *", "script", "data:text/javascript,0"],
  ["connect-src *", "connection", "blob:https://shop.example/1"],
  ["script-src cdn.example", "script", "https://cdn.example:8443/a.js"],
  ["script-src cdn.example:80", "script", "https://cdn.example/a.js"],
  ["script-src http://cdn.example:80", "script", "https://cdn.example:8443/a.js"],
  ["script-src *", "script", "app://anything.test/a.js"],
  ["script-src 'self'", "script", "https://shop.example/a.js", "no page at all/"],
  ["script-src http://cdn.example:8080", "script", "https://cdn.example:8080/a.js"],
  ["script-src http://cdn.example:8080", "script", "https://cdn.example/a.js"],
  ["connect-src ws://api.example", "connection", "https://api.example/"],
  ["script-src cdn.example/js", "script", "https://cdn.example/js/a.js"],
  ["script-src cdn.example/JS/", "script", "https://cdn.example/js/a.js"],
  ["script-src 'strict-dynamic' cdn.example", "script", "https://cdn.example/a.js"],
  ["script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='", "script", "https://cdn.example/a.js"],
  // In Chromium such a hash disables the hosts, although only an experiment uses the hash.
  [`script-src 'self' ${URL_HASH}`, "script", "https://shop.example/"],
  [`connect-src * ${URL_HASH}`, "connection", "https://shop.example/"],
  ["script-src *, script-src 'none'", "script", "https://cdn.example/a.js"],
  ["script-src [::1]", "script", "https://[::1]/a.js"],
  ["script-src *", "script", "https://not a url/"],
];

describe("matches", () => {
  for (const cases of [ALLOWED, BLOCKED])
    for (const [policy, kind, url, pageUrl = PAGE] of cases)
      it(`${cases === ALLOWED ? "allows" : "blocks"} ${url} by ${policy || "an empty policy"}`, () =>
        assert.equal(matches(policy, { kind, url, pageUrl }), cases === ALLOWED));

  // The standard splits a path at its slashes and then decodes; Chromium and Firefox decode first.
  const divided: readonly (readonly [source: string, url: string, isAllowed: boolean])[] = [
    ["cdn.example/js/", "https://cdn.example/js%2F..%2Fevil.js", false],
    ["cdn.example/js/", "https://cdn.example/js%2fapp.js", false],
    ["cdn.example/js/app.js", "https://cdn.example/js%2Fapp.js", false],
    ["cdn.example/js%2Fapp.js", "https://cdn.example/js/app.js", false],
    ["cdn.example/js%2F", "https://cdn.example/js/app.js", false],
    ["cdn.example/js%2F", "https://cdn.example/js%2Fapp.js", false],
    ["cdn.example/js%2F", "https://cdn.example/js%2f", true],
    ["cdn.example/js%2Fapp.js", "https://cdn.example/js%2fapp.js", true],
    ["cdn.example/js%2F/", "https://cdn.example/js%2f/app.js", true],
    ["cdn.example/js/", "https://cdn.example/js/a%2Fb.js", true],
    ["cdn.example/js/ cdn.example", "https://cdn.example/js%2Fapp.js", true],
    ["cdn.example/js%2F cdn.example/js/", "https://cdn.example/js/app.js", true],
    ["cdn.example/js/ cdn.example/js%2F", "https://cdn.example/js%2F", true],
  ];
  for (const [sources, url, isAllowed] of divided) {
    // With this many other sources, each source is looked up, not compared.
    for (const others of ["", Array.from({ length: 8 }, (_, index) => `h${index}.example`).join(" ")]) {
      it(`${isAllowed ? "allows" : "blocks"} ${url} by ${sources}${others && " and others"}, although some browser allows it by each source`, () => {
        const request = { kind: "script", url, pageUrl: PAGE } as const;
        const compiled = compile(`script-src ${others} ${sources}`);
        assert.equal(compiled.allows(request), isAllowed);
        assert.deepEqual([...compiled.sourcesFor(request)].sort(), sources.split(" ").sort());
      });
    }
  }

  it("still reads a host beyond ASCII after many thousand calls", () => {
    const compiled = compile("script-src xn--bcher-kva.example");
    const one = { kind: "script", url: "https://b\u00fccher.example/a.js", pageUrl: PAGE } as const;
    const wrong = Array.from({ length: 20_000 }, () => compiled.allows(one)).indexOf(false);
    assert.equal(wrong, -1, `the call of number ${wrong} was answered otherwise`);
  });

  it("decides the same for a text, its parsed form and the compiled policy", () => {
    holds(
      fc.property(policyText, fc.array(request, { maxLength: 5 }), (text, requests) => {
        const compiled = compile(text);
        for (const one of requests) {
          assert.equal(compiled.allows(one), matches(text, one));
          assert.equal(compiled.allows(one), matches(parse(text), one));
        }
      }),
    );
  });

  it("decides the same with any number of sources for other hosts and paths, which it looks up", () => {
    const many = [...HOSTS, "*.a.example", "*"].flatMap((host) =>
      Array.from({ length: 9 }, (_, index) => `http://${host}:81/never-${index}/`),
    );
    const hosts = Array.from({ length: 9 }, (_, index) => `host-${index}.never.test`);
    holds(
      fc.property(fc.array(source, { minLength: 1, maxLength: 8 }), request, (sources, one) => {
        const name = one.kind === "script" ? "script-src" : "connect-src";
        const others = [name, ...hosts, ...many, ...sources].join(" ");
        assert.equal(matches(others, one), matches([name, ...sources].join(" "), one));
      }),
      1000,
    );
  });

  it("never allows less when a source is added to a list that allows something", () => {
    holds(
      fc.property(policyText, request, (sources, one) => {
        const list = sources
          .split(/[\s;]+/)
          .filter((word) => !/strict-dynamic|url-sha|-src|upgrade/.test(word));
        const all = ["default-src", ...list].join(" ");
        for (const index of list.keys()) {
          const fewer = ["default-src", ...list.toSpliced(index, 1)].join(" ");
          assert.ok(!matches(fewer, one) || matches(all, one), `${fewer} | ${all}`);
        }
      }),
    );
  });
});
