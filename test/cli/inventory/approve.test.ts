import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseInventory } from "../../../command/src/inventory/inventory-file";
import { hashOf } from "../../inventory/items";
import { useDesk } from "../support/console";
import { approved, day, payments, put, seed, textOf, zone } from "../support/inventories";

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
        "  justification: Card form",
        "  approved: { by: Ada Byron, reference: https://git.example/pull/7, on: 2026-11-23 }",
        `  integrity: { hashes: [ "${hashOf(1)}" ] }`,
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
