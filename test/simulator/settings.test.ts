import assert from "node:assert/strict";
import type { Plan } from "../../simulator/src";
import { call, seeded, start, stopAll, zoneId } from "./raw-client";

afterEach(stopAll);

describe("settings", () => {
  it("given a zone, when one field is put, then the others stay and only two come back", async () => {
    const sim = await seeded(
      { settings: { use_connection_url_path: true } },
      { now: () => Date.UTC(2030, 0, 1) },
    );
    const put = await call(sim, "PUT", "page_guard", { enabled: true });
    assert.deepEqual(put.result, { enabled: true, updated_at: "2030-01-01T00:00:00.000Z" });
    const got = await call(sim, "GET", "page_guard");
    assert.deepEqual(got.result, {
      enabled: true,
      updated_at: "2030-01-01T00:00:00.000Z",
      use_vendor_reporting_endpoint: true,
      use_connection_url_path: true,
    });
  });

  it("under the public spelling all four come back, one under its public name", async () => {
    const sim = await seeded();
    const put = await call(sim, "PUT", "page_shield", { use_cloudflare_reporting_endpoint: false });
    assert.deepEqual(Object.keys(put.result).sort(), [
      "enabled",
      "updated_at",
      "use_cloudflare_reporting_endpoint",
      "use_connection_url_path",
    ]);
    assert.equal(sim.zone(zoneId).settings.use_vendor_reporting_endpoint, false);
    const crossed = [
      await call(sim, "PUT", "page_shield", { use_vendor_reporting_endpoint: true }),
      await call(sim, "PUT", "page_guard", { use_cloudflare_reporting_endpoint: true }),
    ];
    assert.deepEqual(
      crossed.map((reply) => reply.status),
      [400, 400],
    );
  });

  it("refuses strings for booleans, null and unknown fields, and changes nothing", async () => {
    const sim = await seeded();
    const before = sim.zone(zoneId);
    for (const body of [{ enabled: "true" }, { enabled: null }, { enabled: 1 }, { enable: true }]) {
      const reply = await call(sim, "PUT", "page_guard", body);
      assert.equal(reply.status, 400, JSON.stringify(body));
      assert.match(reply.error.source?.pointer ?? "", /^\/enabled?$/);
    }
    assert.deepEqual(sim.zone(zoneId), before);
  });

  it("refuses what the plan is not entitled to", async () => {
    const sim = await start();
    for (const plan of ["pro", "business", "enterprise"] satisfies Plan[]) {
      sim.zones.seed(zoneId, { plan });
      const wanted = plan === "enterprise" ? 200 : 403;
      const path = await call(sim, "PUT", "page_guard", { use_connection_url_path: true });
      const endpoint = await call(sim, "PUT", "page_guard", { use_vendor_reporting_endpoint: false });
      assert.deepEqual([path.status, endpoint.status], [wanted, wanted], plan);
      if (wanted === 403) assert.match(path.error.message, /not entitled/);
      const harmless = { use_connection_url_path: false, use_vendor_reporting_endpoint: true };
      assert.equal((await call(sim, "PUT", "page_guard", harmless)).status, 200);
    }
  });
});
