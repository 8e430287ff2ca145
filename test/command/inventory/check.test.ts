import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { each } from "../../support/each";
import { type Desk, printed, useDesk } from "../support/console";
import * as inventories from "../support/inventories";
import { hashOf } from "./items";

const { appJs, approved, codes, day, file, findingsOf, payments, policy } = inventories;
const { put, script, textOf, twoScripts, watch, zone, zoneId } = inventories;

describe("page-guard inventory check", () => {
  const open = useDesk();
  const check = (desk: Desk, ...args: readonly string[]) =>
    desk.pageGuard(["inventory", "check", ...zone, ...args], day("2026-01-01"));

  it("given new and changed scripts and an entry that never matched, then reports codes and lines and exits with 2", async () => {
    const desk = await approved(await open());
    desk.sim.dashboard.addScript(zoneId, script("https://new.example/n.js"));
    put(desk, `${textOf(desk).replace(hashOf(1), hashOf(9))}- match: https://never.example/\n`);
    const ended = await check(desk, "--json");
    assert.equal(ended.code, 2, ended.err);
    const lineOf = (text: string) => textOf(desk).slice(0, textOf(desk).indexOf(text)).split("\n").length;
    const told = findingsOf(ended).map(({ code, line }) => `${code} ${line}`);
    assert.deepEqual(told.sort(), [
      `inventory-changed ${lineOf(payments)}`,
      `inventory-matches-nothing ${lineOf("https://never")}`,
      "inventory-not-allowed undefined",
      "inventory-not-listed undefined",
    ]);
    const said = `error {3}${file}:${lineOf(payments)} ${payments}: ${payments} has the hash ${hashOf(1)}, which is`;
    assert.match((await check(desk)).out, new RegExp(said));
  });

  it("given many findings, then shows malicious and changed scripts first, and notes last", async () => {
    const desk = await approved(await open());
    const release = `- match: https://any.example/app.*.js\n  justification: x\n  integrity: { policy: checkout }\n  approved: { by: Ada, reference: https://git.example/pull/7, on: 2025-12-01 }\n`;
    put(desk, `- match: https://many.example/1.js\n${release}${textOf(desk)}`);
    const bad = script(payments, { hash: hashOf(9), js_integrity_score: 1 });
    const version = script("https://any.example/app.3f2a91bc.js", { first_seen_at: "2025-12-28T00:00:00Z" });
    watch(desk.sim, [script("https://many.example/1.js"), version, bad]);
    const { out } = await check(desk);
    const rows = out.matchAll(/^ {2}(\w+) .*\[inventory-([\w-]+)\]$/gm);
    const told = [...rows].map(([, how, code]) => `${how} ${code}`);
    assert.deepEqual(told.slice(0, 3), ["error malicious", "error changed", "error unapproved"]);
    assert.deepEqual(told.slice(-3), ["warning gone", "info first-seen", "info weak-integrity"]);
  });

  it("given an alarm about a script, then names its pages and times, whether an enforced policy blocks it, and the guide to open", async () => {
    const desk = await approved(await open());
    const seen = { page_urls: ["https://shop.example.com/pay"], first_seen_at: "2025-12-28T00:00:00Z" };
    const fetched = { fetched_at: "2025-12-30T00:00:00Z" };
    const evil = script("https://evil.example/e.js", { ...seen, url_reported_malicious: true });
    const any = "https://any.example/*";
    watch(desk.sim, [
      ...[script(payments, { ...seen, ...fetched, hash: hashOf(9) }), evil],
      script(appJs, { ...seen, hash: hashOf(2) }),
      script("https://any.example/a.js", { ...seen, ...fetched, hash: hashOf(5), page_urls: [] }),
    ]);
    const star = `- match: ${any}\n  justification: x\n  integrity: { any: x }\n  hash: "${hashOf(4)}"\n  approved: { by: Ada, reference: https://git.example/pull/7, on: 2025-12-01 }\n`;
    const back = textOf(desk).replace(/(app\.js[\s\S]*?approved: )\{.*/, "$1null\n  gone: 2025-12-29");
    put(desk, `${back}${star}`);
    const told = findingsOf(await check(desk, "--json"));
    const tail = (pages: string, effect: string, first = "The script was first seen on 2025-12-28") =>
      ` ${first} on ${pages}. ${effect} Guide: docs/guides/script-alarm.md.`;
    const blocked = "Blocked by enforced policies: checkout.";
    const allowed = "No enforced policy blocks it; allowed by checkout.";
    const [pay, checkout] = ["https://shop.example.com/pay", "https://shop.example.com/checkout"];
    const since = "The service fetched these contents on 2025-12-30. The script was first seen on 2025-12-28";
    const details = /(?: The service fetched| The scripts? (?:was|were) (?:first )?seen).*$/;
    assert.deepEqual(Object.fromEntries(told.map(({ code, text }) => [code, details.exec(text)?.[0]])), {
      "inventory-malicious": tail(checkout, blocked),
      "inventory-changed": tail(pay, allowed, since),
      "inventory-not-listed": tail(checkout, blocked),
      "inventory-unapproved": tail(checkout, allowed),
      "inventory-returned": tail(checkout, allowed),
      "inventory-contents": tail(checkout, blocked, since),
      "inventory-first-seen": tail(checkout, blocked),
      "inventory-not-allowed": tail(checkout, blocked),
      // Other findings have none of these details.
      "inventory-approved-early": undefined,
      "inventory-unchecked": undefined,
    });
    watch(desk.sim, [evil], [{ ...policy, action: "log" }]);
    const [first] = findingsOf(await check(desk, "--json"));
    assert.ok(first?.text.endsWith(tail(checkout, "No policy is enforced, so nothing blocks it.")));
  });

  it("given other findings, then the title says what happened, with the policy's name", async () => {
    const desk = await approved(await open());
    const titleOf = async () => {
      const { out } = await check(desk, "--markdown", "-");
      return /^## (.*)$/m.exec(out.replaceAll("\\", ""))?.[1];
    };
    const before = textOf(desk);
    const policies = (...given: readonly Partial<typeof policy>[]) => {
      const all = given.map((one) => ({ ...policy, ...one }));
      watch(desk.sim, twoScripts, all);
    };
    const pages = '- pages: ["https://shop.example.com/pay*"]\n';
    policies({ description: "Checkout", action: "log" });
    assert.equal(await titleOf(), 'shop: policy "Checkout" is not enforced');
    // The policy was enforced when the entry was written.
    put(desk, `${before}  allowedBy: [Checkout, Shop]\n`);
    assert.equal(await titleOf(), 'shop: policies "Checkout", "Shop" are no longer enforced');
    const elsewhere = { description: "Shop", expression: 'http.host eq "a.example"' };
    policies({ description: "Checkout", action: "log" }, elsewhere);
    put(desk, `${pages}${before}  allowedBy: [Checkout]\n`);
    assert.equal(await titleOf(), 'shop: policy "Checkout" is no longer enforced');
    put(desk, `${pages}${before}`);
    assert.equal(await titleOf(), "shop: no enforced policy covers shop.example.com/pay*");
    policies({ description: "Checkout", value: "script-src https:" });
    assert.equal(await titleOf(), 'shop: policy "Checkout" allows any script');
    policies({ description: "Checkout", value: "frame-ancestors 'self'" });
    assert.equal(await titleOf(), "shop: no enforced policy restricts scripts");
    policies();
    put(desk, before);
    assert.equal(await titleOf(), "shop: no policy is enforced");
    policies({});
    put(desk, before.replace(/integrity: .*/, "integrity: { policy: Chekout }"));
    assert.equal(await titleOf(), 'shop: policy "Chekout" is not enforced');
    put(desk, before.replace(/ {2}integrity: .*\n/, ""));
    assert.equal(await titleOf(), "shop: a script has no integrity method");
    put(desk, `${before}- match: https://never.example/\n`);
    assert.equal(await titleOf(), "shop: an entry matches no script");
    put(desk, before);
    assert.equal(await titleOf(), "Inventory of scripts");
    // There is one finding for each pair of an entry and a script that it matches, but the title counts scripts.
    const evil = (name: string) =>
      script(`https://evil.example/${name}.js`, { url_reported_malicious: true });
    const entry = textOf(desk).split("\n- ")[0] ?? "";
    const any = entry.replace(/match: .*/, 'match: "https://evil.example/*"');
    for (const [inventory, scripts, expected] of [
      [any, [evil("a"), evil("b")], "shop: 2 scripts count as malicious"],
      [`${any}\n${any.replace("*", "a.js")}`, [evil("a")], "shop: a script counts as malicious"],
    ] as const) {
      watch(desk.sim, scripts);
      put(desk, inventory);
      assert.equal(await titleOf(), expected);
    }
  });

  it("given the integrity method any, then reports unchecked contents as a note, not as an alarm", async () => {
    const desk = await approved(await open());
    put(desk, textOf(desk).replaceAll(/integrity: .*/g, 'integrity: { any: "changes daily" }'));
    assert.match(await printed(check(desk), 0), /2 notes\.\n.*\[inventory-unchecked\]/);
  });

  it("given a zone with Page Guard switched off, then shows it first, also in the title", async () => {
    const desk = await approved(await open());
    const other = "b".repeat(32);
    desk.sim.zones.seed(other, { settings: { enabled: false }, scripts: 1 });
    const zones = ["--zone", other, "--name", `${other}=pay`];
    put(desk, textOf(desk).replace(/approved: .*/, "approved: null"));
    const { out, code } = await check(desk, ...zones, "--markdown", "-");
    assert.equal(code, 1, "pay has no inventory");
    assert.match(out, /^## pay: Page Guard is switched off; shop: a script is not approved$/m);
    assert.ok(out.indexOf("### pay") < out.indexOf("### shop"), out);
  });

  it("given hosts with letters of several alphabets, then shows them in Punycode", async () => {
    const desk = await approved(await open());
    const lookalike = "https://js.p\u0430yments.example/v3/pay.js";
    watch(desk.sim, [script(lookalike)]);
    put(desk, `- match: ${lookalike.replace("pay.js", "*")}\n`);
    const { out } = await check(desk);
    assert.match(out, /https:\/\/js\.xn--pyments-2fg\.example\/v3\/\*: /);
    assert.match(out, /No enforced policy allows https:\/\/js\.xn--pyments-2fg\.example\/v3\/pay\.js/);
    assert.ok(!out.includes("\u0430"), out);
  });

  it("given hidden scripts, unreadable policies, no scripts, a fault or no file, then says that not everything was compared and exits with 1", async () => {
    const desk = await approved(await open());
    const found = async () => {
      const ended = await check(desk, "--json");
      assert.equal(ended.code, 1);
      desk.sim.faults.clear();
      return codes(ended);
    };
    desk.sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    assert.deepEqual(await found(), ["inventory-incomplete"]);
    desk.sim.faults.add({ method: "GET", path: "/policies", kind: "status", status: 403 });
    assert.deepEqual(await found(), ["inventory-incomplete"]);
    desk.sim.faults.add({ method: "GET", path: "/scripts", kind: "status", status: 403 });
    assert.deepEqual(await found(), ["inventory-incomplete"]);
    put(desk, `${textOf(desk)}- match: x\n`);
    assert.deepEqual(await found(), ["inventory-invalid"]);
    put(desk, textOf(desk).replace("- match: x\n", "- match: https://never.example/\n"));
    watch(desk.sim, []);
    assert.deepEqual(await found(), ["inventory-incomplete"]);
    const other = await desk.pageGuard(["inventory", "check", "--zone", "b".repeat(32)]);
    assert.equal(other.code, 1);
    assert.match(other.out, /There is no inventory\/b{32}\.yaml/);
  });

  it("given an inventory of a zone that is not in the list, then names the file and exits with 1", async () => {
    const desk = await approved(await open());
    writeFileSync(join(desk.folder, "inventory/old.yaml"), textOf(desk));
    writeFileSync(join(desk.folder, "zones.yaml"), `- { id: "${zoneId}", name: shop }\n`);
    const listed = ["inventory", "check", "--zones", "zones.yaml"];
    const { code, out } = await desk.pageGuard(listed, day("2026-01-01"));
    assert.equal(code, 1, out);
    const [checked, left, why, ...more] = out.split("\n");
    assert.match(checked ?? "", /^shop: .*nothing to report\.$/);
    assert.equal(left, "old: 0 scripts, 2 entries; 1 error.");
    assert.match(why ?? "", /inventory\/old\.yaml belongs to no zone in the list, so it was not checked/);
    assert.deepEqual(more, [""]);
    writeFileSync(join(desk.folder, "zones.yaml"), `- { id: "${zoneId}", name: store }\n`);
    const { out: renamed } = await desk.pageGuard(listed, day("2026-01-01"));
    assert.match(renamed, /no inventory\/store\.yaml\. .* If the zone was renamed, rename its file instead/);
    assert.match(renamed, /shop\.yaml belongs to no zone .* If the zone was renamed, rename the file/);
  });

  it("given a file as --inventory, then asks for its folder", async () => {
    const desk = await approved(await open());
    writeFileSync(join(desk.folder, "zones.yaml"), `- { id: "${zoneId}", name: shop }\n`);
    for (const part of ["check", "update"]) {
      const args = ["inventory", part, "--zones", "zones.yaml", "--inventory", "inventory/shop.yaml"];
      const { code, out, err } = await desk.pageGuard(args);
      assert.equal(code, 1);
      assert.match(
        out + err,
        /--inventory takes a folder, but inventory\/shop\.yaml is a file\. Name its folder/,
      );
    }
  });

  it("given --since, then marks new findings and shows them first", async () => {
    const desk = await approved(await open());
    put(desk, `${textOf(desk)}- match: https://never.example/\n`);
    desk.sim.dashboard.addScript(zoneId, script("https://one.example/n.js", { js_integrity_score: 3 }));
    writeFileSync(join(desk.folder, "last.json"), (await check(desk, "--json")).out);
    // Entries may move to other lines.
    put(desk, `# more\n${textOf(desk)}`);
    desk.sim.dashboard.addScript(zoneId, script("https://two.example/n.js"));
    const [first, second, ...others] = findingsOf(await check(desk, "--json", "--since", "last.json"));
    for (const one of [first, second])
      assert.deepEqual([one?.isNew, ...(one?.scripts ?? [])], [true, "https://two.example/n.js"]);
    assert.deepEqual(each(others, "isNew"), [false, false, false, false]);
    const { out } = await check(desk, "--since", "last.json");
    assert.match(out, /3 errors, 3 warnings\.\n {2}error {3}NEW https:\/\/two\.example/);
    writeFileSync(join(desk.folder, "odd.json"), "{}");
    const odd = await check(desk, "--since", "odd.json");
    assert.match(odd.err, /Failed to compare with odd\.json/);
  });

  it("given each format, then names the file and the line of the entry", async () => {
    const desk = await approved(await open());
    put(desk, textOf(desk).replace(/approved: .*/, "approved: null"));
    const out = ["--sarif", "a.sarif", "--code-quality", "a.json", "--junit", "a.xml", "--markdown", "a.md"];
    await printed(check(desk, ...out), 2);
    const of = (name: string) => readFileSync(join(desk.folder, name), "utf8");
    const [result] = JSON.parse(of("a.sarif")).runs[0].results;
    assert.equal(result.ruleId, "inventory-unapproved");
    const { artifactLocation, region } = result.locations[0].physicalLocation;
    assert.deepEqual([artifactLocation, region], [{ uri: file }, { startLine: 1 }]);
    const [quality] = JSON.parse(of("a.json"));
    assert.deepEqual(quality.location, { path: file, lines: { begin: 1 } });
    assert.match(of("a.xml"), /inventory-unapproved/);
    assert.match(of("a.md"), new RegExp(`^<!-- page-guard:inventory ${zoneId} -->\n`));
    assert.match(of("a.md"), /^2 scripts, 2 entries in `inventory\/shop\.yaml`/m);
    assert.match(of("a.md"), /^\| error \| `https:\/\/js\.payments\.example\/v3\/pay\.js` \|/m);
    await check(desk, "--markdown", "again.md");
    assert.equal(of("again.md"), of("a.md"), "the text is the same each night, so nobody gets a new message");
  });

  it("given hostile names, then escapes them in every format", async () => {
    const desk = await open();
    const evil = "https://e.example/`|<!channel>@all</td><img src=x>\u202e\n::error::x.js";
    const bad = { malicious_domain_categories: [evil], domain_reported_malicious: true };
    watch(desk.sim, [script(evil, { first_page_url: evil, ...bad })]);
    put(desk, `- match: https://a.example/\n  integrity: { any: ${JSON.stringify(evil)} }\n`);
    const { out } = await desk.pageGuard(["inventory", "check", ...zone]);
    const { out: markdown } = await desk.pageGuard(["inventory", "check", ...zone, "--markdown", "-"]);
    assert.doesNotMatch(out, /\u202e|^::/m);
    for (const row of markdown.split("\n").filter((text) => text.startsWith("| ")))
      assert.equal(row.replace(/\\\|/g, "").split("|").length, 7, row);
    assert.doesNotMatch(markdown.replace(/\\`/g, "").replace(/`[^`]*`/g, ""), /<img|[^&]@all/);
  });

  it("given 250 scripts in two zones, then sends one request per page of each list, and one each for policies and settings", async () => {
    const desk = await open();
    const other = "b".repeat(32);
    for (const id of [zoneId, other]) watch(desk.sim, 250, [], id);
    await desk.pageGuard(["inventory", "check", "--zone", zoneId, "--zone", other]);
    assert.equal(desk.sim.requests({ path: "/scripts" }).length, 6);
    assert.equal(desk.sim.requests().length, 10);
    const [first] = desk.sim.requests({ path: "/scripts" });
    const { status, exclude_duplicates: duplicates, exclude_cdn_cgi: cdnCgi } = first?.query ?? {};
    assert.deepEqual([status, duplicates, cdnCgi], ["active,infrequent,inactive", "false", "false"]);
  });

  it("given a script that was first seen on another host than the policy's, then judges it by the policy", async () => {
    const desk = await open();
    const pages = ["www.example.com/", "shop.example.com/pay"];
    const first = { host: "www.example.com", first_page_url: "www.example.com/", page_urls: pages };
    watch(desk.sim, [script("https://form.example/v3.js", first), script(payments, first)]);
    await desk.pageGuard(["inventory", "update", ...zone]);
    desk.sim.journal.clear();
    const texts = findingsOf(await check(desk, "--json")).map(({ code, text }) => `${code} ${text}`);
    const refused = texts.filter((text) => text.startsWith("inventory-not-allowed"));
    assert.deepEqual([refused.length, refused[0]?.includes("form.example")], [1, true], texts.join("\n"));
    assert.equal(desk.sim.requests().length, 4, "one more list, for the host of the policy");
    assert.doesNotMatch(textOf(desk), /shop\.example\.com/);
    desk.sim.faults.add({ method: "GET", query: "page_url", kind: "status", status: 400 });
    assert.match(
      (await check(desk)).out,
      /Not all scripts were seen: .* on shop\.example\.com that were first/,
    );
  });

  it("given --versions, then reports contents that were served after the approval, with one request per script", async () => {
    const desk = await approved(await open());
    const versions = [
      { hash: hashOf(7), js_integrity_score: 90, fetched_at: "2025-12-30T00:00:00Z" },
      { hash: hashOf(1), js_integrity_score: 90, fetched_at: "2025-12-31T00:00:00Z" },
    ];
    watch(desk.sim, [script(payments, { hash: hashOf(1), versions }), script(appJs, { hash: hashOf(2) })]);
    const ended = await check(desk, "--json", "--versions");
    assert.deepEqual(codes(ended), ["inventory-changed"]);
    assert.match(findingsOf(ended)[0]?.text ?? "", /had the hash 0+7/);
    assert.equal(desk.sim.requests({ path: "/scripts/" }).length, 2);
  });
});
