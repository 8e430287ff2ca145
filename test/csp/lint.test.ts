import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { LINT_RULES, lint } from "../../csp/src";
import { each } from "../support/each";

interface DocumentedRule {
  readonly ruleId: string;
  readonly severity: string;
  readonly syntax: boolean;
  readonly failing: string;
  readonly passing: string;
}

const HASH = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
/** Digests for valid hashes in both spellings of base64, and for hashes with one byte too few. */
const DIGESTS = [256, 384, 512].map((bits) => ({ bits, digest: Buffer.alloc(bits / 8, 0xfb) }));
const HASHES = DIGESTS.flatMap(({ bits, digest }) =>
  (["base64", "base64url"] as const).map((form) => `'sha${bits}-${digest.toString(form)}'`),
);
const SHORT_HASHES = DIGESTS.map(({ bits, digest }) => `'sha${bits}-${digest.toString("base64", 1)}'`);
const rules = documentedRules();
const only = (text: string, ruleId: string) => lint(text).filter((finding) => finding.ruleId === ruleId);
const ids = (text: string) => lint(text).map(({ ruleId }) => ruleId);

/** Rule, policy, and a pattern that the message matches or, after `!`, does not match. */
const MESSAGES = String.raw`
unknown-directive | scirpt-src 'self' | Did you mean script-src\?
unknown-directive | script-src: 'self' | Did you mean script-src\?
unknown-directive | zzzzzzzz 'self' | The service supports default-src,
unknown-directive | Content-Security-Policy: script-src 'self' | name of the header
unknown-directive | Content-Security-Policy-Report-Only: a | name of the header
unknown-directive | my-content-security-policy: a | !name of the header
unknown-directive | content-security-policy:x a | !name of the header
unknown-keyword | img-src 'unsafe-inlin' | Did you mean 'unsafe-inline'\?
unknown-keyword | script-src 'zzzzzzzz' | Only keywords and hashes are quoted
unsupported-directive | script-src-elem 'self' | Use script-src, which covers it
unsupported-directive | style-src-attr 'self' | Use style-src, which covers it
unsupported-directive | require-trusted-types-for 'script' | Leave it out
non-ascii | img-src https://*.bücher.example/ä | https://\*\.xn--bcher-kva\.example/%C3%A4
non-ascii | img-src aé..example | Write hosts in punycode
non-ascii | img-src bücher.example:x | Write hosts in punycode
hash-format | script-src 'sha256-abc' | 44 characters of base64 \(32 bytes\)
hash-format | script-src 'sha256-a$b' | 44 characters of base64 \(32 bytes\)
hash-format | script-src 'sha384-abc' | 64 characters of base64 \(48 bytes\)
hash-format | script-src 'sha384-a$b' | 64 characters of base64 \(48 bytes\)
hash-format | script-src 'sha512-abc' | 88 characters of base64 \(64 bytes\)
hash-format | script-src 'sha512-a$b' | 88 characters of base64 \(64 bytes\)
hash-format | script-src 'sha256-${"ab".repeat(32)}' | hexadecimal
script-scheme | script-src blob: | a page builds from text
script-scheme | script-src filesystem: | a page builds from text
script-scheme | script-src moz-extension: | any extension of a visitor's browser
script-scheme | script-src about: | do not come from the web
script-scheme | script-src extension-of-ours: | do not come from the web
unlisted-keyword | script-src 'eval-sha256-${HASH}' | !nothing by host
unlisted-keyword | script-src 'url-sha256-${HASH}' | nothing by host
blocks-inline | script-src 'self' | blocks inline scripts and event handlers, which
blocks-inline | script-src-elem 'self' | blocks inline scripts, which
blocks-inline | default-src 'self' | event handlers, inline styles and style attributes, which
unrestricted-sending | script-src 'self' | in connect-src, img-src and form-action\.
unrestricted-sending | connect-src 'self'; img-src *; form-action 'self' | image
unrestricted-sending | default-src *; script-src 'self'; form-action 'self' | ^default-src allows any host
missing-form-action | default-src 'self'; form-action * | allows any host
unrestricted-sending | default-src 'self'; form-action 'self'; connect-src https://*.co.uk | ^connect-src allows any host below co\.uk,
missing-form-action | default-src 'self'; form-action *.com | ^form-action allows any host below com,
broken-scheme | script-src HTTPS//a.example/X | ^HTTPS//a\.example/X does not .* Write https://a\.example/X\.$
non-ascii | img-src https://a.ex${"\u200b"}ample | ^https://a\.exU\+200Bample contains .* \(U\+200B, at character 13\), .* Write https://a\.example\.$
non-ascii | img-src 'self${"\ufeff"}' | U\+FEFF, at character 6
non-ascii | img-src a${"\u00a0"}b.example | aU\+00A0b\.example contains .*U\+00A0, at character 2
non-ascii | img-src 'self'${"\u00a0"}https://a.example | Write 'self' https://a\.example\.$
non-ascii | img-src https://a.example/${"\u2060"} | Write https://a\.example/\.$
non-ascii | img-src ${"\ufeff"} | Remove it\.$
broken-scheme | img-src 'self' data | ^Without a colon data is the name of a host\. Write data: for
non-ascii | img-src ${"\u{e0041}"}a.example | U\+E0041, at character 1
security-bypass | script-src ajax.googleapis.com | Name the path or the exact URL
security-bypass | script-src ajax.googleapis.com/ajax/libs/angularjs/ | !Name the path
security-bypass | script-src ajax.googleapis.com/ajax/libs/angularjs/ | Name the exact URL
covered-source | img-src * a.example 'self' | ^a.example adds nothing: \* is in
covered-source | img-src https: a.example | ^a.example adds nothing: https: is in
covered-source | img-src wss://a.example wss: | ^wss://a.example adds nothing: wss: is in
covered-source | img-src *.example a.b.example | ^a.b.example adds nothing: \*.example is in
covered-source | img-src a.example a.example/x/y.js | ^a.example/x/y.js adds nothing: a.example is in
covered-source | img-src a.example/x/ a.example/x/y/ | ^a.example/x/y/ adds nothing: a.example/x/ is in
covered-source | img-src a.example:* a.example:8443 | ^a.example:8443 adds nothing: a.example:\* is in
covered-source | img-src http://a.example a.example | ^a.example adds nothing: http://a.example is in
dead-unsafe-inline | default-src 'unsafe-inline' 'sha256-${HASH}' | : browsers allow inline scripts, event handlers, inline styles and style attributes only .* Remove 'unsafe-inline'
security-bypass | script-src www.google.com/recaptcha/ | libraries that run code from attributes
security-bypass | script-src *.paypal.com | www\.paypal\.com is known .* JSONP endpoints
security-bypass | script-src *.googleapis.com | JSONP endpoints, Angular libraries and libraries that run code from attributes,
security-bypass | script-src challenges.cloudflare.com | call a function named in the URL: check
security-bypass | script-src www.youtube.com | exact URL
security-bypass | script-src www.youtube.com/oembed | !exact URL
`;

