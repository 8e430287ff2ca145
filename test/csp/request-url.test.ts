import assert from "node:assert/strict";
import fc from "fast-check";
import { explain, matches } from "../../csp/src";
import * as requests from "../../csp/src/syntax/request-url";
import { parseUrl } from "../../provider/src/text/from-outside";
import { holds, words } from "./random";

const { decodePath, requestUrl, toRequestUrl, upgrade, withScheme } = requests;

describe("URLs that sources are compared with", () => {
  const paths: readonly [string, string][] = [
    ["/a%20b", "/a b"],
    ["/%61%62", "/ab"],
    ["/%2541", "/%41"],
    ["/%", "/%"],
    ["/%4", "/%4"],
    ["/%zz%41", "/%zzA"],
    ["/%C3%A9", "/é"],
    ["/%E2%82%AC", "/€"],
    ["/%F0%9F%98%80", "/😀"],
    ["/%C3", "/\u00c3"],
    ["/%C3%41", "/\u00c3A"],
    ["/%80a", "/\u0080a"],
    ["/%BF%C3%A9", "/\u00bfé"],
    ["/%E2%82", "/\u00e2\u0082"],
    ["/%F0%9F%98", "/\u00f0\u009f\u0098"],
    ["/%C0%80", "/\u00c0\u0080"],
    ["/%EF%BF%BD", "/\ufffd"],
    ["/%EF%BF", "/\u00ef\u00bf"],
    // An encoded slash becomes a lone surrogate, which no text decodes to, so it stays different from a slash.
    ["/a%2Fb%2f", "/a\ud800b\ud800"],
    ["/%C3%2F%A9", "/\u00c3\ud800\u00a9"],
    ["/%252F", "/%2F"],
    ["/%ED%A0%80", "/\u00ed\u00a0\u0080"],
  ];
  for (const [written, path] of paths) {
    it(`are decoded: ${written}`, () => assert.equal(decodePath(written), path));
  }

  it("are read with all parts, except a default port", () => {
    const [host, https] = ["a.example", "HTTPS://A.example:443/%61?b#c"];
    assert.deepEqual(toRequestUrl(https), { scheme: "https", host, path: "/a" });
    assert.deepEqual(toRequestUrl("/a", "http://a.example:81/c"), {
      scheme: "http",
      host,
      port: 81,
      path: "/a",
    });
    assert.equal(toRequestUrl("/a"), undefined);
  });

  it("are read as URL reads them, also plain ones that are parsed without URL", () => {
    const parts = [
      ...words(
        `a b- -c 0 1.2.3.4 0x1f xn-- xn--bcher-kva ab--cd . .. a.example _ A ü %41 %2e %2F @ : :80 :443 [ \\ ? # / //
        /. /.. /./ /.x /a. + ~ !$&'()*,;= ^ | { " <`,
      ),
      ...[" ", "\t", "\n", "`", "\ud800"],
    ];
    const text = fc
      .tuple(
        fc.constantFrom("", ...words("https:// http:// ws:// wss:// HTTPS:// https:/ https: ftp:// // /")),
        fc.oneof(fc.constant(""), fc.constantFrom("cdn.example", "a", "127.0.0.1", "1.example", "a.0")),
        fc.array(fc.constantFrom(...parts), { maxLength: 5 }),
      )
      .map(([scheme, host, rest]) => scheme + host + rest.join(""));
    holds(
      fc.property(text, fc.constantFrom("https://shop.example/cart/", "ws://b:81/c"), (one, base) => {
        fc.pre(/^(?:[a-z]+:\/\/|\.{0,2}\/)/i.test(one));
        const url = parseUrl(one, base);
        const expected = url && {
          scheme: url.protocol.slice(0, -1),
          host: url.hostname,
          ...(url.port === "" ? {} : { port: Number(url.port) }),
          path: decodePath(url.pathname),
        };
        assert.deepEqual(toRequestUrl(one, base), expected, JSON.stringify(one));
      }),
      5000,
    );
  });

  for (const [text, expected] of [
    ["https://evil.example/x.js", "https://evil.example/x.js"],
    [" https://evil.example/x.js\n", "https://evil.example/x.js"],
    ["/a.js", "https://shop.example/a.js"],
    ["./a.js", "https://shop.example/cart/a.js"],
    ["../a.js", "https://shop.example/a.js"],
    ["//evil.example/a.js", "https://evil.example/a.js"],
    ["js.stripe.com/v3/", "https://js.stripe.com/v3/"],
    ["js.stripe.com", "https://js.stripe.com/"],
    ["JS.Stripe.com:8443?x", "https://js.stripe.com:8443/?x"],
    ["bücher.example/a.js", "https://xn--bcher-kva.example/a.js"],
    ["localhost:8080/a.js", "https://localhost:8080/a.js"],
    ["127.0.0.1/a.js", "https://127.0.0.1/a.js"],
    ["[::1]:3000", "https://[::1]:3000/"],
    ["data:image/svg+xml,<svg x='1 2'/>", "data:image/svg+xml,<svg x='1 2'/>"],
    ["blob:https://shop.example/1", "blob:https://shop.example/1"],
    ["data:", "data:"],
    ["javascript:0", "javascript:0"],
    ["", undefined],
    ["  ", undefined],
    ["https:/evil.example/x.js", undefined],
    ["https:evil.example/x.js", undefined],
    ["https:\\\\evil.example\\x.js", undefined],
    ["https//evil.example/x.js", undefined],
    ["https://", undefined],
    ["'https://evil.example/x.js'", undefined],
    ['"https://evil.example/x.js"', undefined],
    ["<https://evil.example/x.js>", undefined],
    ["https://evil.example/a b.js", "https://evil.example/a%20b.js"],
    ["https://evil example/x.js", undefined],
    ["Refused to load the script 'https://evil.example/x.js' because …", undefined],
    ["Content-Security-Policy: The page’s settings", undefined],
    ["script-src 'self'", undefined],
    ["script-src", undefined],
    ["'self'", undefined],
    ["*.example.com", undefined],
    ["a.js", undefined],
    ["site.webmanifest", undefined],
    ["main.js.map", undefined],
    ["intro.mp4?x", undefined],
    ["icons.eot", undefined],
    ["terms.pdf", undefined],
    ["lib/a.js", undefined],
    ["app.min.js?v=3", undefined],
    ["?a=b", undefined],
    ["#a", undefined],
    ["evil.example:x/a.js", undefined],
    ["hxxps://evil[.]example/x.js", undefined],
  ] as const)
    it(`include ${expected ?? "no URL"} for the text ${JSON.stringify(text)}`, () => {
      const pageUrl = "https://shop.example/cart/";
      assert.equal(requestUrl(text, pageUrl)?.href, expected);
      if (expected !== undefined) return;
      for (const policy of ["script-src 'self'", "script-src *", "script-src https:"]) {
        assert.equal(matches(policy, { kind: "script", url: text, pageUrl }), false);
        const { verdict, reason } = explain(policy, { kind: "script", url: text, pageUrl });
        assert.equal(verdict, "blocked");
        assert.match(reason, /^it cannot be read as a URL, so it was not compared: /);
      }
    });

  it("get https only if the service leaves the scheme out", () => {
    for (const [given, expected] of [
      ["a.example/b", "https://a.example/b"],
      ["http://a", "http://a"],
      ["X+1.-://a", "X+1.-://a"],
      ["1://a", "https://1://a"],
      ["a.example/http://b", "https://a.example/http://b"],
      ["a:80", "https://a:80"],
    ])
      assert.equal(withScheme(given ?? ""), expected);
  });

  it("are upgraded, except those of loopback hosts", () => {
    const url = (scheme: string, name: string, port?: number) => {
      const parts = { scheme, host: name, path: "/" };
      return port === undefined ? parts : { ...parts, port };
    };
    assert.deepEqual(upgrade(url("http", "a")), url("https", "a"));
    assert.deepEqual(upgrade(url("ws", "a", 8080)), url("wss", "a", 8080));
    assert.deepEqual(upgrade(url("http", "a", 443)), url("https", "a"));
    for (const same of [url("https", "a"), url("wss", "a", 1), url("data", "a")])
      assert.deepEqual(upgrade(same), same);
    for (const loopback of ["127.0.0.1", "127.255.0.9", "[::1]", "localhost", "shop.localhost", "localhost."])
      assert.equal(upgrade(url("http", loopback)).scheme, "http", loopback);
    for (const other of words("128.0.0.1 127.0.0.1.example 1127.0.0.1 localhost.example alocalhost [::11]"))
      assert.equal(upgrade(url("http", other)).scheme, "https", other);
  });
});
