import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { parseInventory } from "../../../command/src/inventory/inventory-file";
import { type Desk, printed, useDesk } from "../support/console";
import * as inventories from "../support/inventories";
import { hashOf } from "./items";

const { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } = fs;
const { codes, day, file, idOf, payments, policy, put, script, seed, textOf, watch, zone, zoneId } =
  inventories;

describe("page-guard inventory update", () => {
  const open = useDesk();
  const update = (desk: Desk, ...args: readonly string[]) =>
    desk.pageGuard(["inventory", "update", ...zone, ...args]);

  /** Creates a zone with an inventory of all scripts that were seen there. */
  async function updated(): Promise<Desk> {
    const desk = await open();
    seed(desk.sim);
    await update(desk);
    return desk;
  }

  it("given a zone without an inventory, then writes one with all scripts that were seen, all unapproved", async () => {
    const desk = await open();
    seed(desk.sim);
    const out = await printed(update(desk), 0);
    assert.equal(out, `shop: 3 added (${file}).\n`);
    const { entries, faults } = parseInventory(textOf(desk));
    assert.deepEqual(faults, []);
    const host = "shop.example.com";
    assert.deepEqual(
      entries.map(({ match, hash, approved, score, allowedBy, ...one }) =>
        [match.text, ...hash, approved, score, ...allowedBy, ...one.host].join(" "),
      ),
      [
        `${payments} ${hashOf(1)}  90 checkout ${host}`,
        `https://shop.example.com/app.*.js ${hashOf(2)} ${hashOf(3)}  80 checkout ${host}`,
        `https://tags.example/t.js   ${host}`,
      ],
    );
    // One request for a page of the list, and one for the policies.
    assert.equal(desk.sim.requests().length, 2);
  });

  it("given no new scripts, then does not write the file", async () => {
    const desk = await updated();
    const written = `${textOf(desk).replace('purpose: ""', "purpose: 'card form' # the   processor's")}# end`;
    put(desk, written);
    const before = statSync(join(desk.folder, file));
    const { out } = await desk.pageGuard(["inventory", "update", ...zone], day("2030-01-01"));
    assert.equal(out, `shop: nothing new (${file}).\n`);
    assert.equal(textOf(desk), written);
    assert.equal(statSync(join(desk.folder, file)).mtimeMs, before.mtimeMs);
  });

  it("given scripts of companies, then proposes the companies as owners, except CDNs that serve other companies' files", async () => {
    const desk = await open();
    const urls = ["https://js.stripe.com/v3/", "https://cdn.jsdelivr.net/npm/a@1/a.js"];
    watch(
      desk.sim,
      urls.map((url) => script(url)),
    );
    const checked = await desk.pageGuard(["inventory", "check", ...zone], day("2030-01-01"));
    assert.ok(checked.out.includes(`${urls[0]} (Stripe, payments) is not in the inventory`), checked.out);
    assert.ok(checked.out.includes("(hosted by JSDelivr CDN) is not in the inventory"), checked.out);
    await printed(update(desk), 0);
    const { entries } = parseInventory(textOf(desk));
    const owners = entries.map(({ match, owner = "" }) => `${new URL(match.text).host} ${owner}`);
    assert.deepEqual(owners.sort(), ["cdn.jsdelivr.net ", "js.stripe.com Stripe"]);
  });

  it("given a new script and one that is gone, then adds one entry and one line", async () => {
    const desk = await updated();
    const before = textOf(desk);
    desk.sim.dashboard.forgetItem(zoneId, idOf(desk.sim, "https://tags.example/t.js"));
    desk.sim.dashboard.addScript(zoneId, script("https://chat.example/c.js"));
    const { out } = await desk.pageGuard(["inventory", "update", ...zone], day("2030-01-01"));
    assert.equal(out, `shop: 1 added, 1 marked as gone (${file}).\n`);
    const lines = textOf(desk).split("\n");
    const added = lines.filter((line) => !before.split("\n").includes(line));
    assert.ok(added.includes("  gone: 2030-01-01"));
    assert.ok(added.includes("- match: https://chat.example/c.js"));
    assert.deepEqual(
      lines.filter((line) => !added.includes(line) && !before.includes(line)),
      [],
    );
  });

  it("given a new version of a script with an exact entry, then adds an entry and suggests one entry for all versions", async () => {
    const desk = await open();
    watch(desk.sim, [script("https://shop.example.com/app.3f2a91bc.js")]);
    await update(desk);
    desk.sim.dashboard.addScript(zoneId, script("https://shop.example.com/app.9c1d22ee.js"));
    const { out } = await update(desk);
    const hint = out.split("\n").find((line) => line.includes("app.9c1d22ee.js looks")) ?? assert.fail(out);
    assert.match(hint, / \S+app\.3f2a91bc\.js \(line \d+\)\. .* https:\/\/shop\.example\.com\/app\.\*\.js/);
  });

  it("given a malicious script, then adds its entry, and advises against approving it", async () => {
    const desk = await open();
    watch(desk.sim, [script("https://shop.example.com/evil.js", { js_integrity_score: 3 })]);
    const { out } = await update(desk);
    assert.match(
      out,
      /1 added .*\n {2}https:\S+evil\.js counts as malicious: .*\b3\b.*\. Do not approve it\./,
    );
  });

  it("given that nothing was seen, or not everything, then marks nothing as gone", async () => {
    const desk = await updated();
    const before = textOf(desk);
    watch(desk.sim, []);
    const nothing = await update(desk);
    assert.match(nothing.out, /nothing new .*\n {2}The service lists no script\./);
    watch(desk.sim, [script(payments)]);
    desk.sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    const part = await update(desk);
    assert.match(part.out, /Not all scripts were seen/);
    assert.equal(textOf(desk), before);
  });

  it("given --page, then adds only scripts that were seen on these pages, with the pages", async () => {
    const desk = await open();
    const page = (name: string) => ({ first_page_url: `https://shop.example.com/${name}` });
    watch(desk.sim, [script(payments, page("pay")), script("https://blog.example/b.js", page("blog"))]);
    const pages = ["--page", "https://shop.example.com/pay*", "--page", "shop.example.com/done"];
    await update(desk, ...pages);
    const found = parseInventory(textOf(desk)).entries.map(({ match, pages: of }) => [match.text, of]);
    assert.deepEqual(found, [[payments, ["https://shop.example.com/pay*"]]]);
    assert.equal(desk.sim.requests({ path: "/scripts" }).length, 2);
  });

  it("given hostile URLs, policies and pages, then writes them exactly, without invisible characters", async () => {
    const desk = await open();
    const evil = "https://e.example/*a.js?x=\u202e\u0000'\"#{[\n- match: https://any.example/*";
    const page = 'https://shop.example.com/"\n- match: "x\u202e';
    const description = 'a"\n- match: b\u202e';
    const anything = { ...policy, description, expression: "true", value: "script-src *" };
    watch(desk.sim, [script(evil, { first_page_url: page })], [anything]);
    await printed(update(desk), 0);
    const { entries, faults } = parseInventory(textOf(desk));
    assert.deepEqual(faults, []);
    assert.equal(entries.length, 1);
    assert.doesNotMatch(textOf(desk).replace(/\n/g, ""), /\p{C}/u);
    assert.ok(entries[0]?.match.keys.every((key) => !key.includes("*")));
    const checked = await desk.pageGuard(["inventory", "check", ...zone, "--json"]);
    assert.deepEqual(codes(checked), ["inventory-unapproved"]);
  });

  it("given a hash or a date that an inventory cannot contain, then writes the entry without it", async () => {
    const desk = await open();
    watch(desk.sim, [
      script(payments, { hash: "sha256-47DEQpj8", first_seen_at: "2026-01-01T00:00:00Z" }),
      script("https://shop.example.com/a.js", {
        hash: hashOf(1).toUpperCase(),
        first_seen_at: "+010000-01-01T00:00:00Z",
      }),
    ]);
    await printed(update(desk), 0);
    const facts = parseInventory(textOf(desk)).entries.map(({ hash, firstSeen }) => [...hash, firstSeen]);
    assert.deepEqual(facts, [["2026-01-01"], [hashOf(1), undefined]]);
  });

  it("given a file with a fault, then names the line, leaves the file unchanged, and updates the other zones", async () => {
    const desk = await open();
    seed(desk.sim);
    const other = "b".repeat(32);
    watch(desk.sim, [script(payments)], [policy], other);
    put(desk, "- match: https://a.example/\n  aproved: null\n");
    const { code, out } = await update(desk, "--zone", other);
    assert.equal(code, 1);
    assert.match(out, /^shop: inventory\/shop\.yaml:2: there is no field aproved; .* \[PG_COMMAND\]$/m);
    assert.ok(existsSync(join(desk.folder, `inventory/${other}.yaml`)));
    assert.equal(textOf(desk), "- match: https://a.example/\n  aproved: null\n");
  });

  it("given a file that is not UTF-8, then says so and leaves its bytes unchanged", async () => {
    const desk = await open();
    seed(desk.sim);
    const written = Buffer.from("- match: https://a.example/\n  owner: Müller\n", "latin1");
    put(desk, written);
    const { code, out } = await update(desk);
    assert.equal(code, 1);
    assert.match(out, /^shop: inventory\/shop\.yaml:2: This is not UTF-8\. .*Nothing was written\./);
    assert.deepEqual(readFileSync(join(desk.folder, file)), written);
  });

  it("given a file that is a link, then keeps the link", async () => {
    const desk = await open();
    seed(desk.sim);
    mkdirSync(join(desk.folder, "inventory"));
    writeFileSync(join(desk.folder, "real.yaml"), "# mine\n");
    symlinkSync("../real.yaml", join(desk.folder, file));
    await update(desk);
    assert.match(readFileSync(join(desk.folder, "real.yaml"), "utf8"), /^# mine\n[\s\S]*pay\.js/);
    assert.deepEqual(readdirSync(desk.folder).sort(), ["inventory", "real.yaml"]);
  });
});