/** Rule, severity (`no`: no finding), the start of a policy, and sources, each of which is tested alone after that start. */
const REPORTED = `
script-scheme | medium | script-src | chrome-extension: moz-extension://abc safari-web-extension: filesystem: blob: about:
script-scheme | no | script-src 'self'; img-src | chrome-extension: moz-extension://abc filesystem: blob: about:
local-source | medium | script-src | localhost https://localhost:3000 a.localhost printer.local 127.0.0.1 10.1.2.3
local-source | medium | script-src | 172.16.0.1 192.168.1.1:8080 169.254.169.254 100.64.0.1 *.localhost
local-source | no | script-src 'self'; connect-src | localhost a.localhost printer.local 127.0.0.1 10.1.2.3 *.localhost
local-source | no | script-src | 8.8.8.8 172.32.0.1 100.128.0.1 localhost.example local.example 10.example
wildcard-in-path | high | img-src | a.example/*.js https://*.a.example:*/a/* http://a.example/*
wildcard-in-path | no | img-src | a.example/%2A.js https://*.a.example:*/a/%2a *.a.example a.example/a?b=* *:*
wildcard-in-host | high | img-src | https://a.*.example:8443/x a.*/b *a.example http://*a/
wildcard-in-host | no | img-src | https://a_b/* a_b:* a_b/x:*y
wrong-quotes | high | script-src | "self" ‘self’ “none” \`self\` 'self self' "sha256-abc"
nonce | no | img-src | a.example/nonce-1
query-in-source | no | img-src | a_b/x?y
query-in-source | no | report-uri | /csp?x=1
ip-source | no | img-src | 1.2.3.4.example a1.2.3.4 127.0.0.1
ip-source | info | img-src | 10.20.30.40
missing-semicolon | no | img-src | sandbox
security-missing-script-src | medium | sandbox | allow-scripts
security-missing-script-src | no | sandbox | allow-forms
unlisted-keyword | no | script-src | 'sha256-${HASH}'
hash-format | high | script-src | 'eval-sha256-abc'
dead-unsafe-inline | no | script-src 'unsafe-inline' | 'eval-sha256-${HASH}' 'url-sha256-${HASH}'
dead-unsafe-inline | no | script-src | 'sha256-${HASH}'
dead-unsafe-inline | medium | script-src-attr 'unsafe-inline' | 'sha256-${HASH}'
unrestricted-sending | low | script-src 'self'; connect-src *; img-src https:; form-action | *:*
unrestricted-sending | low | default-src 'self'; form-action 'self'; connect-src | * https: wss:
unrestricted-sending | low | default-src 'self'; form-action 'self'; connect-src | * https: http: https://* http://* *:* *:443 https://*:443 https://*/ *.com https://*.co.uk *.com:443 *.workers.dev wss://* ws:
unrestricted-sending | low | default-src 'self'; form-action 'self'; img-src | * https: http: https://* http://* *:* *:443 https://*:443 https://*/ *.com https://*.co.uk *.com:443 *.workers.dev wss://* ws:
unrestricted-sending | no | default-src 'self'; form-action 'self'; connect-src | *.example.com ftp://* https://example.com
unrestricted-sending | no | default-src 'self'; img-src | 'self' *.a.example data:
missing-form-action | low | default-src 'self'; form-action | * https: http: https://* http://* *:* *:443 https://*:443 https://*/ *.com https://*.co.uk *.com:443 *.workers.dev wss://* ws:
missing-form-action | no | default-src 'self'; form-action | *.example.com ftp:
broken-scheme | high | script-src | https//a.example http//a.example wss//a.example https:/a.example https:a.example https//*.a.example/x HTTPS//a.example blob
broken-scheme | no | script-src | https://a.example https: https.example https:443 https https/
invalid-source | no | script-src | https:/a.example https:a.example
unrestricted-sending | no | form-action 'self'; default-src | 'self' *
missing-form-action | no | default-src 'self'; form-action 'self' *.example.com | data:
hash-format | no | script-src | ${HASHES.join(" ")}
hash-format | high | script-src | ${SHORT_HASHES.join(" ")}
unlisted-keyword | medium | script-src | 'url-sha256-${HASH}' 'eval-sha256-${HASH}' 'strict-dynamic-url'
missing-form-action | low | default-src 'self'; form-action | * https: http: *:*
covered-source | no | img-src a.example | a.example:8443 http://a.example/x
covered-source | no | img-src *.a.example a.example | wss://b.a.example
covered-source | no | img-src *.a.example | a.example
covered-source | no | img-src a.example/x | a.example/x/
covered-source | no | img-src data: blob: | *
covered-source | no | script-src 'unsafe-inline' | *
covered-source | no | sandbox a | a
http-source | medium | script-src | http://a.example
http-source | medium | default-src | http://a.example
http-source | low | default-src http://a.example; script-src | 'self'
strict-dynamic | high | script-src 'strict-dynamic' | a.example
strict-dynamic | medium | script-src 'strict-dynamic' | 'sha256-${HASH}'
missing-base-uri | medium | script-src 'strict-dynamic' | 'sha256-${HASH}'
missing-base-uri | low | script-src | 'self'
blocks-inline | no | default-src 'unsafe-inline' | 'sha256-${HASH}'
security-unsafe-inline | no | default-src 'unsafe-inline' | 'sha256-${HASH}'
security-known-bad | high | script-src | polyfill.io cdn.polyfill.io. https://cdn.bootcss.com/jquery/ *.staticfile.net
security-known-bad | no | script-src | notpolyfill.io
security-bypass | no | script-src | polyfill.io cdn.polyfill.io cdn.bootcss.com *.staticfile.net
security-plain-scheme | no | default-src 'self' data:; script-src | 'self'
security-plain-scheme | high | default-src 'self' | data:
security-wildcard | no | default-src *; script-src | 'self'
security-wildcard | high | script-src 'self' | * https://* http://* https://*/ https://*:443 *:* https://*/js/
security-wildcard | high | default-src 'self' | * https://* http://* https://*/ https://*:443 *:* https://*/js/
security-bypass | high | script-src 'none' | ajax.googleapis.com
security-bypass | no | script-src | https://ajax.googleapis.com/ajax/libs/jquery/3.7.1/jquery.min.js
security-bypass | high | script-src | www.google.com/recaptcha/ www.gstatic.com/recaptcha/ www.paypal.com *.paypal.com
security-bypass | high | script-src | www.googletagmanager.com code.angularjs.org
security-bypass | no | script-src | www.gstatic.com/recaptcha/releases/ www.paypal.com/sdk/js
security-bypass | no | script-src | www.googletagmanager.com/gtag/
security-bypass | low | script-src | challenges.cloudflare.com js.hcaptcha.com/1/api.js
`;

