import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectRefusals, pageGuard, printed, useDesk, zoneId } from "./support/console";

const page = "https://shop.example.com/pay";
const policy = "script-src 'self' https://cdn.example.com/js/; connect-src 'self'";
const explain = (...args: readonly string[]) =>
  pageGuard(["explain", "--policy", policy, "--page", page, ...args]);

/** A report that Chromium sends to `report-uri`. */
const violation = {
  "document-uri": page,
  referrer: "",
  "violated-directive": "script-src-elem",
  "effective-directive": "script-src-elem",
  "original-policy": "script-src 'self'; report-uri /csp",
  disposition: "enforce",
  "blocked-uri": "https://cdn.example.com/js/a.js",
  "line-number": 7,
  "status-code": 200,
};
/** Reports that Chromium sends by the Reporting API, including one of another type. */
const reports = [
  {
    age: 12,
    type: "csp-violation",
    url: page,
    user_agent: "x",
    body: {
      documentURL: page,
      blockedURL: "inline",
      effectiveDirective: "script-src-elem",
      originalPolicy: "script-src 'self'",
      disposition: "report",
      sample: "",
    },
  },
  { age: 1, type: "deprecation", url: page, body: { id: "x" } },
];

/** Runs explain with a text on standard input. */
const read = (stdin: string, ...flags: readonly string[]) => pageGuard(["explain", ...flags, "-"], { stdin });
const lines = (...list: readonly object[]) => list.map((one) => JSON.stringify(one)).join("\n");
const explainReports = (...list: readonly object[]) =>
  read(lines(...list.map((report) => ({ "csp-report": report }))));

