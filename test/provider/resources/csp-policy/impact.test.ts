import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { cspPolicy } from "../../../../provider/src/resources/csp-policy/lifecycle";
import type { Simulator, ZoneSeed } from "../../../../simulator/src";
import { placeAndCode } from "../../../support/place-and-code";
import type { Properties } from "../../small-engine/checkpoint";
import { policy, quietZone, useStories, zoneA, zoneB } from "../../small-engine/zones";

/** A script or connection that was seen on a page of the host. */
const on = (host: string, url: string, more: object = {}) => ({
  url,
  host,
  first_page_url: `https://${host}/checkout`,
  last_seen_at: "2024-01-13T10:00:00Z",
  status: "active",
  domain_reported_malicious: false,
  url_reported_malicious: false,
  malicious_domain_categories: [],
  malicious_url_categories: [],
  ...more,
});

const shop = "shop.example.com";

/** A zone with two scripts of the shop that the usual policy blocks, one that it allows, and a connection of the blog. */
const busyZone: ZoneSeed = {
  ...quietZone,
  scripts: [
    on(shop, "https://js.example.com/pay.js", { js_integrity_score: 90 }),
    on(shop, "https://tags.example.net/a.js", { js_integrity_score: 90 }),
    on(shop, "https://tags.example.net/b.js", { js_integrity_score: 10, status: "infrequent" }),
    on(shop, "https://tags.example.net/gone.js", { js_integrity_score: 90, status: "inactive" }),
  ],
  connections: [on("blog.example.com", "https://collect.example.org/x")],
};

function reads(sim: Simulator): string[] {
  return sim
    .requests({ method: "GET", path: /scripts|connections/ })
    .map(({ path }) => path.split("/").at(-1) ?? "");
}