describe("the table of docs/csp-lint-rules.md", () => {
  it("documents each rule once, under the name that switches it off", () => {
    assert.deepEqual(rules.map(({ ruleId }) => ruleId).sort(), [...LINT_RULES].sort());
  });

  for (const rule of rules) {
    it(`has a failing and a passing example of ${rule.ruleId}`, () => {
      const [finding] = only(rule.failing, rule.ruleId);
      assert.ok(finding, `${rule.failing}: found only ${ids(rule.failing).join(", ")}`);
      assert.equal(finding.severity, rule.severity);
      assert.equal(finding.syntax, rule.syntax);
      assert.ok(finding.message.length > 20 && /[.?]$/.test(finding.message), finding.message);
      assert.deepEqual(only(rule.passing, rule.ruleId), []);
    });
  }
});

describe("messages of lint", () => {
  const message = (text: string, ruleId: string) => only(text, ruleId)[0]?.message ?? "";

  for (const line of MESSAGES.split("\n").filter((one) => one !== "")) {
    const [ruleId = "", text = "", not, pattern = ""] =
      /^(.*?) \| (.*) \| (!?)(.*)$/.exec(line)?.slice(1) ?? [];
    it(`${not ? "do not match" : "match"} /${pattern}/ for ${text}`, () => {
      const found = message(text, ruleId);
      assert.ok(found !== "");
      (not ? assert.doesNotMatch : assert.match)(found, new RegExp(pattern));
    });
  }

  for (const line of REPORTED.trim().split("\n")) {
    const [ruleId = "", reported, before, sources = ""] = line.split(" | ");
    const expected = reported === "no" ? [] : [reported];
    for (const source of sources.split(" "))
      it(`report ${ruleId} for ${before} ${source} with severity ${reported}`, () =>
        assert.deepEqual(each(only(`${before} ${source}`, ruleId), "severity"), expected));
  }

  it("report a text without a directive as empty, and nothing else", () => {
    for (const text of ["", ";", " ; ;"]) assert.deepEqual(ids(text), ["empty-policy"]);
  });

  it("report a policy as too long from the first byte above the limit, with its whole text as the place", () => {
    const ofLength = (bytes: number) => `img-src ${"a".repeat(bytes - "img-src ".length)}`;
    const [finding] = only(ofLength(20_000), "over-long");
    assert.deepEqual(finding?.position, { offset: 0, length: 20_000 });
    const limit = Number(/about (\d+) bytes/.exec(finding?.message ?? "")?.[1]);
    assert.deepEqual(only(ofLength(limit), "over-long"), []);
    assert.equal(only(ofLength(limit + 1), "over-long").length, 1);
  });

  it("come with the worst first", () => {
    const order = ["high", "medium", "low", "info"];
    const found = lint("img-src http://a.example a.example a.example; script-src self 'unsafe-eval'");
    assert.equal(new Set(found.map(({ severity }) => severity)).size, 4, "the example has all severities");
    const ranks = found.map(({ severity, position, ruleId }) =>
      [order.indexOf(severity), String(position.offset).padStart(3, "0"), ruleId].join(" "),
    );
    assert.deepEqual(ranks, [...ranks].sort());
  });
});

