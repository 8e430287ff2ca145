import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { replaceInventory } from "../../provider/src/cli/inventory/place";
import { parseInventory } from "../../provider/src/inventory/inventory-file";
import type { Simulator, ZoneScript } from "../../provider/src/simulator";
import { startForge } from "../forge/forge-server";
import { hashOf } from "../inventory/items";
import { type Desk, type Ended, useDesk } from "./support/console";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const zone = ["--zone", zoneId, "--name", `${zoneId}=shop`];
const file = "inventory/shop.yaml";
const day = (text: string) => ({ now: () => Date.parse(`${text}T12:00:00Z`) });
const payments = "https://js.payments.example/v3/pay.js";

describe("page-guard inventory update", () => {
  const open = useDesk();

  it("given a zone without an inventory, then it writes one with all that was seen, none of it approved", async () => {
    const desk = await open();
    seed(desk.sim);
    const { code, out, err } = await desk.pageGuard(["inventory", "update", ...zone]);
    assert.equal(code, 0, err);
    assert.equal(out, `shop: 3 added (${file}).\n`);
    const { entries, faults } = parseInventory(textOf(desk));
    assert.deepEqual(faults, []);
    assert.deepEqual(
      entries.map(({ match, hash, approved, score, allowedBy, host }) => [
        match.text,
        hash,
        approved,
        score,
        allowedBy,
        host,
      ]),
      [
        [payments, [hashOf(1)], undefined, 90, ["checkout"], ["shop.example.com"]],
        [
          "https://shop.example.com/app.*.js",
          [hashOf(2), hashOf(3)],
          undefined,
          80,
          ["checkout"],
          ["shop.example.com"],
        ],
        ["https://tags.example/t.js", [], undefined, undefined, [], ["shop.example.com"]],
      ],
    );
    // One page of the list, and the policies.
    assert.equal(desk.sim.requests().length, 2);
  });

  it("given no news, then the file stays as it is, byte for byte and untouched", async () => {
    const desk = await open();
    seed(desk.sim);
    await desk.pageGuard(["inventory", "update", ...zone]);
    const written = `${textOf(desk).replace('purpose: ""', "purpose: 'card form' # the   processor's")}# end`;
    put(desk, written);
    const before = statSync(join(desk.folder, file));
    const { out } = await desk.pageGuard(["inventory", "update", ...zone], day("2030-01-01"));
    assert.equal(out, `shop: nothing new (${file}).\n`);
    assert.equal(textOf(desk), written);
    assert.equal(statSync(join(desk.folder, file)).mtimeMs, before.mtimeMs);
  });

  it("given a new script and one that is gone, then one entry and one line are added", async () => {
    const desk = await open();
    seed(desk.sim);
    await desk.pageGuard(["inventory", "update", ...zone]);
    const before = textOf(desk);
    desk.sim.dashboard.forgetItem(zoneId, idOf(desk.sim, "https://tags.example/t.js"));
    desk.sim.dashboard.addScript(zoneId, script("https://chat.example/c.js"));
    const { out } = await desk.pageGuard(["inventory", "update", ...zone], day("2030-01-01"));
    assert.equal(out, `shop: 1 added, 1 marked as gone (${file}).\n`);
    const lines = textOf(desk).split("\n");
    const added = lines.filter((line) => !before.split("\n").includes(line));
    assert.ok(added.includes("  gone: 2030-01-01"));
    assert.ok(added.includes('- match: "https://chat.example/c.js"'));
    assert.deepEqual(
      lines.filter((line) => before.split("\n").includes(line) || added.includes(line)),
      lines,
    );
  });

  it("given a new version beside an exact entry, then it is a new entry, and a hint how to have one for all", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, { scripts: [script("https://shop.example.com/app.3f2a91bc.js")] });
    await desk.pageGuard(["inventory", "update", ...zone]);
    desk.sim.dashboard.addScript(zoneId, script("https://shop.example.com/app.9c1d22ee.js"));
    const { out } = await desk.pageGuard(["inventory", "update", ...zone]);
    assert.match(
      out,
      /app\.9c1d22ee\.js looks like a new version of \S+app\.3f2a91bc\.js \(line \d+\)\. .*set its match to https:\/\/shop\.example\.com\/app\.\*\.js/,
    );
  });

  it("given that nothing, or not all, was seen, then nothing is marked as gone", async () => {
    const desk = await open();
    seed(desk.sim);
    await desk.pageGuard(["inventory", "update", ...zone]);
    const before = textOf(desk);
    desk.sim.zones.seed(zoneId, { scripts: [] });
    const nothing = await desk.pageGuard(["inventory", "update", ...zone]);
    assert.match(nothing.out, /nothing new .*\n {2}No script is on record\./);
    desk.sim.zones.seed(zoneId, { scripts: [script(payments)] });
    desk.sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    const part = await desk.pageGuard(["inventory", "update", ...zone]);
    assert.match(part.out, /Not all scripts were seen/);
    assert.equal(textOf(desk), before);
  });

  it("given --page, then only what was seen there, with the pages", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, {
      scripts: [
        script(payments, {
          first_page_url: "https://shop.example.com/pay",
          page_urls: ["https://shop.example.com/pay"],
        }),
        script("https://blog.example/b.js", {
          first_page_url: "https://shop.example.com/blog",
          page_urls: [],
        }),
      ],
    });
    await desk.pageGuard([
      "inventory",
      "update",
      ...zone,
      "--page",
      "https://shop.example.com/pay*",
      "--page",
      "shop.example.com/done",
    ]);
    const { entries } = parseInventory(textOf(desk));
    assert.deepEqual(
      entries.map(({ match, pages }) => [match.text, pages]),
      [[payments, ["https://shop.example.com/pay*"]]],
    );
    assert.equal(desk.sim.requests({ path: "/scripts" }).length, 2);
  });

  it("given more pages than an entry lists, then it says so", async () => {
    const desk = await open();
    const versions = Array.from({ length: 60 }, (_, index) =>
      script(`https://shop.example.com/app.${(index + 1000).toString(16)}91bc.js`, {
        first_page_url: `https://shop.example.com/p${index + 10}`,
      }),
    );
    desk.sim.zones.seed(zoneId, { scripts: versions });
    const { out } = await desk.pageGuard(["inventory", "update", ...zone]);
    assert.match(out, /app\.\*\.js was seen on 60 pages; the entry lists the first 50\.$/m);
    assert.match(textOf(desk), /\/p59"\n/);
    assert.doesNotMatch(textOf(desk), /\/p60/);
  });

  it("given hostile URLs, policies and pages, then the file says just that, and nothing of it is invisible", async () => {
    const desk = await open();
    const evil = "https://e.example/*a.js?x=\u202e\u0000'\"#{[\n- match: https://any.example/*";
    desk.sim.zones.seed(zoneId, {
      scripts: [
        script(evil, {
          first_page_url: 'https://shop.example.com/"\n- match: "x\u202e',
          host: "shop.example.com",
        }),
      ],
      policies: [
        {
          description: 'a"\n- match: b\u202e',
          action: "allow",
          enabled: true,
          expression: "true",
          value: "script-src *",
        },
      ],
    });
    const { code } = await desk.pageGuard(["inventory", "update", ...zone]);
    assert.equal(code, 0);
    const { entries, faults } = parseInventory(textOf(desk));
    assert.deepEqual(faults, []);
    assert.equal(entries.length, 1);
    assert.doesNotMatch(textOf(desk).replace(/\n/g, ""), /\p{C}/u);
    assert.ok(entries[0]?.match.keys.every((key) => !key.includes("*")));
    assert.deepEqual(codes(await desk.pageGuard(["inventory", "check", ...zone, "--json"])), [
      "inventory-unapproved",
    ]);
  });

  it("given a file at fault, then it stays, the line is named, and the other zones are updated", async () => {
    const desk = await open();
    seed(desk.sim);
    const other = "b".repeat(32);
    desk.sim.zones.seed(other, { scripts: [script(payments)] });
    put(desk, "- match: https://a.example/\n  aproved: null\n");
    const { code, out } = await desk.pageGuard(["inventory", "update", ...zone, "--zone", other]);
    assert.equal(code, 1);
    assert.match(out, /^shop: inventory\/shop\.yaml:1: there is no field aproved; .* \[PG_COMMAND\]$/m);
    assert.ok(existsSync(join(desk.folder, `inventory/${other}.yaml`)));
    assert.equal(textOf(desk), "- match: https://a.example/\n  aproved: null\n");
  });

  it("given two updates at once, then the file is whole", async () => {
    const desk = await open();
    seed(desk.sim);
    const both = await Promise.all([1, 2].map(() => desk.pageGuard(["inventory", "update", ...zone])));
    assert.ok(both.some(({ code }) => code === 0));
    assert.equal(parseInventory(textOf(desk)).entries.length, 3);
  });

  it("given that someone else writes the file at the same time, then theirs stays", async () => {
    const desk = await open();
    put(desk, "# theirs\n");
    assert.throws(
      () => replaceInventory({ cwd: desk.folder }, file, "# before\n", "# ours\n"),
      /someone else changed it/,
    );
    assert.equal(textOf(desk), "# theirs\n");
    assert.deepEqual(readdirSync(join(desk.folder, "inventory")), ["shop.yaml"]);
  });

  it("given a file that is a link, then it stays one", async () => {
    const desk = await open();
    seed(desk.sim);
    mkdirSync(join(desk.folder, "inventory"));
    writeFileSync(join(desk.folder, "real.yaml"), "# mine\n");
    symlinkSync("../real.yaml", join(desk.folder, file));
    await desk.pageGuard(["inventory", "update", ...zone]);
    assert.match(readFileSync(join(desk.folder, "real.yaml"), "utf8"), /^# mine\n[\s\S]*pay\.js/);
    assert.deepEqual(readdirSync(desk.folder).sort(), ["inventory", "real.yaml"]);
  });
});