describe("CspPolicy: its impact on items in use", () => {
  const begin = useStories(cspPolicy);
  const blocking = (args: Properties = {}) => policy({ action: "allow", ...args });
  const live = (args: Properties = {}) => {
    const { zoneId: _zone, ...content } = blocking(args);
    return content;
  };

  it("given a zone that already enforces an equal policy, when it is adopted or declared with another description, then nothing changes for visitors", async () => {
    for (const description of [String(blocking()["description"]), "as it is called in the dashboard"]) {
      const { sim, engine } = await begin({ [zoneA]: busyZone });
      sim.dashboard.putPolicy(zoneA, { ...live(), description, id: "theirs" });
      await engine.preview({ csp: blocking({ impact: "error" }) });
      const already = engine.warned.find((text) => text.includes("tags.example.net")) ?? "";
      const expected = / 2 of 3 .*\n {2}tags\.example\.net: breaks 1 script, .* \[csp-blocks-already\]$/;
      assert.match(already, expected);
      assert.doesNotMatch(engine.warned.join("\n"), /csp-blocks-in-use|csp-not-checked/);
    }
  });

  it("given a script of a company, when the policy blocks it, then the preview names the company", async () => {
    const scripts = [on(shop, "https://js.stripe.com/v3/", { js_integrity_score: 90 })];
    const { engine } = await begin({ [zoneA]: { ...quietZone, scripts } });
    await engine.preview({ csp: blocking() });
    assert.match(engine.warned.join("\n"), /\n {2}js\.stripe\.com \(Stripe, payments\): breaks 1 script, /);
  });

  it("given a live policy that only logs, is switched off, selects other hosts or has another text, when a policy starts to enforce, then the preview names what it would block", async () => {
    for (const other of [
      { action: "log" },
      { enabled: false },
      { expression: 'http.host eq "blog.example.com"' },
      { value: "script-src 'none'" },
    ]) {
      const { sim, engine } = await begin({ [zoneA]: busyZone });
      sim.dashboard.putPolicy(zoneA, { ...live(other), id: "theirs" });
      await engine.preview({ csp: blocking() });
      assert.match(engine.warned.join("\n"), /would block 2 of 3 .*/);
      assert.doesNotMatch(engine.warned.join("\n"), /csp-blocks-already/);
    }
  });

  it("given scripts in use that a new allow policy blocks, when it is previewed, then they are named, and the update saves the impact in the state", async () => {
    const { sim, engine } = await begin({ [zoneA]: busyZone });
    await engine.preview({ csp: blocking() });
    const told = engine.warnings.map(({ name, text }) => `${name} ${placeAndCode(text)}`);
    assert.deepEqual(told, ["csp [csp-blocks-in-use]", "csp [csp-not-checked]"]);
    const named = / 2 of 3 .*\n {2}tags\.example\.net: .*tags\.example\.net\/a\.js: /;
    assert.match(engine.warned[0] ?? "", named);
    assert.equal(sim.changing().length, 0);
    await engine.up({ csp: blocking() });
    const impact = { blocked: 2, keepsOut: 1, letsIn: 0, examined: 3, hosts: { "tags.example.net": 2 } };
    assert.deepEqual(engine.outputs("csp")["impact"], impact);
    await engine.refresh();
    assert.deepEqual(engine.outputs("csp")["impact"], impact);
    assert.deepEqual(await engine.preview({ csp: blocking() }), []);
  });

  it("given a service that does not list hidden scripts, when a policy is previewed, then a finding says that they were not seen", async () => {
    const { sim, engine } = await begin({ [zoneA]: busyZone });
    sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    await engine.preview({ csp: blocking() });
    assert.match(engine.warned.join("\n"), /exclude_cdn_cgi and exclude_duplicates.*\[csp-hidden-not-seen\]/);
  });

  it("given impact error, when only malicious scripts would be blocked, then that is reported, and the preview passes", async () => {
    const { engine } = await begin({ [zoneA]: busyZone });
    const value = "script-src 'self' https://js.example.com https://tags.example.net/a.js";
    await engine.preview({ csp: blocking({ value, impact: "error" }) });
    const [told = ""] = engine.warned;
    assert.match(told, / 1 of 3 .*\n {2}tags\.example\.net: keeps out 1 malicious script, /);
    assert.equal(placeAndCode(told), "[csp-blocks-in-use]");
    assert.doesNotMatch(told, /breaks/);
  });

  it("given a policy that allows a malicious script, when it is previewed, then that is reported with the source", async () => {
    const { engine } = await begin({ [zoneA]: busyZone });
    await engine.preview({ csp: blocking({ value: "script-src *", impact: "error" }) });
    const [told = ""] = engine.warned;
    assert.equal(placeAndCode(told), "[csp-lets-malicious-in]");
    const malicious = "https://tags.example.net/b.js (its integrity score is 10, below 50)\n";
    assert.match(told, / 1 malicious script:\n {2}\* /);
    assert.ok(told.includes(malicious), told);
    await engine.up({ csp: blocking({ value: "script-src *" }) });
    const impact = { blocked: 0, keepsOut: 0, letsIn: 1, examined: 3, hosts: {} };
    assert.deepEqual(engine.outputs("csp")["impact"], impact);
  });

  it("given connections without a path, when a source allows only some paths of their host, then they count as unknown, not as blocked", async () => {
    const connections = [on(shop, "https://api.example.org/")];
    const { engine } = await begin({ [zoneA]: { ...busyZone, connections } });
    const value = "connect-src https://api.example.org/v1/";
    await engine.preview({ csp: blocking({ value, impact: "error" }) });
    const told = engine.warned.join("\n");
    assert.match(told, /allows only some paths of these hosts: api\.example\.org\. .*useConnectionUrlPath/);
  });

  it("given a zone in which nothing was seen, when a policy is previewed, then that is reported, because then the absence of blocked items proves nothing", async () => {
    const { engine } = await begin({ [zoneA]: quietZone, [zoneB]: busyZone });
    const told = async (args: Properties) => {
      await engine.preview({ csp: blocking({ value: "connect-src 'self'", ...args }) });
      return engine.warned.join("\n");
    };
    const ofHosts = await told({});
    assert.equal(placeAndCode(ofHosts), "[csp-impact-unknown]");
    const ofZone = await told({ expression: "true" });
    assert.equal(placeAndCode(ofZone), "[csp-impact-unknown]");
    assert.match(ofZone, / in the zone/);
    const elsewhere = { zoneId: zoneB, expression: 'http.host eq "www.example.com"' };
    assert.equal(await told(elsewhere), ofHosts);
    assert.equal(await told({ impact: "off" }), "");
    // Policies that restrict neither scripts nor connections.
    for (const value of ["frame-ancestors 'none'", "upgrade-insecure-requests", "img-src 'self'"])
      assert.doesNotMatch(await told({ value }), /csp-impact-unknown/);
  });

  it("given impact off, a policy that logs, or one that is switched off, when it is created and changed, then no items are read", async () => {
    const { sim, engine } = await begin({ [zoneA]: busyZone });
    for (const args of [{ impact: "off" }, { action: "log" }, { enabled: false }]) {
      await engine.up({ csp: blocking(args) });
      await engine.up({ csp: blocking({ ...args, value: "script-src 'none'" }) });
    }
    assert.deepEqual(reads(sim), []);
    assert.equal(engine.outputs("csp")["impact"], undefined);
  });

  it("given an allow policy, when inputs change, then items are read only for changes that may block more", async () => {
    const { sim, engine } = await begin({ [zoneA]: busyZone });
    await engine.up({ csp: blocking() });
    for (const [edit, asked] of [
      [{}, false],
      [{ description: "another" }, false],
      [{ lint: "off" }, false],
      [{ minimumLogDays: 3 }, false],
      [{ value: "object-src 'none'; script-src https://js.example.com 'self'" }, false],
      [{ value: "script-src 'self'" }, true],
      [{ directives: { "script-src": ["'self'"] } }, true],
      [{ expression: "true" }, true],
    ] as const) {
      sim.journal.clear();
      await engine.preview({ csp: blocking(edit) });
      assert.equal(reads(sim).length > 0, asked, JSON.stringify(edit));
    }
    await engine.up({ csp: blocking({ enabled: false }) });
    sim.journal.clear();
    await engine.preview({ csp: blocking() });
    assert.deepEqual(reads(sim).sort(), ["connections", "scripts"], "switched on again");
    await engine.up({ csp: policy() });
    sim.journal.clear();
    await engine.preview({ csp: blocking() });
    assert.deepEqual(reads(sim).sort(), ["connections", "scripts"], "from log to allow");
  });

  it("given unknown values, when an allow policy is previewed, then one finding says that its impact was not checked", async () => {
    const { sim, engine } = await begin({ [zoneA]: busyZone });
    const told = async (args: Properties) => {
      await engine.preview({ csp: blocking({ value: "connect-src *", ...args }) });
      return engine.warned;
    };
    const directives = { "connect-src": ["*", unknownValue] };
    const connection = { baseUrl: unknownValue };
    for (const isNew of [true, false]) {
      for (const [args, late] of [
        [{ zoneId: unknownValue, expression: "true" }, true],
        [{ expression: unknownValue }, true],
        [{ directives, value: undefined }, true],
        [{ zoneId: unknownValue, connection, expression: "true" }, true],
        [{ zoneId: unknownValue, impact: "off" }, false],
        [{ zoneId: unknownValue, action: unknownValue, expression: "true" }, true],
        [{ zoneId: unknownValue, enabled: false }, false],
        [{ zoneId: unknownValue, action: "log" }, false],
        [{ description: unknownValue }, false],
      ] as const) {
        const findings = await told(args);
        const codes = findings.map(
          (text) => text.includes("not known before the update") && placeAndCode(text),
        );
        assert.deepEqual(codes, late ? ["[csp-impact-unknown]"] : [], JSON.stringify([isNew, args]));
      }
      await engine.up({ csp: blocking({ value: "connect-src *" }) });
    }
    assert.deepEqual(await told({ zoneId: unknownValue }), [], "it would not be checked anyway");
    sim.journal.clear();
    await engine.up({ csp: blocking({ value: "connect-src *", expression: "true" }) });
    assert.deepEqual(reads(sim).sort(), ["connections", "scripts"], "the update checks");
    const offline = await begin({ [zoneA]: busyZone }, { PAGE_GUARD_OFFLINE: "1" });
    await offline.engine.preview({ csp: blocking({ value: "connect-src *", expression: unknownValue }) });
    assert.deepEqual(offline.engine.warnings, [], "offline, unknown values are not the reason");
  });

  it("given an unknown action or an unknown enabled, when a policy is previewed, then it is checked as if it enforces", async () => {
    const { sim, engine } = await begin({ [zoneA]: busyZone });
    for (const late of [{ action: unknownValue }, { enabled: unknownValue }]) {
      await engine.preview({ csp: blocking({ ...late, impact: "error" }) });
      const [first, ...others] = engine.warned;
      assert.match(first ?? "", /action "allow" this policy would block 2 of 3 .*\[csp-blocks-in-use\]$/s);
      assert.deepEqual(others.map(placeAndCode), ["[csp-not-checked]"]);
    }
    sim.journal.clear();
    await engine.preview({ csp: blocking({ action: "log", enabled: unknownValue }) });
    await engine.preview({ csp: blocking({ action: unknownValue, enabled: false }) });
    assert.deepEqual(reads(sim), [], "a policy that cannot enforce is not checked");
    assert.match(await engine.upFails({ csp: blocking({ impact: "error" }) }), /csp-blocks-in-use/);
  });

  it("given equal policies of which only one is checked, when they are created, then only that one has the output checkedImpact", async () => {
    const { engine } = await begin({ [zoneA]: busyZone });
    const log = blocking({ action: "log", description: "log" });
    const off = blocking({ impact: "off", description: "off" });
    const program = {
      checked: blocking(),
      log,
      off,
      disabled: blocking({ enabled: false, description: "x" }),
    };
    await engine.up(program);
    const checked = Object.keys(program).filter((name) => engine.outputs(name)["checkedImpact"]);
    assert.deepEqual(checked, ["checked"]);
    await engine.refresh();
    assert.deepEqual(engine.outputs("checked")["checkedImpact"], engine.outputs("checked")["impact"]);
  });

  it("given many allow policies of two zones, when they are previewed, then each zone's items are read once", async () => {
    const { sim, engine } = await begin({ [zoneA]: busyZone, [zoneB]: { ...busyZone, scripts: 230 } });
    const policies = Array.from({ length: 10 }, (_, index) => {
      const value = `script-src https://host${index}.example`;
      return [`csp${index}`, blocking({ zoneId: index < 5 ? zoneA : zoneB, description: `${index}`, value })];
    });
    await engine.preview(Object.fromEntries(policies));
    const told = (text: string) => engine.warnings.filter((warning) => warning.text.includes(text)).length;
    assert.deepEqual([told("connections in use"), told("not checked")], [10, 10]);
    const asked = sim.requests({ zoneId: zoneA }).map(({ path }) => path.split("/").at(-1));
    assert.deepEqual(asked.sort(), ["connections", "policies", "scripts"]);
    const ofScripts = sim.requests({ zoneId: zoneB, path: "scripts" });
    const ofHost = ofScripts.filter(({ query }) => query["page_url"]);
    assert.deepEqual([ofScripts.length, ofHost.length], [4, 1], "one request a page, and one for the host");
    for (const { query } of sim.requests({ path: /scripts|connections/ }))
      assert.equal(query["status"], "active,infrequent");
  });

  describe("given scripts that were first seen on another host than the selected one", () => {
    const pages = [`${shop}/`, "pay.example.com/card"];
    const scripts = [
      on(shop, "https://js.example.com/pay.js", { page_urls: pages, js_integrity_score: 90 }),
      on(shop, `https://${shop}/own.js`, { page_urls: pages, js_integrity_score: 90 }),
      on(shop, "https://tags.example.net/a.js", { js_integrity_score: 90 }),
    ];
    const zone = { ...busyZone, scripts };
    const ofPay = { expression: 'http.host eq "pay.example.com"', value: "script-src 'self'" };

    it("when a policy would block them there, then they are named, and the state has them", async () => {
      const { sim, engine } = await begin({ [zoneA]: zone });
      const program = { csp: blocking(ofPay), two: blocking({ ...ofPay, description: "two" }) };
      await engine.preview(program);
      const [first = ""] = engine.warnings.map(({ text }) => text);
      assert.match(
        first,
        /would block 2 of 2 [^\n]*\n {2}js\.example\.com: [^\n]*\n {2}shop\.example\.com: /,
      );
      assert.deepEqual(
        reads(sim).sort(),
        ["connections", "scripts", "scripts"],
        "both policies share the lists",
      );
      await engine.up({ csp: blocking(ofPay) });
      const hosts = { "js.example.com": 1, [shop]: 1 };
      const impact = { blocked: 2, keepsOut: 0, letsIn: 0, examined: 2, hosts };
      assert.deepEqual(engine.outputs("csp")["impact"], impact);
    });

    it("when a policy selects both hosts, then 'self' has to hold on both", async () => {
      const { engine } = await begin({ [zoneA]: zone });
      const expression = `http.host in {"${shop}" "pay.example.com"}`;
      await engine.preview({ csp: blocking({ ...ofPay, expression }) });
      assert.match(engine.warnings[0]?.text ?? "", /would block 3 of 3 .*\n {2}shop\.example\.com: /s);
    });

    for (const expression of [
      'http.host wildcard "*.shop.example.com"',
      'ends_with(http.host, ".shop.example.com")',
      'http.host in {"pay.shop.example.com" "www.shop.example.com"}',
    ])
      it(`when a policy selects hosts that it may not name, then they are named, also by a port: ${expression}`, async () => {
        const own = on("www.shop.example.com", "https://www.shop.example.com/own.js", {
          js_integrity_score: 90,
        });
        const page_urls = ["https://pay.shop.example.com:8443/card"];
        const elsewhere = on(shop, "https://js.example.com/pay.js", { page_urls, js_integrity_score: 90 });
        const { engine } = await begin({ [zoneA]: { ...busyZone, scripts: [own, elsewhere] } });
        await engine.preview({ csp: blocking({ ...ofPay, expression }) });
        assert.match(engine.warnings[0]?.text ?? "", /would block 1 of 2 [^\n]*\n {2}js\.example\.com: /);
      });

    it("when the policy allows all of them, or names no host, then nothing else is read", async () => {
      const { sim, engine } = await begin({ [zoneA]: zone });
      await engine.preview({
        all: blocking({ ...ofPay, value: "script-src https:" }),
        zone: blocking({ ...ofPay, expression: "ssl" }),
      });
      assert.deepEqual(reads(sim).sort(), ["connections", "scripts"]);
    });

    it("when the service does not tell, or there are too many hosts, then a finding says so", async () => {
      const { sim, engine } = await begin({ [zoneA]: zone });
      const hosts = Array.from({ length: 50 }, (_, index) => `"h${index}.example.com"`);
      const told = async (expression: string) => {
        await engine.preview({ csp: blocking({ ...ofPay, expression }) });
        return engine.warnings.map(({ text }) => text).join("\n");
      };
      assert.match(
        await told(`http.host in {${hosts.join(" ")}}`),
        /h40\.example\.com.*\[csp-hidden-not-seen\]/,
      );
      assert.ok(reads(sim).length <= 42);
      const unnamed = / on hosts that the expression does not name that were first .*\[csp-hidden-not-seen\]/;
      assert.match(await told(`http.host ne "${shop}"`), unnamed);
      sim.faults.add({ method: "GET", query: "page_url", kind: "status", status: 400 });
      assert.match(
        await told(ofPay.expression),
        / on pay\.example\.com that were first .*\[csp-hidden-not-seen\]/,
      );
      sim.faults.clear();
      sim.faults.add({ method: "GET", query: "page_url", kind: "status", status: 403 });
      assert.match(await engine.previewFails({ csp: blocking(ofPay) }), /\[PG_AUTHENTICATION\]$/);
    });
  });

  it("given more hosts than fit, when a policy is previewed, then at most 20 lines name them, and the rest is counted", async () => {
    const scripts = Array.from({ length: 60 }, (_, index) => on(shop, `https://host${index}.example/a.js`));
    const { engine } = await begin({ [zoneA]: { ...busyZone, scripts } });
    await engine.up({ csp: blocking() });
    const lines = (engine.warned[0] ?? "").split("\n");
    assert.ok(lines.length <= 21, `${lines.length} lines`);
    assert.match(lines[0] ?? "", /would block 60 of 60/);
    assert.match(lines.at(-2) ?? "", /… and \d+ items of \d+ more hosts/);
    const impact = Object(engine.outputs("csp")["impact"]);
    assert.equal(impact.blocked, 60);
    assert.equal(Object.keys(impact.hosts).length, 20);
  });

  it("given items that cannot be read, when a policy is previewed, then that is a warning; impact error or a refused token fails, and impact off reads nothing", async () => {
    const { sim, engine } = await begin({ [zoneA]: busyZone });
    sim.faults.add({ method: "GET", path: "scripts", kind: "status", status: 400 });
    await engine.preview({ csp: blocking() });
    assert.match(engine.warned[0] ?? "", /impact: "off".*\[csp-impact-unknown\]$/s);
    assert.match(await engine.previewFails({ csp: blocking({ impact: "error" }) }), /\[PG_REFUSED\]$/);
    sim.faults.clear();
    sim.faults.add({ method: "GET", path: "scripts", kind: "status", status: 403 });
    const refused = await engine.previewFails({ csp: blocking() });
    assert.match(refused, /token.*\[PG_AUTHENTICATION\]$/s);
    assert.doesNotMatch(refused, /impact: "off"/);
    await engine.preview({ csp: blocking({ impact: "off" }) });
  });

  it("given an allow policy that restricts kinds that the service does not show, then one line names the kinds, but only if the change may affect them", async () => {
    const { engine } = await begin({ [zoneA]: busyZone });
    const unseen = async (program: Record<string, Properties>) => {
      await engine.preview(program);
      return engine.warnings.filter(({ text }) => text.includes("not checked"));
    };
    const strict = { value: "default-src 'none'; script-src 'self' https:" };
    const [line, ...more] = await unseen({ csp: blocking(strict) });
    assert.deepEqual(more, [], "one line");
    for (const kind of ["inline scripts", "event handlers", "eval", "images", "fonts", "frames"])
      assert.ok(line?.text.includes(kind), kind);
    assert.ok(!line?.text.includes("\n"));
    assert.deepEqual(await unseen({ csp: blocking({ value: "connect-src *" }) }), [], "no such kind");
    assert.deepEqual(await unseen({ csp: policy(strict) }), [], "a policy that logs blocks nothing");
    assert.deepEqual(await unseen({ csp: blocking({ ...strict, impact: "off" }) }), []);
    assert.equal((await unseen({ csp: blocking({ value: "img-src 'self'", impact: "error" }) })).length, 1);
    await engine.up({ csp: blocking(strict) });
    for (const edit of [{}, { description: "another" }, { lint: "off" }, { onDestroy: "keep" }])
      assert.deepEqual(await unseen({ csp: blocking({ ...strict, ...edit }) }), [], JSON.stringify(edit));
    for (const edit of [{ expression: "true" }, { value: "img-src 'self'" }])
      assert.equal((await unseen({ csp: blocking({ ...strict, ...edit }) })).length, 1, JSON.stringify(edit));
    await engine.up({ csp: policy(strict) });
    assert.equal((await unseen({ csp: blocking(strict) })).length, 1, "from log to allow");
  });
});