describe("the data of lint", () => {
  it("includes csp_evaluator only once lint is called", () => {
    const { execFileSync } = require("node:child_process") as typeof import("node:child_process");
    const script = `
      require("./tools/test/transpile.cjs");
      const csp = require("./csp/src/index.ts");
      const loaded = () => Object.keys(require.cache).some((file) => file.includes("csp_evaluator"));
      const before = loaded();
      csp.lint("script-src a.example");
      console.log(JSON.stringify([before, loaded()]));`;
    const root = path.resolve(__dirname, "../..");
    const out = execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" });
    assert.deepEqual(JSON.parse(out), [false, true]);
  });
});

function documentedRules(): DocumentedRule[] {
  const text = readFileSync(path.resolve(__dirname, "../../docs/csp-lint-rules.md"), "utf8");
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) => {
    const [, ruleId, severity, syntax, , failing, passing] = row.split("|");
    return {
      ruleId: inCode(ruleId),
      severity: severity?.trim() ?? "",
      syntax: syntax?.trim() === "yes",
      failing: inCode(failing),
      passing: inCode(passing),
    };
  });
}

/** Returns the text between the backticks of a cell. Resolves its two notations. */
function inCode(cell = ""): string {
  const code = /`(.*)`/.exec(cell)?.[1] ?? "";
  return code
    .replace(/\[(.*?) ×(\d+)\]/g, (_, repeated: string, times: string) => repeated.repeat(Number(times)))
    .replace(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
