import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulator, ZoneScript } from "../../provider/src/simulator";
import { useDesk } from "./support/console";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

describe("page-guard suggest", () => {
  const open = useDesk();

  it("given what was seen on a host, then it prints the directives, what is left out and why, and writes seen.json", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const args = ["suggest", "--zone", zoneId, "--host", "shop.example.com", "--seen", "seen.json"];
    const { code, out, err } = await pageGuard(args);
    assert.equal(code, 0, err);
    assert.match(out, /"js\.payments\.example"/);
    assert.match(
      out,
      /Not allowed: script https:\/\/evil\.example\/x\.js, its integrity score is 3, below 50; on /,
    );
    assert.match(out, /^2 scripts and 1 connections allowed\.$/m);
    const written = readFileSync(join(folder, "seen.json"), "utf8");
    assert.deepEqual(JSON.parse(written), {
      "script-src": ["'self'", "js.payments.example"],
      "connect-src": ["api.payments.example"],
    });
    // Once more: the same file, byte for byte.
    await pageGuard(args);
    assert.equal(readFileSync(join(folder, "seen.json"), "utf8"), written);
  });

  it("given --json, then the whole suggestion", async () => {
    const { sim, pageGuard } = await open();
    seed(sim);
    const { out } = await pageGuard(["suggest", "--zone", zoneId, "--host", "shop.example.com", "--json"]);
    const document: { included: object; excluded: { reason: string }[] } = JSON.parse(out);
    assert.deepEqual(document.included, { scripts: 2, connections: 1 });
    assert.deepEqual(
      document.excluded.map(({ reason }) => reason),
      ["malicious"],
    );
  });

  it("given a zone with 250 scripts, then all pages count", async () => {
    const { sim, pageGuard } = await open();
    sim.zones.seed(zoneId, { scripts: 250, connections: 0, statuses: ["active"] });
    const { code } = await pageGuard(["suggest", "--zone", zoneId]);
    assert.equal(code, 0);
    assert.equal(sim.requests({ path: "/scripts" }).length, 3);
  });

  it("given what the lists hide by default, then it counts as well; where the service refuses, that is said", async () => {
    const { sim, pageGuard } = await open();
    seed(sim);
    const decode = "https://img.example/cdn-cgi/scripts/5c5dd728/email-decode.min.js";
    sim.dashboard.addScript(zoneId, { url: decode, status: "active", js_integrity_score: 90 });
    const args = ["suggest", "--zone", zoneId];
    assert.match((await pageGuard(args)).out, /"img\.example"/);
    sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    const { out } = await pageGuard(args);
    assert.match(out, /^NOT ALL WAS SEEN: the service does not take exclude_duplicates/);
    assert.doesNotMatch(out, /img\.example/);
    assert.match((await pageGuard([...args, "--sarif", "-"])).out, /csp-hidden-not-seen/);
    assert.equal(JSON.parse((await pageGuard([...args, "--json"])).out).isPartial, true);
  });

  it("given no zone, two zones, or a zone that is none, then it says so and ends with 1", async () => {
    const { pageGuard } = await open();
    for (const [args, said] of [
      [[], /No zone is given/],
      [["--zone", zoneId, "--zone", "b".repeat(32)], /just one --zone/],
      [["--zone", "shop.example.com"], /32 hexadecimal characters/],
    ] as const) {
      const { code, err } = await pageGuard(["suggest", ...args]);
      assert.equal(code, 1);
      assert.match(err, said);
    }
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
      seen("https://other.example/blog.js", { host: "blog.example.com", js_integrity_score: 90 }),
    ],
    connections: [seen("https://api.payments.example/charge")],
    cookies: 0,
  });
}
