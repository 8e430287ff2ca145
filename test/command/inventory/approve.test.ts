import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseInventory } from "../../../command/src/inventory/inventory-file";
import { type Ended, expectRefusals, printed, useDesk } from "../support/console";
import {
  appJs,
  approved,
  day,
  file,
  payments,
  policy,
  put,
  script,
  seed,
  textOf,
  watch,
  zone,
} from "../support/inventories";
import { hashOf } from "./items";

describe("page-guard inventory approve", () => {
  const open = useDesk();
  const approval = ["--by", "Ada Byron", "--reference", "https://git.example/pull/7", "--why", "Card form"];

  it("given the match of an entry, then approves only that entry, with the hash that was seen", async () => {
    const desk = await open();
    seed(desk.sim);
    await desk.pageGuard(["inventory", "update", ...zone]);
    const before = textOf(desk).split("\n");
    const sent = desk.sim.requests().length;
    const approve = ["inventory", "approve", payments, ...approval];
    const out = await printed(desk.pageGuard(approve, day("2026-11-23")), 0);
    assert.match(out, /^Approved https:\S+pay\.js \(inventory\/shop\.yaml:\d+\)\. 1 hash is approved\.\n$/);
    assert.equal(desk.sim.requests().length, sent);
    const after = textOf(desk).split("\n");
    assert.deepEqual(
      after.filter((line) => !before.includes(line)),
      [
        "  justification: Card form",
        "  approved: { by: Ada Byron, reference: https://git.example/pull/7, on: 2026-11-23 }",
        `  integrity: { hashes: [ "${hashOf(1)}" ] }`,
      ],
    );
    assert.equal(after.length, before.length + 1);
  });

  const other = "b".repeat(32);

  /** Checks two zones with the same entry, whose script has changed in the second one. */
  async function checkTwo(url: string, ...flags: readonly string[]) {
    const desk = await approved(await open());
    watch(desk.sim, [script(url, { hash: hashOf(9) })], [policy], other);
    writeFileSync(join(desk.folder, "inventory/pay.yaml"), textOf(desk).replaceAll(payments, url));
    const zones = [...zone, "--zone", other, "--name", `${other}=pay`, ...flags];
    const { out } = await desk.pageGuard(["inventory", "check", ...zones], day("2026-01-01"));
    return { ...desk, out };
  }

  it("given the command that check suggests for one of two zones with the same entry, then works as printed", async () => {
    const { out, ...desk } = await checkTwo(payments);
    const [, advised = ""] = /`page-guard (inventory approve [^`]+)`/.exec(out) ?? [];
    const words = [...advised.matchAll(/'([^']*)'|\S+/g)].map(([word, inQuotes = word]) => inQuotes);
    const args = words.map((word) => (word === "URL" ? "https://git.example/9" : word));
    const said = await printed(desk.pageGuard(args, day("2026-01-01")), 0);
    assert.match(said, /^Approved .*\(inventory\/pay\.yaml:1\)\. 2 hashes are approved/);
  });

  it("given a long URL and one of two zones, then the issue has the whole command, to be copied, and the facts after it", async () => {
    const long = `https://js.payments.example/${"a".repeat(300)}/pay.js`;
    const { folder } = await checkTwo(long, "--urgent", "urgent.md");
    const row = readFileSync(join(folder, "urgent.md"), "utf8");
    const command = `[^\\\\]\`page-guard inventory approve ${long} --hash \\w+ .* ${other}=pay\``;
    assert.match(row, new RegExp(`${command}\\..* Guide: `));
  });

  it("given new contents of an approved script, then adds a change with its own approval", async () => {
    const desk = await approved(await open());
    const approve = ["inventory", "approve", payments, ...approval];
    const change = [...approve, "--hash", hashOf(9).toUpperCase(), "--review-by", "2027-01-01"];
    assert.match(await printed(desk.pageGuard(change), 0), /2 hashes are approved/);
    const [entry] = parseInventory(textOf(desk)).entries;
    assert.deepEqual(entry?.integrity, { hashes: [hashOf(1)] });
    assert.equal(entry?.approved?.by, "Ada");
    const changes = entry?.change.map(({ hash, approved: { by }, why }) => [hash, by, why]);
    assert.deepEqual(changes, [[hashOf(9), "Ada Byron", "Card form"]]);
    for (const [again, count] of [
      [1, 2],
      [9, 2],
      [8, 3],
    ] as const)
      assert.match(
        await printed(desk.pageGuard([...approve, "--hash", hashOf(again), "--hash", hashOf(again)]), 0),
        new RegExp(`${count} hashes`),
      );
    assert.equal(parseInventory(textOf(desk)).entries[0]?.change.length, 2);
    assert.equal(entry?.reviewBy, "2027-01-01");
  });

  it("given --everywhere, then approves the script in each zone that has it, in all or none", async () => {
    const desk = await approved(await open());
    for (const [name, text] of Object.entries({ [other]: payments, blog: "https://blog.example/b.js" }))
      writeFileSync(join(desk.folder, `inventory/${name}.yaml`), `- match: ${text}\n`);
    const args = ["inventory", "approve", payments, ...approval];
    const one = await desk.pageGuard(args);
    assert.match(one.err, /several entries match it .*, or approve all of them with --everywhere/);
    const out = await printed(desk.pageGuard([...args, "--everywhere"]), 0);
    assert.equal(out.split("\n").length, 3, out);
    // The zone is named by its id if the file has that name.
    const named = await desk.pageGuard([...args, "--zone", other, "--name", `${other}=news`]);
    assert.match(named.out, new RegExp(`^Approved ${payments} \\(inventory/${other}\\.yaml:1\\)`));
  });

  it("given two approvals at once, then the second one is refused, and works when it is run again", async () => {
    const desk = await approved(await open());
    const [one, other] = [payments, appJs].map((url) => ["inventory", "approve", url, ...approval]);
    let first: Promise<Ended> | undefined;
    /** Runs the first command after the second one has read the inventory. */
    const now = () => {
      first ??= desk.pageGuard(one ?? []);
      return Date.now();
    };
    const refused = await printed(desk.pageGuard(other ?? [], { now }), 1);
    assert.match(refused, /shop\.yaml: another process has changed it since .* Run the command again\./);
    assert.equal((await first)?.code, 0);
    await printed(desk.pageGuard(other ?? []), 0);
    const names = parseInventory(textOf(desk)).entries.map((entry) => entry.approved?.by);
    assert.deepEqual(names, ["Ada Byron", "Ada Byron"]);
    const before = textOf(desk);
    writeFileSync(join(desk.folder, `${file}.lock`), "");
    const locked = await printed(desk.pageGuard(one ?? []), 1);
    assert.match(locked, /another process is writing it\. If no other .*, delete .*shop\.yaml\.lock\. Run/);
    assert.equal(textOf(desk), before);
  });

  it("given a match of no entry or of several, an empty name or an unknown method, then writes nothing", async () => {
    const desk = await approved(await open());
    const any = '- match: https://any.example/\n  integrity: { any: "x" }\n';
    put(desk, `${textOf(desk)}- match: https://js.payments.example/*/pay.js\n${any}`);
    mkdirSync(join(desk.folder, "empty"));
    const before = textOf(desk);
    await expectRefusals(
      (args) => desk.pageGuard(["inventory", "approve", ...args]),
      [
        [["https://none.example/", ...approval], /no such entry in inventory\/shop\.yaml/],
        [["https://js.payments.example/v3/*", ...approval], /no such entry/],
        [["https://js.payments.example:443/v3/pay.js", ...approval], /match it \(inventory\/shop\.yaml:1, /],
        [[payments, ...approval.slice(0, 1), " ", ...approval.slice(2)], /--by is empty/],
        [[payments, ...approval.slice(0, 3), "PR 7", ...approval.slice(4)], /--reference takes a URL/],
        [["https://any.example/", ...approval, "--hash", hashOf(1)], /an integrity method other than hashes/],
        [[payments, ...approval, "--hash", "abc"], /64 hexadecimal/],
        [[payments, ...approval, "--review-by", "soon"], /2027-03-31/],
        [[payments, ...approval, "--review-by", "2020-01-01"], /--review-by is in the past/],
        [
          [payments, ...approval.slice(0, 3), "https://u:p@git.example/7", ...approval.slice(4)],
          /a user name or a/,
        ],
        [[payments, ...approval, "--inventory", file], /--inventory takes a folder, but inventory\/shop/],
        [[payments, ...approval, "--inventory", "empty"], /no such entry in empty/],
        [[payments, ...approval, "--inventory", "nowhere"], /no such entry in nowhere\. Run `page-guard/],
        [[payments, ...approval.slice(0, 4)], /--why/],
      ],
    );
    assert.equal(textOf(desk), before);
  });
});
