import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Desk, useDesk } from "../support/console";
import { codes, day, policy, put, script, zone, zoneId } from "../support/inventories";
import { hashOf } from "./items";

const approval = (on: string, reference = "https://git.example/pull/7") =>
  `{ by: Ada, reference: "${reference}", on: ${on} }`;
const by = (method: string) =>
  `integrity: ${method}, approved: ${approval("2026-01-05")}, hash: "${hashOf(1)}"`;
const hashes = by(`{ hashes: ["${hashOf(1)}"] }`);
const change = `change: { hash: "${hashOf(2)}", approved: ${approval("2026-02-01")} }`;
const saysHashes = "only contents with an approved SHA-256 (1 approved)";

/**
 * Ways to approve a script: its contents now, what the report says about its integrity and asks for, and whether the approval
 * counts.
 */
const cases: Readonly<
  Record<string, readonly [fields: string, now: number, says: string, needs: string, counts: boolean]>
> = {
  hashes: [hashes, 1, saysHashes, "", true],
  changed: [hashes, 2, saysHashes, "changed", false],
  change: [`${hashes}, ${change}`, 2, saysHashes, "", true],
  sri: [by("{ sri: true }"), 1, "declared, not checked", "", true],
  "sri-new": [by("{ sri: true }"), 2, "declared, not checked", "changed", false],
  any: [by("{ any: daily }"), 1, "none: daily", "unchecked", true],
  policy: [by("{ policy: checkout }"), 1, "weak: policy checkout", "", true],
  "no-policy": [by("{ policy: gone }"), 1, "weak: policy gone", "policy-unknown", true],
  future: [`approved: ${approval("2030-01-01")}`, 1, "", "unapproved", false],
  nowhere: [`approved: ${approval("2026-01-05", "PR 7")}`, 1, "", "unapproved", false],
  script: [`approved: ${approval("2026-01-05", "javascript:alert(1)")}`, 1, "", "unapproved", false],
  "change-future": [`${hashes}, ${change.replace("2026-02", "2030-01")}`, 2, saysHashes, "changed", false],
};

describe("The approvals of an inventory", () => {
  const open = useDesk();
  const url = (name: string) => `https://js.payments.example/${name}.js`;
  const at = day("2026-03-01");

  async function claimed(entries: readonly string[]): Promise<Desk> {
    const desk = await open();
    const scripts = Object.entries(cases).map(([name, [, now]]) => script(url(name), { hash: hashOf(now) }));
    desk.sim.zones.seed(zoneId, { scripts, policies: [policy] });
    put(desk, entries.join(""));
    return desk;
  }

  it("given each way to approve a script, then the report says what is checked and what is needed, and counts valid approvals", async () => {
    const entry = (name: string, fields: string) =>
      `- { match: "${url(name)}", justification: x, ${fields} }\n`;
    const desk = await claimed(Object.entries(cases).map(([name, [fields]]) => entry(name, fields)));
    const args = ["report", ...zone, "--inventory", "inventory", "--format", "json", "--out", "out"];
    const { code, out, err } = await desk.pageGuard(args, at);
    assert.equal(code, 1, "the report could not read all of the inventory");
    const { data } = JSON.parse(readFileSync(join(desk.folder, "out/report.json"), "utf8"));
    const [{ scripts, inventory }] = data.zones;
    for (const [name, [, , says, needs]] of Object.entries(cases)) {
      const row = scripts.find(({ key }: { key: string }) => key === url(name)) ?? assert.fail(err);
      assert.ok((row.entry.integrity ?? "").includes(says), `${name}: ${row.entry.integrity}`);
      const asked = row.needs
        .filter(({ severity }: { severity: string }) => severity !== "info")
        .map(({ code }: { code: string }) => code.replace("inventory-", ""));
      assert.equal(asked.join(" "), needs, name);
    }
    const held = Object.values(cases).filter(([, , , , counts]) => counts).length;
    assert.match(out, new RegExp(`${Object.keys(cases).length} scripts \\(${held} approved\\)`));
    const lines = inventory.faults.map(({ line }: { line: number }) => line);
    assert.deepEqual(lines, [9, 10, 11, 12]);
  });

  it("given an approval with a future date or a reference without a URL, then check exits with 1; --references completes #7", async () => {
    for (const [fields, flags, expected] of [
      [approval("2026-03-01"), [], []],
      [approval("2026-03-02"), [], ["inventory-invalid"]],
      [approval("2026-01-05", "#7"), [], ["inventory-invalid"]],
      [approval("2026-01-05", "#7"), ["--references", "https://git.example/pull/"], []],
    ] as const) {
      const desk = await claimed([`- { match: "https://js.payments.example/*.js", approved: ${fields} }\n`]);
      const ended = await desk.pageGuard(["inventory", "check", ...zone, "--json", ...flags], at);
      assert.deepEqual(
        codes(ended).filter((code) => code === "inventory-invalid"),
        expected,
        fields,
      );
      assert.equal(ended.code, expected.length > 0 ? 1 : 2);
    }
  });

  it("given a zones.yaml in the folder, then commands use its names for files, and ids in JSON", async () => {
    const desk = await claimed([]);
    const ofZone = ["--zone", zoneId];
    writeFileSync(join(desk.folder, "zones.yaml"), `- { id: "${zoneId}", name: shop }\n`);
    const updated = await desk.pageGuard(["inventory", "update", ...ofZone]);
    assert.match(updated.out, /^shop: .*\(inventory\/shop\.yaml\)/);
    const given = ["--by", "Ada", "--reference", "https://git.example/7", "--why", "x"];
    const approve = ["inventory", "approve", url("any"), ...ofZone, ...given];
    assert.match((await desk.pageGuard(approve)).out, /\(inventory\/shop\.yaml:\d+\)/);
    const { out } = await desk.pageGuard(["inventory", "check", ...ofZone, "--json"]);
    const [{ id, name }] = JSON.parse(out).zones;
    assert.deepEqual([id, name], [zoneId, "shop"]);
    // A name belongs to one file, and so to one zone. A flag takes precedence over the file.
    const other = "b".repeat(32);
    const both = ["inventory", "check", ...ofZone, "--zone", other, "--name", `${other}=Shop`];
    assert.match((await desk.pageGuard(both)).out, new RegExp(`^${zoneId}: .*[\\s\\S]*^Shop: `, "m"));
    const { err } = await desk.pageGuard([...both, "--name", `${zoneId}=shop`]);
    assert.match(err, new RegExp(`The zones ${other} and ${zoneId} are both named Shop`));
  });
});
