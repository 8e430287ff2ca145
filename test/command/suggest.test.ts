import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulator, ZoneScript } from "../../simulator/src";
import { expectRefusals, printed, useDesk, zoneId } from "./support/console";

const shop = "https://shop.example.com";

describe("page-guard suggest", () => {
  const open = useDesk();

  /** Creates a zone with items that were seen. Returns the command for it. */
  async function seeded() {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const suggest = (...flags: readonly string[]) => pageGuard(["suggest", "--zone", zoneId, ...flags]);
    const json = async (...flags: readonly string[]) => JSON.parse((await suggest("--json", ...flags)).out);
    return { sim, folder, suggest, json };
  }

  it("given items that were seen on a host, then it prints directives and omitted items with reasons, and writes seen.json", async () => {
    const { folder, suggest, json } = await seeded();
    const args = ["--host", "shop.example.com", "--seen", "seen.json"];
    const out = await printed(suggest(...args), 0);
    assert.match(out, /"js\.payments\.example"/);
    assert.match(out, /^Not allowed: script https:\/\/evil\.example\/x\.js, .* 3, below 50; /m);
    assert.match(out, /^2 scripts and 1 connection allowed\.$/m);
    const written = readFileSync(join(folder, "seen.json"), "utf8");
    const connections = { "connect-src": ["api.payments.example"] };
    assert.deepEqual(JSON.parse(written), {
      "script-src": ["'self'", "js.payments.example"],
      ...connections,
    });
    // A second run writes exactly the same file. With --json it prints the whole suggestion.
    const document = await json(...args);
    assert.equal(readFileSync(join(folder, "seen.json"), "utf8"), written);
    assert.deepEqual(document.included, { scripts: 2, connections: 1 });
    const reasons = document.excluded.map(({ reason }: { reason: string }) => reason);
    assert.deepEqual(reasons, ["malicious"]);
  });

  it("given items that the lists hide by default, then they count as well; if the service refuses to show them, then it says so", async () => {
    const { sim, suggest, json } = await seeded();
    const decode = "https://img.example/cdn-cgi/scripts/5c5dd728/email-decode.min.js";
    const old = { first_seen_at: "2024-01-01T00:00:00Z", status: "active", js_integrity_score: 90 };
    sim.dashboard.addScript(zoneId, { url: decode, ...old });
    assert.match((await suggest()).out, /"img\.example"/);
    sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    const { out } = await suggest();
    assert.match(out, /^NOT EVERYTHING WAS SEEN: the service always leaves out URLs with \/cdn-cgi\//);
    assert.doesNotMatch(out, /img\.example/);
    assert.match((await suggest("--sarif", "-")).out, /csp-hidden-not-seen/);
    assert.equal((await json()).isPartial, true);
  });

  it("given a script that was first seen on another host, then the suggestion for the host has it, and 'self' is that host's own", async () => {
    const { sim, suggest, json } = await seeded();
    const page_urls = ["https://shop.example.com/cart", "pay.example.com/card", "a.pay.example.com:8443/"];
    const common = {
      host: "shop.example.com",
      first_page_url: "shop.example.com/",
      status: "active",
      page_urls,
      first_seen_at: "2024-01-01T00:00:00Z",
    };
    for (const url of ["https://form.example/v3.js", "https://shop.example.com/own.js"])
      sim.dashboard.addScript(zoneId, { url, ...common, js_integrity_score: 90 });
    const host = ["--host", "pay.example.com"];
    for (const flags of [
      host,
      ["--expression", 'http.host eq "pay.example.com"'],
      ["--host", "a.pay.example.com"],
      ["--host", "*.pay.example.com"],
      ["--expression", 'http.host wildcard "*.pay.example.com"'],
    ]) {
      const { directives, included } = await json(...flags);
      assert.deepEqual(directives, { "script-src": ["form.example", "shop.example.com"] });
      assert.deepEqual(included, { scripts: 2, connections: 0 });
    }
    const both = await json(...host, "--host", "shop.example.com");
    const sources = ["'self'", "form.example", "js.payments.example", "shop.example.com"];
    assert.deepEqual(both.directives["script-src"], sources);
    sim.faults.add({ method: "GET", query: "page_url", kind: "status", status: 400 });
    assert.match(
      (await suggest(...host)).out,
      /^NOT EVERYTHING WAS SEEN: .* pay\.example\.com that were first/m,
    );
  });

  it("given an expression, then the suggestion covers pages of its hosts, with a warning if it may select fewer pages", async () => {
    const { suggest } = await seeded();
    const by = async (expression: string) => (await suggest("--expression", expression)).out;
    const blog = await by('http.host eq "blog.example.com"');
    assert.match(blog, /"script-src": \[\s*"other\.example"\s*\]/);
    assert.doesNotMatch(blog, /connect-src|The expression/);
    const path = 'starts_with(http.request.uri.path, "/checkout")';
    const checkout = await by(`http.host eq "shop.example.com" and ${path}`);
    assert.match(checkout, /js\.payments\.example/);
    const warned = [checkout, await by('http.request.uri.path contains "/pay"')].map(
      (out) => out.split("\n").find((line) => line.startsWith("The expression ")) ?? assert.fail(out),
    );
    assert.match(warned[0] ?? "", / --page\.$/);
    assert.match(warned[1] ?? "", / \(it tests http\.request\.uri\.path\), .* whole zone /);
  });

  it("given --reports, then images, styles, hashes are added as browsers report them, on these pages only", async () => {
    const { folder, suggest } = await seeded();
    const report = (blockedURL: string, directive: string, visitor: string, documentURL = `${shop}/`) => {
      const event = { documentURL, blockedURL, effectiveDirective: directive, sample: "" };
      const head = { type: "csp-violation", user_agent: visitor, timestamp: "2026-01-01T00:00:00Z" };
      return { ...head, body: { ...event, originalPolicy: "img-src 'self'; style-src 'self'" } };
    };
    const image = ["https://img.example/a.png", "img-src"] as const;
    const where = { "document-uri": `${shop}/b`, "blocked-uri": image[0], "effective-directive": image[1] };
    const policy = { "original-policy": "img-src 'self'", "script-sample": "" };
    const dashed = { timestamp: "2026-01-02T00:00:00Z", "csp-report": { ...where, ...policy } };
    const reports = [
      ...[report(...image, "a"), dashed, report("chrome-extension", "style-src-elem", "b")],
      ...[report("https://once.example/", "frame-src", "a")],
      ...[report(...image, "c", "https://blog.example.com/")],
    ];
    writeFileSync(join(folder, "reports.jsonl"), reports.map((one) => JSON.stringify(one)).join("\n"));
    const args = ["--host", "shop.example.com", "--reports", "reports.jsonl"];
    const out = await printed(suggest(...args), 0);
    assert.match(out, /"img-src": \[\s*"'self'",\s*"img\.example"\s*\]/);
    assert.match(out, /"script-src": \[\s*"'self'",\s*"js\.payments\.example"/);
    assert.match(out, /^LEFT OUT of the reports, reported once: frames: once\.example \(1 report, /m);
    assert.match(out, /^Reports not used: from a visitor's browser extension/m);
    assert.match(out, /^Reports not used: 1 report from other pages/m);
    const page = 'http.host eq "shop.example.com" and http.request.uri.path eq "/b"';
    const byPage = ["--expression", page, "--reports", "reports.jsonl"];
    assert.match((await suggest(...byPage)).out, /^Reports not used: 3 reports from other pages/m);
    writeFileSync(join(folder, "reports.jsonl"), "{}");
    assert.match((await suggest(...args)).err, /reports\.jsonl is not a violation report: fields/);
  });

  it("given reports of the service's log, then --base sets form-action only where none contradicts it, and other sites' pages do not count", async () => {
    const { folder, suggest } = await seeded();
    const event = (kind: string, url: string, PageURL: string, day = 1) => ({
      Action: "log",
      CSPDirective: kind,
      PageURL,
      PolicyID: "c9",
      ResourceType: "other",
      Timestamp: `2026-01-0${day}T00:00:00Z`,
      URL: url,
    });
    const page = "https://shop.example.com/cart";
    const copy = "https://mirror.example.net/cart";
    const twice = (kind: string, url: string, at = page) => [event(kind, url, at), event(kind, url, at, 2)];
    const write = (...list: readonly object[]) =>
      writeFileSync(join(folder, "events.jsonl"), list.map((one) => JSON.stringify(one)).join("\n"));
    const of = (...list: readonly object[]) => {
      write(...list);
      return printed(suggest("--base", "--reports", "events.jsonl"), 0);
    };
    const images = [
      ...twice("img-src", "https://img.example/a.png"),
      ...twice("img-src", "https://x.example/", copy),
    ];
    const out = await of(...images);
    assert.match(out, /"img-src": \[\s*"img\.example"\s*\]/);
    assert.match(out, /^Reports not used: 2 reports from other pages/m);
    const own = { "document-uri": page, "blocked-uri": `${shop}/x`, "effective-directive": "form-action" };
    const closed = await of({ "csp-report": { ...own, "original-policy": "form-action 'none'" } });
    const forms = [
      event("form-action", `${shop}/x`, page),
      event("form-action", "https://pay.example/", copy),
    ];
    const elsewhere = await of(...forms);
    for (const one of [out, closed, elsewhere]) assert.match(one, /"form-action": \[\s*"'self'"\s*\]/);
    const contradicted = await of(event("form-action", "https://pay.example/start", page));
    assert.match(contradicted, /^NOT ADDED: form-action 'self', because reports .* sent to pay\.example\./m);
    const redirected = await of({ "csp-report": { ...own, "original-policy": "form-action 'self'" } });
    assert.match(redirected, /forms that are sent to shop\.example\.com, which redirects them\. Add/);
    for (const one of [contradicted, redirected]) assert.doesNotMatch(one, /"form-action":/);
    const banks = Array.from({ length: 20 }, (_, index) =>
      event("form-action", `https://acs.bank${index}.example/c`, page),
    );
    const open = await of(...banks);
    assert.match(open, /"form-action": \[\s*"https:"\s*\]/);
    assert.doesNotMatch(open, /LEFT OUT of the reports|NOT ADDED/);
  });

  it("given --page, then the suggestion covers items on these pages, such as payment pages", async () => {
    const { sim, suggest, json } = await seeded();
    const pay = { status: "active", js_integrity_score: 90, page_urls: [`${shop}/pay/card?step=1`] };
    sim.dashboard.addScript(zoneId, { ...pay, host: "shop.example.com", url: "https://js.stripe.com/v3/" });
    const page = "https://shop.example.com/pay/*";
    const args = ["--page", page, "--as", "set", "--base"];
    const out = await printed(suggest(...args), 0);
    assert.ok(
      out.includes(`"shop-example-com": {
  action: "log",
  expression: 'http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/pay/")',
  directives: {
    "object-src": ["'none'"],
    "base-uri": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'self'"],
    "script-src": ["js.stripe.com"],
  },
},
`),
      out,
    );
    // The expression also selects /pay/card with a query.
    const bare = await suggest("--page", "Shop.example.com/pay/card");
    assert.match(bare.out, /"script-src": \[\s*"js\.stripe\.com"\s*\]/);
    const document = await json(...args);
    assert.deepEqual(document.pages, [page]);
    const path = 'starts_with(http.request.uri.path, "/pay/")';
    assert.equal(document.entry.expression, `http.host eq "shop.example.com" and ${path}`);
  });

  it("given --as set, then the entry has the given expression, one for the given hosts, or one for all requests", async () => {
    const { suggest, json } = await seeded();
    const entry = async (...flags: readonly string[]) => {
      const { key, expression } = (await json("--as", "set", ...flags)).entry;
      return [key, expression];
    };
    const [shop, blog] = ["shop.example.com", "blog.example.com"] as const;
    for (const [flags, key, expression] of [
      [[], "policy", "true"],
      [["--expression", `http.host eq "${blog}"`], "blog-example-com", `http.host eq "${blog}"`],
      [["--host", shop, "--host", blog], "shop-example-com", `http.host in {"${shop}" "${blog}"}`],
      [["--host", "*.Example.com"], "policy", 'ends_with(http.host, ".example.com")'],
      [
        ["--page", `https://${shop}/`, "--page", `https://${blog}/*`],
        "shop-example-com",
        `(http.host eq "${shop}" and http.request.uri.path eq "/") or http.host eq "${blog}"`,
      ],
    ] as const)
      assert.deepEqual(await entry(...flags), [key, expression]);
    assert.equal((await suggest("--as", "set", "--host", 'a" or "b')).code, 1);
  });

  it("given a policy that is too long, then it says so", async () => {
    const { suggest } = await seeded();
    assert.match((await suggest("--max-bytes", "30")).out, /^TOO LONG: /m);
  });

  it("given items that were first seen today, or by few visitors, then it leaves them out unless flags include them", async () => {
    const { sim, suggest, json } = await seeded();
    const script = (name: string, hours: number, more: Partial<ZoneScript> = {}): Partial<ZoneScript> => ({
      url: `https://${name}.example.net/lib/a.js`,
      host: "shop.example.com",
      status: "active",
      js_integrity_score: 80,
      first_seen_at: new Date(Date.now() - hours * 3_600_000).toISOString(),
      ...more,
    });
    sim.zones.seed(zoneId, {
      connections: 0,
      scripts: [
        ...[script("old", 1000), script("today", 2), script("few", 100, { status: "infrequent" })],
        script("weak", 1000, { js_integrity_score: 60 }),
        script("gone", 1000, { status: "inactive", url_reported_malicious: false }),
      ],
    });
    const sources = async (...flags: readonly string[]) => {
      const { directives } = await json(...flags);
      return directives["script-src"].join(" ");
    };
    const { out } = await suggest();
    const left = String.raw`\n {2}script https:\/\/today.*\n {2}script https:\/\/few`;
    assert.match(out, new RegExp(`^LEFT OUT, .* include them deliberately.*${left}`, "m"));
    assert.equal(await sources(), "old.example.net weak.example.net");
    const all = ["few", "old", "today", "weak"].map((name) => `${name}.example.net`);
    assert.equal(await sources("--min-age", "0"), all.join(" "));
    assert.equal(await sources("--min-age", "0", "--status", "infrequent"), "few.example.net");
    assert.equal(await sources("--status", "inactive"), "gone.example.net");
    assert.equal(await sources("--threshold", "70"), "old.example.net");
    assert.equal(await sources("--threshold", "70", "--granularity", "path"), "old.example.net/lib/");
    assert.equal(await sources("--threshold", "70", "--exact"), "old.example.net/lib/a.js");
  });

  it("given the file of an earlier suggestion, then only sources of new owners count as new", async () => {
    const { folder, suggest } = await seeded();
    const known = (file: object) => {
      writeFileSync(join(folder, "known.json"), JSON.stringify(file));
      // Like a weekly job, reads and writes the same file.
      const files = ["--known", "known.json", "--seen", "known.json"];
      return suggest("--host", "shop.example.com", ...files);
    };
    const connections = { "connect-src": ["events.payments.example"] };
    const wider = await known({ "script-src": ["'self'", "js.payments.example/v2.js"], ...connections });
    assert.equal(wider.code, 0);
    const out = await printed(known({ "script-src": ["'self'"], ...connections }), 2);
    assert.match(out, /^NEW: script-src needs js\.payments\.example$/m);
    assert.equal((await known(["x"])).code, 1);
  });

  it("given --sarif, then it writes a finding for each remark, warnings first", async () => {
    const { suggest } = await seeded();
    const { out } = await suggest("--sarif", "-");
    const codes = JSON.parse(out).runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId);
    assert.deepEqual(codes, ["left-out-malicious", "also-restricted"]);
  });

  it("given that nothing was seen, then it says so, because an empty suggestion would block everything", async () => {
    const { sim, suggest } = await seeded();
    sim.zones.seed(zoneId, { scripts: 0, connections: 0 });
    const out = await printed(suggest(), 0);
    assert.match(out, /^NOTHING WAS SEEN on these pages.*\n\{\}\n0 scripts and 0 connections allowed\.\n$/);
  });

  it("given the script of examples/csp-rollout, then it writes the committed file", async () => {
    const { sim, folder, pageGuard } = await open();
    const example = join(__dirname, "../../examples/csp-rollout");
    const seen = (at: string) => ({ url: `https://${at}`, host: "shop.example.com", status: "active" });
    const scripts = [
      "widgets.chat.example/loader.js",
      "shop.example.com/app.js",
      "js.payments.example/v3/pay.js",
    ];
    const connections = [
      "events.chat.example/open",
      "shop.example.com/api/cart",
      "api.payments.example/charge",
    ];
    sim.zones.seed(zoneId, { plan: "pro", scripts: scripts.map(seen), connections: connections.map(seen) });
    const { scripts: lines } = JSON.parse(readFileSync(join(example, "package.json"), "utf8"));
    const [command, ...args] = String(lines.suggest).split(" ");
    assert.equal(command, "page-guard");
    await printed(pageGuard([...args, zoneId]), 0);
    // The repository's formatter has changed the layout of the committed file.
    const [written, committed] = [folder, example].map((place) =>
      JSON.stringify(JSON.parse(readFileSync(join(place, "seen.json"), "utf8"))),
    );
    assert.equal(written, committed);
  });

  it("given no zone, two zones, an invalid one, or a page that the service cannot filter by, then it says so and exits with 1", async () => {
    const { pageGuard } = await open();
    await expectRefusals(
      (args) => pageGuard(["suggest", ...args]),
      [
        [[], /No zone is given/],
        [["--zone", zoneId, "--zone", "b".repeat(32)], /exactly one --zone/],
        [["--zone", "shop.example.com"], /32 hexadecimal characters/],
        [["--zone", zoneId, "--page", "https://shop.example.com/*/pay"], /\* only at its end/],
        [["--zone", zoneId, "--page", "https://shop.example.com/a,b"], /without a comma/],
        [["--zone", zoneId, "--page", "https://shop.example.com/pay#card"], /without a comma or a fragment/],
        ...["/pay?step=1", "/pay?*", ":8443/pay"].map(
          (rest) =>
            [["--zone", zoneId, "--page", shop + rest], /without a port, a query or a fragment/] as const,
        ),
        [["--zone", zoneId, "--page", "*pay*"], /\* only at its end/],
        [["--zone", zoneId, "--max-bytes", "many"], /--max-bytes.*Expected a whole number/],
      ],
    );
  });
});

function seed(sim: Simulator): void {
  const seen = (url: string, more: Partial<ZoneScript> = {}): Partial<ZoneScript> => ({
    url,
    host: "shop.example.com",
    status: "active",
    first_page_url: "https://shop.example.com/cart",
    ...more,
  });
  sim.zones.seed(zoneId, {
    scripts: [
      seen("https://shop.example.com/app.js", { js_integrity_score: 90 }),
      seen("https://js.payments.example/v3.js", { js_integrity_score: 90 }),
      seen("https://evil.example/x.js", { js_integrity_score: 3 }),
      seen("https://other.example/blog.js", {
        host: "blog.example.com",
        first_page_url: "https://blog.example.com/",
        js_integrity_score: 90,
      }),
    ],
    connections: [seen("https://api.payments.example/charge")],
    cookies: 0,
  });
}