describe("page-guard explain", () => {
  const open = useDesk();

  for (const [what, args, code, ...said] of [
    [
      "an allowed URL, then it names directive and source",
      ["https://cdn.example.com/js/a.js", "/own.js"],
      0,
      /^allowed {2}script https:\/\/cdn\.example\.com\/js\/a\.js\n {2}script-src allows it by https:\/\/cdn\.example\.com\/js\/$/m,
      /^allowed {2}script https:\/\/shop\.example\.com\/own\.js\n {2}given as \/own\.js\n {2}script-src allows it by 'self'\n\n2 allowed\.\n$/m,
    ],
    [
      "a URL of a company, then it names the company",
      ["https://js.stripe.com/v3/"],
      2,
      /^blocked {2}script https:\/\/js\.stripe\.com\/v3\/ \(Stripe, payments\)$/m,
    ],
    [
      "a blocked and an allowed URL, then it names the nearest source and why that fails",
      ["https://cdn.example.com/lib/a.js", "/own.js"],
      2,
      /^blocked {2}script https:\/\/cdn\.example\.com\/lib\/a\.js$/m,
      / nearest is https:\/\/cdn\.example\.com\/js\/, .* \/lib\/a\.js .* \/js\/$/m,
      /^1 allowed, 1 blocked\.$/m,
    ],
    [
      "a request on which browsers differ, then it says so",
      ["https://cdn.example.com/js%2Fa.js"],
      2,
      /^differs {2}script .*\n {2}script-src allows .* Chromium and Firefox, .* blocks .* standard$/m,
      /^browsers differ on 1\.$/m,
    ],
    [
      "the URL of a WebSocket, then its directive decides",
      ["wss://api.example.com/"],
      2,
      /^blocked {2}connec.*\n {2}.*connect-src/,
    ],
    [
      "--kind, then the directive of that kind decides",
      ["--kind", "image", "/a.png"],
      0,
      /^allowed {2}image .*\n.*\n {2}the policy restricts no images$/m,
    ],
    ["an unknown kind, then it fails", ["--kind", "thing", "/a.png"], 1],
  ] as const)
    it(`given ${what}, and exits with ${code}`, async () => {
      const ended = await explain(...args);
      assert.equal(ended.code, code);
      for (const text of said) assert.match(ended.out, text);
    });

  it("given the policy in a file, or on standard input with the header name, then the output is the same", async () => {
    const { folder, pageGuard: run } = await open();
    writeFileSync(join(folder, "policy.txt"), `${policy}\n`);
    const rest = ["--page", page, "https://cdn.example.com/lib/a.js"];
    const byText = await run(["explain", "--policy", policy, ...rest]);
    assert.deepEqual(await run(["explain", "--policy", "policy.txt", ...rest]), byText);
    const stdin = `Content-Security-Policy: ${policy}\r\n`;
    assert.deepEqual(await run(["explain", "--policy", "-", ...rest], { stdin }), byText);
  });

  it("given several policies, one per line, then a URL is allowed if all of them allow it", async () => {
    const asked = ["explain", "--policy", "-", "--page", page, "https://cdn.example.com/a.js"];
    const ask = (...lines: readonly string[]) => pageGuard(asked, { stdin: lines.join("\r\n") });
    const open = "script-src https:";
    const out = await printed(ask(open, "default-src 'self'"), 2);
    assert.match(out, /^ {2}line 1 of the policy: script-src allows it by https:$/m);
    assert.match(out, /^ {2}line 2 of the policy: no source of default-src .* host is cdn\.example\.com$/m);
    assert.equal((await ask(open, "frame-ancestors 'none'", "")).code, 0);
    const logged = await printed(ask(open, "Content-Security-Policy-Report-Only: default-src 'self'"), 0);
    assert.match(logged, /line 2 of the policy: .*, but the policy only logs this$/m);
    assert.equal((await ask("default-src 'self';", "  script-src https:")).code, 0);
  });

  for (const [lines, code] of [
    ["upgrade-insecure-requests, script-src https:", 0],
    ["upgrade-insecure-requests\nscript-src https:", 0],
    ["script-src https:\nimg-src *; Upgrade-Insecure-Requests", 0],
    ["Content-Security-Policy-Report-Only: upgrade-insecure-requests\nscript-src https:", 2],
    ["script-src https:\nstyle-src upgrade-insecure-requests", 2],
    ["Content-Security-Policy-Report-Only: sandbox;upgrade-insecure-requests\nupgrade-insecure-requests", 0],
    ["Content-Security-Policy-Report-Only: sandbox\nscript-src http:", 0],
    ["sandbox\nscript-src http:", 2],
    ["upgrade-insecure-requests \u00e9\nscript-src https:", 2],
    [
      "Content-Security-Policy-Report-Only: upgrade-insecure-requests;upgrade-insecure-requests\nscript-src https:",
      2,
    ],
  ] as const)
    it(`given ${lines.replace("\n", " and ")}, then it upgrades a URL as browsers do, and exits with ${code}`, async () => {
      const url = "http://cdn.example.com/a.js";
      const said = await pageGuard(["explain", "--policy", lines, "--page", page, url]);
      assert.equal(said.code, code, said.out + said.err);
    });

  it("given upgrade-insecure-requests in a policy that only logs, then it upgrades nothing", async () => {
    const policy = "upgrade-insecure-requests; script-src https:";
    const asked = { ...violation, "blocked-uri": "http://cdn.example.com/a.js", "original-policy": policy };
    assert.match(
      await printed(explainReports({ ...asked, disposition: "report" }), 2),
      /no source of script-src allows it; the nearest is https:, but the scheme is http/,
    );
    assert.match(await printed(explainReports(asked), 2), /allows it by https:, yet it was reported/);
  });

  it("given reports of the Reporting API, or one per line, then it explains each different CSP report once", async () => {
    const [first = {}] = reports;
    const list = await read(JSON.stringify(reports));
    assert.equal(list.code, 2);
    const why = String.raw`only reported: the policy was not enforced\n {2}script-src has no 'unsafe-inline'`;
    assert.match(list.out, new RegExp(String.raw`^blocked {2}script inline\n {2}${why}`));
    assert.match(list.out, /^Not explained: a report of type deprecation is not about a policy\.$/m);
    const { out } = await read(lines(first, { "csp-report": violation }, first));
    assert.match(out, /^2 blocked\.$/m);
  });

  it("given reports without a URL, or of directives without URLs, then it explains them", async () => {
    // The blocked URI (empty in old browsers for inline code), the violated directive, the policy, and the expected output.
    const cases = String.raw`
data | img-src | default-src 'self' | ^blocked {2}image data:$
 | script-src 'self' https: | default-src 'self' | ^blocked {2}script inline$
eval | script-src | default-src 'self' | script eval\n.*\(for script-src\) has no 'unsafe-eval'$
inline | script-src-attr | default-src 'self' | ^blocked {2}event-handler inline$
https://a.example | child-src | child-src 'self' | ^blocked {2}frame https:
https://a.example | frame-ancestors | frame-ancestors 'none' | does not name the page that frames this one
https://a.example | sandbox | sandbox | sandbox lacks the keyword
https://a.example | require-trusted-types-for | require-trusted-types-for 'script' | does not let plain text become code
trusted-types-sink | require-trusted-types-for | require-trusted-types-for 'script' | does not let plain text
trusted-types-sink | require-trusted-types-for | default-src 'self' | the policy has no require-trusted-types-for, yet
trusted-types-policy | trusted-types | trusted-types one | does not name the Trusted Types policy
https://a.example | default-src | default-src 'self' | no source of default-src allows it
https://a.example | prefetch-src | prefetch-src 'self' | prefetch-src allows it; most browsers do not
https://a.example | prefetch-src | default-src 'self' | prefetch-src allows it; most browsers do not`;
    for (const row of cases.split("\n").slice(1)) {
      const [blocked = "", directive, policy, expected = ""] = row.split(" | ");
      const reported = { "document-uri": page, "blocked-uri": blocked, "original-policy": policy };
      const out = await printed(explainReports({ ...reported, "violated-directive": directive }), 2);
      assert.match(out, new RegExp(expected, "m"), row);
    }
  });

  it("given a report about default-src, then its URL is allowed only if the policy allows it as every kind", async () => {
    const changed = { "effective-directive": "default-src", "original-policy": "default-src 'self'" };
    const report = lines({ "csp-report": { ...violation, ...changed } });
    for (const [given, code] of [
      ["default-src https://cdn.example.com", 0],
      ["default-src https://cdn.example.com; img-src 'none'", 2],
      ["default-src 'none'; script-src https://cdn.example.com", 2],
    ] as const)
      await printed(read(report, "--policy", given), code);
  });

  it("given only reports that cannot be explained, then it counts them and exits with 0", async () => {
    for (const [changed, said] of [
      [{ "blocked-uri": "chrome-extension" }, /browser extension/],
      [{ "blocked-uri": "mxjscall:abc" }, /URL of a visitor's app or browser/],
      [{ "blocked-uri": "se-extension://ext/a" }, /URL of a visitor's app or browser/],
      [{ "blocked-uri": "android-webview" }, /URL of a visitor's app or browser/],
      [{ "blocked-uri": "chromenull:" }, /URL of a visitor's app or browser/],
      [{ "source-file": "user-script:1" }, /browser extension/],
      [{ "blocked-uri": "wss://gc.kis.v2.scr.kaspersky-labs.com/a" }, /virus scanner/],
      [{ "document-uri": "about:srcdoc" }, /copy of a page/],
      [{ "document-uri": "file:///home/x/pay.html" }, /copy of a page/],
      [{ "document-uri": "https://shop-example-com.translate.goog/pay" }, /copy of a page/],
      [{ "document-uri": "https://web.archive.org/web/2026/https://shop.example.com/" }, /copy of a page/],
      [{ "effective-directive": "constructor" }, /a violation of constructor has no URL/],
    ] as const) {
      const out = await printed(explainReports({ ...violation, ...changed }), 0);
      assert.match(out, new RegExp(`^Not explained: .*${said.source}.*\\.\\n\\n?$`));
    }
  });

  it("given other entries among the reports, then it reads the reports and names the first other entry", async () => {
    const good = JSON.stringify({ "csp-report": violation });
    for (const [bad, why] of [
      ["{}", "fields are missing"],
      ["null", "fields are missing"],
      ["[]x", "it is not JSON"],
      [good.slice(0, 40), "it is not JSON"],
      [`2026-11-28T00:00:00Z collector: ${good}`, "it is not JSON"],
      ['[{"type":"csp-violation","url":"https://shop.example.com/","body":null}]', "fields are missing"],
      ['{"csp-report":[]}', "fields are missing"],
      ["7", "fields are missing"],
    ] as const) {
      const out = await printed(read([good, bad, good, bad, good].join("\n")), 2);
      assert.match(out, /^ {2}3 similar reports/m, bad);
      assert.ok(out.includes(`Not explained: 2 entries are not violation reports; the first: ${why} (`), out);
      assert.ok(out.includes(" (line 2)."), out);
    }
    const listed = await printed(read(JSON.stringify([{ "csp-report": violation }, null])), 2);
    assert.match(listed, /^Not explained: 1 entry is not .* \(entry 2\)\.$/m);
    const { "original-policy": _, ...bare } = violation;
    const mixed = await printed(explainReports(violation, bare), 2);
    assert.match(mixed, /^Not explained: 1 report does not contain the policy\.$/m);
  });

  it("given a report with the page outside of its body, or of type csp, then it reads it", async () => {
    const reported = { effectiveDirective: "script-src-elem", originalPolicy: "script-src 'self'" };
    const types = ["csp-violation", "csp"];
    const given = types.map((type) => ({ type, url: page, body: { ...reported, blockedURL: "inline" } }));
    const out = await printed(read(`\ufeff${lines(...given)}`), 2);
    assert.match(out, /^blocked {2}script inline\n {2}2 similar reports, one of them from https:\/\/shop/);
    assert.doesNotMatch(out, /Not explained/);
    // The names that an event in the page uses.
    const body = { ...reported, documentURI: page, blockedURI: "https://a.example/x.js" };
    const of = { type: "csp-violation", body };
    assert.match(await printed(read(lines(of)), 2), /^blocked {2}script https:\/\/a\.example\/x\.js$/m);
  });

  it("given logs of the service, then it explains them by the given policies", async () => {
    const event = {
      Action: "log",
      CSPDirective: "script-src-elem",
      Host: "shop.example.com",
      PageURL: page,
      PolicyID: "c9ef84a6bf5e47138c75d95e2f933e8f",
      ResourceType: "script",
      Timestamp: "2026-11-28T00:00:00Z",
      URL: "https://cdn.example.com/lib/a.js",
      URLHost: "cdn.example",
    };
    const other = { ...event, Action: "add_reporting_directives", Timestamp: undefined };
    const image = { ...event, Action: "allow", CSPDirective: "img-src", ResourceType: "other" };
    const hosts = { ...image, PageURL: "shop.example.com/pay", URL: "img.example/a.png" };
    const out = await printed(read(lines(event, other, hosts), "--policy", `${policy}; img-src 'self'`), 2);
    assert.match(
      out,
      /^blocked {2}script https:.*\n {2}2 similar reports.*\n {2}only reported.*\n {2}no sour/,
    );
    assert.match(
      out,
      /^blocked {2}image https:\/\/img\.example\/a\.png\n {2}no source .* names img\.example$/m,
    );
    assert.match((await read(lines(event))).err, /No report contains its policy/);
  });

  it("given no report at all, then it says why and exits with 1", async () => {
    const { "original-policy": _, ...bare } = violation;
    for (const [stdin, said] of [
      ["", /Nothing to explain: standard input is empty/],
      ["{}\n{", /not a violation report: fields are missing \(line 1\)/],
      ["{}", /not a violation report: fields are missing/],
      ['[{"type":"csp-violation"}]', /not a violation report: fields are missing/],
      ["[]", /Nothing to explain: standard input is empty/],
      [lines({ "csp-report": bare }), /No report contains its policy.*--policy/],
    ] as const) {
      const { code, err } = await read(stdin);
      assert.equal(code, 1, stdin);
      assert.match(err, said);
    }
  });

  it("given a report whose own policy allows the blocked URL, or may allow it, then it exits with 2", async () => {
    const own = { ...violation, "original-policy": "script-src https://cdn.example.com" };
    for (const more of [[], ["--policy", policy]]) {
      const out = await printed(read(lines({ "csp-report": own }), ...more), 2);
      assert.match(out, /it was redirected to a URL that is not allowed, or another policy of the page/);
    }
    const origin = { ...own, "blocked-uri": "https://cdn.example.com", "original-policy": policy };
    assert.match((await explainReports(origin)).out, /only the origin of the URL, so the path may match/);
  });

  it("given the reports of a day, then it groups them by directive, host and reason, and leaves out noise", async () => {
    const of = (path: string, nonce: string, host = "cdn.example.com") => ({
      ...violation,
      "document-uri": `https://shop.example.com/${nonce}`,
      "blocked-uri": `https://${host}${path}`,
      "original-policy": `script-src 'self' 'nonce-${nonce}'`,
    });
    const extension = { ...of("/x.js", "a"), "source-file": "moz-extension" };
    const masked = { ...of("", "a"), "blocked-uri": "webkit-masked-url://hidden/" };
    const inline = (nonce: string) => ({ ...of("", nonce), "blocked-uri": "inline" });
    const scanner = of("/a.js", "a", "gc.kaspersky-labs.com");
    const { code, out } = await explainReports(
      ...[of("/js/a.js", "a"), of("/js/b.js", "b"), of("/js/a.js", "c"), of("/", "d", "js.example.net")],
      ...[extension, masked, scanner, inline("a"), inline("b"), { ...of("", "a"), "blocked-uri": "eval" }],
    );
    assert.equal(code, 2);
    const similar = String.raw`^blocked {2}script https:\/\/cdn.*\n {2}3 similar reports, one of them from `;
    assert.match(out, new RegExp(String.raw`${similar}https:\/\/shop\.example\.com\/a$`, "m"));
    assert.match(out, /^Not explained: from a visitor's browser extension, .* \(2 reports\)\.$/m);
    assert.match(out, /^Not explained: from a visitor's virus scanner, not from the page\.$/m);
    assert.match(out, /^blocked {2}script inline\n {2}2 similar reports/m);
    assert.match(out, /^4 blocked\.$/m);
  });

  it("given --zone, then all enabled policies whose expression selects the page decide together", async () => {
    const { sim, pageGuard: run } = await open();
    const shop = 'http.host eq "shop.example.com"';
    const policies = [
      ["Shop", "allow", shop, "'self' js.pay.example"],
      ["Pay", "allow", 'starts_with(http.request.uri.path, "/pay")', "js.pay.example/v3/"],
      ["Cart", "allow", 'starts_with(http.request.uri.path, "/cart")', "'none'"],
      ["Some", "allow", "ip.src eq 1.2.3.4", "js.pay.example"],
      ["Next", "log", shop, "'none'"],
      ["Reporting", "add_reporting_directives", shop, "'none'"],
      ["Off", "allow", shop, "'none'"],
      ["Blog", "allow", 'http.host eq "blog.example.com"', "'none'"],
      ["Capitals", "allow", 'http.host eq "Shop.Example.com"', "'none'"],
      ["Pattern", "log", 'http.host wildcard "*.Example.com"', "'none'"],
    ].map(([description = "", action = "", expression = "", sources]) => ({
      description,
      action,
      expression,
      value: `script-src ${sources}`,
      enabled: description !== "Off",
    }));
    sim.zones.seed(zoneId, { policies });
    const base = ["explain", "--zone", zoneId, "--page", page];
    const out = await printed(run([...base, "https://js.pay.example/v3.js"]), 2);
    assert.match(out, /^blocked /);
    assert.match(out, /^ {2}policy Shop \(allow\): script-src allows .* js\.pay\.example$/m);
    const unsure = String.raw`\(it is not certain that the policy's expression selects the page: it tests ip\.src\)`;
    assert.match(out, new RegExp(String.raw`^ {2}policy Some \(allow\): .* ${unsure}$`, "m"));
    assert.match(out, /^ {2}policy Pay \(allow\): .* \/v3\.js .* \/v3\/$/m);
    assert.match(out, /^ {2}policy Next \(log\): script-src allows nothing, but the policy only logs this$/m);
    assert.match(out, /^ {2}policy Reporting \(add_reporting_directives\): .* the policy only logs this$/m);
    assert.match(out, /^ {2}policy Pattern \(log\): /m);
    assert.doesNotMatch(out, /Off|Blog|Cart|Capitals/);
    // A URL that only logging policies would block is allowed.
    const allowed = await run([...base, "https://js.pay.example/v3/a.js"]);
    assert.equal(allowed.code, 0, allowed.out);
    const other = ["--page", "https://other.example.com/", "--policy", policy, "/a.js"];
    const elsewhere = await run(["explain", "--zone", zoneId, ...other]);
    assert.match(elsewhere.out, /^ {2}the given policy: script-src allows .* 'self'$/m);
  });

  it("given --json or --sarif, then the output contains the findings", async () => {
    const { code, out } = await explain("--json", "/own.js", "https://cdn.example.com/lib/a.js");
    const document: {
      found: boolean;
      requests: { verdict: string; answers: { nearest?: { fails: string[] } }[] }[];
    } = JSON.parse(out);
    assert.equal(code, 2);
    assert.equal(document.found, true);
    const told = document.requests.map(({ verdict, answers }) => [
      verdict,
      answers[0]?.nearest?.fails?.join(),
    ]);
    assert.equal(told.join(" "), "allowed, blocked,path");
    const sarif = await explain("--sarif", "-", "https://cdn.example.com/lib/a.js");
    assert.match(sarif.out, /"name": "page-guard explain"[\s\S]*"ruleId": "blocked"/);
  });

  it("given missing arguments, a missing file, or standard input twice, then it says what to give and exits with 1", async () => {
    const of = (given: string) => ["--policy", given, "--page", page, "/a.js"];
    const nginx = `add_header Content-Security-Policy "script-src 'self'; img-src *";`;
    await expectRefusals(
      (args) => pageGuard(["explain", ...args], { stdin: policy }),
      [
        [of("polcy.txt"), /is not a file, and has no directives\. \[PG_USAGE\]/],
        [of(nginx), /header alone: add_header is not the name of a directive.*\[PG_USAGE\]/],
        [of(`Content-Security-Policy: "${policy}"`), /header alone: "script-src is not the name/],
        [["--policy", policy, "--page", page], /Give the URLs.*\[PG_USAGE\]/],
        [["--page", page, "/a.js"], /--policy, or a zone.*\[PG_USAGE\]/],
        [["--policy", policy, "/a.js"], /--page URL.*\[PG_USAGE\]/],
        [["--policy", policy, "--page", "not a page", "/a.js"], /such as .*not a page.*\[PG_USAGE\]/],
        [["--policy", "-", "-"], /both policy and reports.*\[PG_USAGE\]/],
        [["--zone", "shop", "--page", page, "/a.js"], /32 hexadecimal characters.*\[PG_USAGE\]/],
      ],
    );
  });

  it("given hostile text, then no escape sequence and no workflow command reaches the output", async () => {
    const evil = "\u001b[2K\u202e\n::stop-commands::x ##[error]";
    const where = { "document-uri": page, "blocked-uri": `https://a.example/${evil}` };
    const report = { ...where, "original-policy": `script-src ${evil} a.example/x` };
    for (const directive of ["script-src", evil]) {
      const { out, err } = await explainReports({ ...report, "violated-directive": directive });
      assert.doesNotMatch((out + err).replaceAll("\n", " "), /[\p{Cc}\p{Cf}]|##\[/u);
      assert.doesNotMatch(out + err, /^\s*::/m);
    }
  });
});
