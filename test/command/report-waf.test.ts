import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { readiness } from "../../command/src/report/waf";
import { useDesk, zoneId } from "./support/console";

const formats = ["--out", "out", "--format", "html,md,csv,json"];
const args = ["report", "--waf", "--zone", zoneId, "--name", `${zoneId}=shop`, ...formats];
const at = { now: () => Date.UTC(2026, 10, 23, 6, 0) };

describe("page-guard report: the WAF and its migration", () => {
  const open = useDesk();

  for (const overLimit of ["show", "refuse"] as const)
    it(`given rules over the limits, then says why the migration may not begin (the service may ${overLimit} them)`, async () => {
      const { sim, folder, pageGuard } = await open();
      const long = { description: "long list", expression: `ip.src in {${"192.0.2.1 ".repeat(410)}}` };
      for (const [firewallRules, why] of new Map<number | (typeof long)[], RegExp>([
        [201, /\b201 firewall rules .* at most 200/],
        [[long], /long list.{0,30} has 4112 bytes/],
      ])) {
        sim.zones.seed(zoneId, { waf: { firewallRules, overLimit } });
        assert.equal((await pageGuard(args, at)).code, 0);
        const { mayBegin, reasons, rulesToMove } = wafOf(folder);
        assert.equal(mayBegin, "no");
        assert.match(reasons.join("\n"), why);
        if (firewallRules === 201) assert.equal(rulesToMove, overLimit === "show" ? 201 : null);
        for (const file of ["waf.html", "waf.md", "waf.csv"]) assert.match(read(folder, file), why, file);
      }
    });

  it("given URI overrides, then says in every format that they must be deleted first, with names and URLs", async () => {
    const { sim, folder, pageGuard } = await open();
    const uriOverrides = [
      { description: "old checkout", urls: ["shop.example.com/checkout/*", "shop.example.com/pay"] },
      { description: "=blog()", urls: ["blog.example.com/*"] },
    ];
    sim.zones.seed(zoneId, { waf: { uriOverrides } });
    await pageGuard(args, at);
    const { mayBegin, reasons } = wafOf(folder);
    assert.deepEqual([mayBegin, ...reasons], ["no", "Delete 2 URI overrides first."]);
    for (const file of ["waf.html", "waf.md"]) {
      const text = read(folder, file).replace(/<[^>]*>|[\\​]/g, "");
      assert.match(text, /old checkout \(shop\.example\.com\/checkout\/\*, shop\.example\.com\/pay\)/, file);
      assert.match(text, /=blog\(\) \(blog\.example\.com\/\*\)/, file);
    }
    assert.match(read(folder, "waf.csv"), /old checkout \(.*\);' =blog\(\)/);
  });

  it("given a zone that does not exist, then says so and exits with 1", async () => {
    const { pageGuard } = await open();
    const { code, err } = await pageGuard(["report", "--waf", "--zone", "f".repeat(32), ...formats], at);
    assert.equal(code, 1);
    assert.match(err, /^f{32}: entrypoint: /m);
  });

  for (const more of ["--verify .", "--chain .", "--record", "--check"])
    it(`given ${more}, which would have no effect, then refuses it`, async () => {
      const { pageGuard } = await open();
      for (const one of ["--waf", "--verify .", "--chain ."].filter((mode) => mode !== more)) {
        const { code, err } = await pageGuard(
          ["report", ...`${one} ${more}`.split(" "), "--zone", zoneId],
          at,
        );
        assert.equal(code, 1);
        assert.match(err, /Give only one of --waf, --verify and --chain/);
      }
    });

  it("given 200 zones, then writes one table with a row for each zone, with five requests per zone", async () => {
    const { sim, folder, pageGuard } = await open({
      rateLimit: { limit: 10_000, windowMs: 300_000, blockMs: 0 },
    });
    const ids = Array.from({ length: 200 }, (_, index) => index.toString(16).padStart(32, "e"));
    ids.forEach((id, index) => {
      sim.zones.seed(id, { scripts: [], connections: [], policies: [], waf: { uriOverrides: index % 2 } });
    });
    writeFileSync(
      join(folder, "zones.yaml"),
      ids.map((id, index) => `- { id: ${id}, name: zone-${index} }\n`).join(""),
    );
    const { code, err } = await pageGuard(["report", "--waf", "--zones", "zones.yaml", ...formats], at);
    assert.equal(code, 0, err);
    assert.equal(err, "");
    assert.equal(sim.requests().length, 200 * 5);
    const [table = ""] = read(folder, "waf.html").split("</table>");
    assert.equal(table.split("<tr").length - 2, 200, "rows beside the head");
    assert.equal(table.split("Delete 1 URI override first.").length - 1, 100);
    assert.equal(read(folder, "waf.csv").trimEnd().split("\r\n").length, 201);
  });
});

function read(folder: string, file: string): string {
  return readFileSync(join(folder, "out", file), "utf8");
}

function wafOf(folder: string): Awaited<ReturnType<typeof readiness>> {
  return JSON.parse(read(folder, "waf.json")).zones[0] ?? assert.fail("no zone");
}