describe("page-guard inventory check", () => {
  const open = useDesk();

  it("given an inventory in which all is approved, then 0", async () => {
    const desk = await approved(await open());
    const { code, out } = await desk.pageGuard(["inventory", "check", ...zone], day("2026-01-01"));
    assert.match(out, /^shop: 2 scripts, 2 entries; nothing to report\.\n$/);
    assert.equal(code, 0);
  });

  it("given each thing that may be wrong, then its code, line and 2", async () => {
    const desk = await approved(await open());
    desk.sim.zones.seed(zoneId, {
      scripts: [
        script(payments, { hash: hashOf(9) }),
        script("https://shop.example.com/app.js", { hash: hashOf(2), js_integrity_score: 49 }),
        script("https://new.example/n.js"),
      ],
      policies: [policy],
    });
    put(
      desk,
      `${textOf(desk)}- match: https://never.example/\n- match: "https://*.example.com/app.js"\n  reviewBy: 2025-01-01\n`,
    );
    const ended = await desk.pageGuard(["inventory", "check", ...zone, "--json"], day("2026-01-01"));
    assert.equal(ended.code, 2, ended.err);
    const lineOf = (text: string) =>
      textOf(desk)
        .split("\n")
        .findIndex((line) => line.includes(text)) + 1;
    const [pay, app, never, wide] = [
      payments,
      "//shop.example.com/app.js",
      "never.example",
      "*.example.com",
    ].map(lineOf);
    assert.deepEqual(
      findingsOf(ended)
        .map(({ code, line }) => [code, line])
        .sort(),
      [
        ["inventory-changed", pay],
        ["inventory-malicious", app],
        ["inventory-malicious", wide],
        ["inventory-matched-twice", app],
        ["inventory-matches-nothing", never],
        ["inventory-not-allowed", undefined],
        ["inventory-not-listed", undefined],
        ["inventory-review-overdue", wide],
        ["inventory-unapproved", wide],
      ].sort(),
    );
    const text = await desk.pageGuard(["inventory", "check", ...zone], day("2026-01-01"));
    assert.match(
      text.out,
      new RegExp(
        `error {3}${file}:${pay} ${payments}: ${payments} has the hash ${hashOf(9)}, which is not approved`,
      ),
    );
  });

  it("given more findings than a screen shows, then what is malicious or has changed is among the first", async () => {
    const desk = await approved(await open());
    const many = Array.from({ length: 150 }, (_, index) => `- match: https://many.example/${index}.js\n`);
    put(desk, `${many.join("")}${textOf(desk)}`);
    const scripts = many.map((_, index) => script(`https://many.example/${index}.js`));
    desk.sim.zones.seed(zoneId, {
      scripts: [...scripts, script(payments, { hash: hashOf(9), js_integrity_score: 1 })],
      policies: [policy],
    });
    const { out } = await desk.pageGuard(["inventory", "check", ...zone], day("2026-01-01"));
    const codesOf = out
      .split("\n")
      .slice(1, 4)
      .map((line) => /\[([\w-]+)\]$/.exec(line)?.[1]);
    assert.deepEqual(codesOf, ["inventory-malicious", "inventory-changed", "inventory-unapproved"]);
    assert.match(
      out,
      /\n {2}and 203 more \(52 inventory-unapproved, 150 inventory-not-allowed, 1 inventory-gone\): --json lists them all\.\n$/,
    );
  });

  it("given more findings than a screen shows, then the rest is counted by its code", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, {
      scripts: Array.from({ length: 130 }, (_, index) => script(`https://tags.example/t.js?id=${index}`)),
      policies: [policy],
    });
    put(desk, "[]");
    const { out } = await desk.pageGuard(["inventory", "check", ...zone]);
    assert.match(
      out,
      /^ {2}and 160 more \(30 inventory-not-listed, 130 inventory-not-allowed\): --json lists them all\.$/m,
    );
  });

  it("given --threshold, then scores are judged by it", async () => {
    const desk = await approved(await open());
    assert.deepEqual(
      codes(await desk.pageGuard(["inventory", "check", ...zone, "--json", "--threshold", "95"])),
      ["inventory-malicious", "inventory-malicious"],
    );
    assert.equal((await desk.pageGuard(["inventory", "check", ...zone, "--threshold", "101"])).code, 1);
  });

  it("given hashes that are null, then they are unknown and no approval is void", async () => {
    const desk = await approved(await open());
    desk.sim.zones.seed(zoneId, {
      scripts: [script(payments, { hash: null }), script("https://shop.example.com/app.js", { hash: null })],
      policies: [policy],
    });
    const ended = await desk.pageGuard(["inventory", "check", ...zone, "--json"], day("2026-01-01"));
    assert.equal(ended.code, 0);
    assert.deepEqual(codes(ended), ["inventory-hash-unknown", "inventory-hash-unknown"]);
  });

  it("given that not all could be compared, then 1 and why: hidden scripts, no policies, nothing seen, a fault, no file", async () => {
    const desk = await approved(await open());
    const check = async () => {
      const ended = await desk.pageGuard(["inventory", "check", ...zone, "--json"], day("2026-01-01"));
      assert.equal(ended.code, 1);
      desk.sim.faults.clear();
      return ended;
    };
    desk.sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    assert.deepEqual(codes(await check()), ["inventory-incomplete"]);
    desk.sim.faults.add({ method: "GET", path: "/policies", kind: "status", status: 403 });
    assert.deepEqual(codes(await check()), ["inventory-incomplete"]);
    desk.sim.faults.add({ method: "GET", path: "/scripts", kind: "status", status: 403 });
    assert.deepEqual(codes(await check()), ["inventory-incomplete"]);
    put(desk, `${textOf(desk)}- match: x\n`);
    assert.deepEqual(codes(await check()), ["inventory-invalid"]);
    put(desk, textOf(desk).replace("- match: x\n", "- match: https://never.example/\n"));
    desk.sim.zones.seed(zoneId, { scripts: [] });
    assert.deepEqual(codes(await check()), ["inventory-incomplete"]);
    const other = await desk.pageGuard(["inventory", "check", "--zone", "b".repeat(32)]);
    assert.equal(other.code, 1);
    assert.match(other.out, /There is no inventory\/b{32}\.yaml/);
  });

  it("given --since, then what is new since is marked and comes first", async () => {
    const desk = await approved(await open());
    desk.sim.dashboard.addScript(zoneId, script("https://one.example/n.js", { js_integrity_score: 3 }));
    const args = ["inventory", "check", ...zone];
    writeFileSync(
      join(desk.folder, "last.json"),
      (await desk.pageGuard([...args, "--json"], day("2026-01-01"))).out,
    );
    // The lines of a file move.
    put(desk, `# more\n${textOf(desk)}`);
    desk.sim.dashboard.addScript(zoneId, script("https://two.example/n.js"));
    const ended = await desk.pageGuard([...args, "--json", "--since", "last.json"], day("2026-01-02"));
    assert.deepEqual(
      findingsOf(ended)
        .map(({ isNew, scripts }) => [isNew, scripts[0]])
        .slice(0, 3),
      [
        [true, "https://two.example/n.js"],
        [true, "https://two.example/n.js"],
        [false, "https://one.example/n.js"],
      ],
    );
    const { out } = await desk.pageGuard([...args, "--since", "last.json"], day("2026-01-02"));
    assert.match(out, /3 errors \(1 new\), 2 warnings \(1 new\)\.\n {2}error {3}NEW https:\/\/two\.example/);
    writeFileSync(join(desk.folder, "odd.json"), "{}");
    const odd = await desk.pageGuard([...args, "--since", "odd.json"]);
    assert.match(odd.err, /Failed to compare with odd\.json/);
  });

  it("given the formats, then each names the file and the line of the entry", async () => {
    const desk = await approved(await open());
    put(desk, textOf(desk).replace(/approved: .*/, "approved: null"));
    const out = [
      "--sarif",
      "a.sarif",
      "--code-quality",
      "a.json",
      "--junit",
      "a.xml",
      "--slack",
      "s.json",
      "--markdown",
      "a.md",
    ];
    const { code, err } = await desk.pageGuard(["inventory", "check", ...zone, ...out], day("2026-01-01"));
    assert.equal(code, 2, err);
    const of = (name: string) => readFileSync(join(desk.folder, name), "utf8");
    const line =
      textOf(desk)
        .split("\n")
        .findIndex((text) => text.includes(payments)) + 1;
    const [result] = JSON.parse(of("a.sarif")).runs[0].results;
    assert.equal(result.ruleId, "inventory-unapproved");
    assert.deepEqual(result.locations[0].physicalLocation, {
      artifactLocation: { uri: file },
      region: { startLine: line },
    });
    const [quality] = JSON.parse(of("a.json"));
    assert.deepEqual(quality.location, { path: file, lines: { begin: line } });
    assert.match(of("a.xml"), /inventory-unapproved/);
    assert.match(
      JSON.parse(of("s.json")).text,
      /^Inventory of `shop`: 1 error\.\n• error `https:\/\/js\.payments\.example\/v3\/pay\.js` inventory-unapproved$/,
    );
    assert.match(of("a.md"), new RegExp(`^<!-- page-guard:inventory ${zoneId} -->\n`));
    assert.match(of("a.md"), /\| error \| `https:\/\/js\.payments\.example\/v3\/pay\.js` \|/);
  });

  it("given its Markdown, then page-guard comment keeps one comment for these zones", async () => {
    const desk = await approved(await open());
    const forge = await startForge();
    try {
      desk.sim.dashboard.addScript(zoneId, script("https://new.example/n.js"));
      for (const [args, said] of [
        [[], /^Posted the comment/],
        [["--threshold", "95"], /^Edited the comment/],
      ] as const) {
        await desk.pageGuard(
          ["inventory", "check", ...zone, "--markdown", "a.md", ...args],
          day("2026-01-01"),
        );
        const { out, err } = await desk.pageGuard(["comment", "--markdown", "a.md", "--number", "7"], {
          env: forge.github(),
        });
        assert.match(out, said, err);
      }
      assert.equal(forge.board.comments.length, 1);
      assert.match(forge.board.comments[0]?.body ?? "", /new\.example/);
    } finally {
      await forge.stop();
    }
  });

  it("given its Markdown, then page-guard issue keeps one issue with its table", async () => {
    const desk = await approved(await open());
    const forge = await startForge();
    try {
      desk.sim.dashboard.addScript(zoneId, script("https://new.example/n.js"));
      for (const [args, said] of [
        [[], /^Opened #/],
        [[], /^Unchanged: #/],
        [["--threshold", "95"], /^Edited #/],
      ] as const) {
        await desk.pageGuard(
          ["inventory", "check", ...zone, "--markdown", "found.md", ...args],
          day("2026-01-01"),
        );
        const issue = ["issue", "--title", "Scripts of the shop", "--file", "found.md"];
        const { out, err } = await desk.pageGuard(issue, { env: forge.github() });
        assert.match(out, said, err);
      }
      const [issue, ...others] = forge.board.issues;
      assert.deepEqual(others, []);
      assert.match(issue?.body ?? "", /^\| error \| `https:\/\/new\.example\/n\.js` \|/m);
      assert.doesNotMatch(issue?.body ?? "", /^```/m);
    } finally {
      await forge.stop();
    }
  });

  it("given hostile names, then no format lets them do anything", async () => {
    const desk = await open();
    const evil = "https://e.example/`|<!channel>@all</td><img src=x>\u202e\n::error::x.js";
    desk.sim.zones.seed(zoneId, {
      scripts: [
        script(evil, {
          first_page_url: evil,
          malicious_domain_categories: [evil],
          domain_reported_malicious: true,
        }),
      ],
    });
    put(desk, `- match: https://a.example/\n  integrity: { any: ${JSON.stringify(evil)} }\n`);
    const { out } = await desk.pageGuard([
      "inventory",
      "check",
      ...zone,
      "--slack",
      "s.json",
      "--markdown",
      "a.md",
    ]);
    const [slack, markdown] = ["s.json", "a.md"].map((name) => readFileSync(join(desk.folder, name), "utf8"));
    assert.doesNotMatch(out, /\u202e|^::/m);
    assert.doesNotMatch(JSON.parse(slack ?? "").text, /<!channel>|\u202e|``/);
    for (const row of (markdown ?? "").split("\n").filter((text) => text.startsWith("| ")))
      assert.equal(row.replace(/\\\|/g, "").split("|").length, 7, row);
    assert.doesNotMatch((markdown ?? "").replace(/\\`/g, "").replace(/`[^`]*`/g, ""), /<img|[^&]@all/);
  });

  it("given 250 scripts in two zones, then one request a page of each list, and one for the policies", async () => {
    const desk = await open();
    const other = "b".repeat(32);
    for (const id of [zoneId, other]) desk.sim.zones.seed(id, { scripts: 250 });
    await desk.pageGuard(["inventory", "check", "--zone", zoneId, "--zone", other]);
    assert.equal(desk.sim.requests({ path: "/scripts" }).length, 6);
    assert.equal(desk.sim.requests().length, 8);
    const [first] = desk.sim.requests({ path: "/scripts" });
    const { status, exclude_duplicates: duplicates, exclude_cdn_cgi: cdnCgi } = first?.query ?? {};
    assert.deepEqual([status, duplicates, cdnCgi], ["active,infrequent,inactive", "false", "false"]);
  });

  it("given --versions, then one request for each script that has changed since the last run", async () => {
    const desk = await approved(await open());
    const versions = [
      { hash: hashOf(7), js_integrity_score: 90, fetched_at: "2025-12-30T00:00:00Z" },
      { hash: hashOf(1), js_integrity_score: 90, fetched_at: "2025-12-31T00:00:00Z" },
    ];
    const kept = script("https://shop.example.com/app.js", { hash: hashOf(2) });
    desk.sim.zones.seed(zoneId, {
      scripts: [script(payments, { hash: hashOf(1), versions }), kept],
      policies: [policy],
    });
    const args = ["inventory", "check", ...zone, "--json", "--versions", "kept"];
    const single = () => desk.sim.requests({ path: "/scripts/" }).length;
    const first = await desk.pageGuard(args, day("2026-01-01"));
    assert.deepEqual(codes(first), ["inventory-changed"]);
    assert.match(findingsOf(first)[0]?.text ?? "", /had the hash 0+7/);
    assert.equal(single(), 2);
    const second = await desk.pageGuard(args, day("2026-01-01"));
    assert.deepEqual(codes(second), ["inventory-changed"]);
    assert.equal(single(), 2);
    desk.sim.dashboard.addScript(zoneId, script("https://new.example/n.js"));
    await desk.pageGuard(args, day("2026-01-01"));
    assert.equal(single(), 3);
  });

  it("given more requests than the rate limit lets through at once, then it says once how long all zones take", async () => {
    const desk = await open();
    const other = "b".repeat(32);
    for (const id of [zoneId, other]) desk.sim.zones.seed(id, { scripts: 700 });
    // Nobody waits five minutes for a test: the first single read ends it.
    desk.sim.faults.add({ method: "GET", path: "/scripts/", kind: "status", status: 403 });
    const args = ["inventory", "check", ...zone, "--zone", other, "--versions", "kept"];
    const { err } = await desk.pageGuard(args);
    assert.equal(
      err,
      "Reading the versions of 1400 scripts takes at least 1416 requests: by the rate limit of 1200 in 5 minutes, about 5 minutes.\n",
    );
  });

  it("given more zones than the rate limit lets through at once, then it says so, and nothing for fewer", async () => {
    const desk = await open({ rateLimit: { limit: 100_000, windowMs: 300_000, blockMs: 300_000 } });
    const zones = Array.from({ length: 610 }, (_, index) => index.toString(16).padStart(32, "0"));
    const check = (ids: readonly string[]) =>
      desk.pageGuard(["inventory", "check", ...ids.flatMap((id) => ["--zone", id])]);
    assert.match(
      (await check(zones)).err,
      /^Reading 610 zones takes at least 1220 requests: by the rate limit of 1200 in 5 minutes, about 5 minutes\.$/m,
    );
    assert.equal((await check(zones.slice(0, 10))).err, "");
    desk.sim.zones.seed(zoneId, { scripts: 300 });
    assert.equal((await desk.pageGuard(["inventory", "check", ...zone, "--versions", "kept"])).err, "");
  });
});

describe("page-guard inventory approve", () => {
  const open = useDesk();
  const approval = ["--by", "Ada Byron", "--reference", "https://git.example/pull/7", "--why", "Card form"];

  it("given the match of an entry, then just that entry is approved, with what was seen of it", async () => {
    const desk = await open();
    seed(desk.sim);
    await desk.pageGuard(["inventory", "update", ...zone]);
    const before = textOf(desk).split("\n");
    const sent = desk.sim.requests().length;
    const { code, out } = await desk.pageGuard(
      ["inventory", "approve", payments, ...approval],
      day("2026-11-23"),
    );
    assert.equal(code, 0);
    assert.match(
      out,
      /^Approved https:\/\/js\.payments\.example\/v3\/pay\.js \(inventory\/shop\.yaml:\d+\)\. 1 hash is approved\.\n$/,
    );
    assert.equal(desk.sim.requests().length, sent);
    const after = textOf(desk).split("\n");
    assert.deepEqual(
      after.filter((line) => !before.includes(line)),
      [
        '  justification: "Card form"',
        '  approved: { by: "Ada Byron", reference: "https://git.example/pull/7", on: 2026-11-23 }',
        `  integrity: { hashes: ["${hashOf(1)}"] }`,
      ],
    );
    assert.equal(after.length, before.length + 1);
  });

  it("given a URL that one entry matches and a new hash, then both hashes are approved", async () => {
    const desk = await approved(await open());
    const { code, out, err } = await desk.pageGuard([
      "inventory",
      "approve",
      `${payments}`,
      ...approval,
      "--hash",
      hashOf(9).toUpperCase(),
      "--review-by",
      "2027-01-01",
    ]);
    assert.equal(code, 0, err);
    assert.match(out, /2 hashes are approved/);
    const [entry] = parseInventory(textOf(desk)).entries;
    assert.deepEqual(entry?.integrity, { hashes: [hashOf(1), hashOf(9)] });
    assert.equal(entry?.reviewBy, "2027-01-01");
  });

  it("given what no entry or several entries match, a name that is empty or another method, then nothing is written", async () => {
    const desk = await approved(await open());
    put(
      desk,
      `${textOf(desk)}- match: https://js.payments.example/*/pay.js\n- match: https://any.example/\n  integrity: { any: "x" }\n`,
    );
    mkdirSync(join(desk.folder, "empty"));
    const before = textOf(desk);
    for (const [pattern, args, said] of [
      ["https://none.example/", approval, /inventory\/shop\.yaml has no such entry/],
      ["https://js.payments.example/v3/*", approval, /has no such entry/],
      [
        "https://js.payments.example:443/v3/pay.js",
        approval,
        /several entries match it \(inventory\/shop\.yaml:1, inventory\/shop\.yaml:\d+\)/,
      ],
      [payments, [...approval.slice(0, 1), " ", ...approval.slice(2)], /--by is empty/],
      ["https://any.example/", [...approval, "--hash", hashOf(1)], /another integrity method/],
      [payments, [...approval, "--hash", "abc"], /64 hexadecimal/],
      [payments, [...approval, "--review-by", "soon"], /2027-03-31/],
      [payments, [...approval, "--inventory", "empty"], /there is no inventory in empty/],
      [
        payments,
        [...approval, "--inventory", "nowhere"],
        /there is no inventory in nowhere\. Run `page-guard/,
      ],
      [payments, approval.slice(0, 4), /--why/],
    ] as const) {
      const { code, err } = await desk.pageGuard(["inventory", "approve", pattern, ...args]);
      assert.equal(code, 1, pattern);
      assert.match(err, said);
    }
    assert.equal(textOf(desk), before);
  });
});

interface Told {
  readonly code: string;
  readonly line?: number;
  readonly text: string;
  readonly isNew?: boolean;
  readonly scripts: readonly string[];
}

function findingsOf({ out, err }: Ended): readonly Told[] {
  assert.equal(err, "");
  const { zones }: { zones: { findings: Told[] }[] } = JSON.parse(out);
  return zones.flatMap(({ findings }) => findings);
}

function codes(ended: Ended): readonly string[] {
  return findingsOf(ended).map(({ code }) => code);
}

function textOf({ folder }: Desk): string {
  return readFileSync(join(folder, file), "utf8");
}

function put({ folder }: Desk, text: string): void {
  mkdirSync(join(folder, "inventory"), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function script(url: string, more: Partial<ZoneScript> = {}): Partial<ZoneScript> {
  return {
    url,
    host: "shop.example.com",
    status: "active",
    first_page_url: "https://shop.example.com/checkout",
    page_urls: [],
    js_integrity_score: 90,
    domain_reported_malicious: false,
    url_reported_malicious: false,
    ...more,
  };
}

const policy = {
  description: "checkout",
  action: "allow",
  enabled: true,
  expression: 'http.host eq "shop.example.com"',
  value: "script-src 'self' https://js.payments.example",
};

function idOf(sim: Simulator, url: string): string {
  return sim.zone(zoneId).scripts.find((one) => one.url === url)?.id ?? assert.fail(url);
}

function seed(sim: Simulator): void {
  sim.zones.seed(zoneId, {
    scripts: [
      script("https://shop.example.com/app.9c1d22ee.js", { hash: hashOf(3), js_integrity_score: 80 }),
      script(payments, { hash: hashOf(1) }),
      script("https://shop.example.com/app.3f2a91bc.js", { hash: hashOf(2), status: "inactive" }),
      script("https://tags.example/t.js", { hash: null, js_integrity_score: null }),
    ],
    policies: [policy],
  });
}

/** Two scripts, both approved as they are. */
async function approved(desk: Desk): Promise<Desk> {
  desk.sim.zones.seed(zoneId, {
    scripts: [
      script(payments, { hash: hashOf(1) }),
      script("https://shop.example.com/app.js", { hash: hashOf(2) }),
    ],
    policies: [policy],
  });
  const entry = (match: string, number: number) =>
    `- match: ${match}\n  justification: needed\n  integrity: { hashes: ["${hashOf(number)}"] }\n  approved: { by: Ada, reference: PR 7, on: 2025-12-01 }\n  firstSeen: 2025-11-01\n`;
  put(desk, `${entry(payments, 1)}${entry("https://shop.example.com/app.js", 2)}`);
  return desk;
}
