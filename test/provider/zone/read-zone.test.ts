import assert from "node:assert/strict";
import { createClient } from "../../../provider/src/api/create-client";
import { readZone, requireValues, type ZonePart } from "../../../provider/src/functions/read-zone";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { zoneA } from "../small-engine/zones";

const all: readonly ZonePart[] = [
  ...(["settings", "policies", "entrypoint", "compatibility"] as const),
  ...(["wafStatus", "wafConfiguration", "inUse", "cookies"] as const),
];

const policy = { description: "shop", action: "log", expression: "true", value: "img-src *" };

describe("The reader of a zone", () => {
  let sim: Simulator;
  const client = () =>
    createClient({ baseUrl: sim.url, token: sim.token, service: "page_guard" }, { env: {} });
  const whys = async (parts: readonly ZonePart[]) =>
    Object.fromEntries((await readZone(client(), zoneA, parts)).unread.map(({ part, why }) => [part, why]));

  beforeEach(async () => {
    sim = await startSimulator();
    const items = { scripts: 120, connections: 3, cookies: 2, statuses: ["active"] } as const;
    sim.zones.seed(zoneA, { ...items, policies: [policy], waf: {} });
  });
  afterEach(() => sim.stop());

  it("reads the requested parts completely, with one request per kind and page", async () => {
    const values = requireValues(await readZone(client(), zoneA, all));
    assert.deepEqual(Object.keys(values).sort(), [...all, "service"].sort());
    const { inUse, cookies, policies } = values;
    const lists = [inUse?.scripts, inUse?.connections, cookies, policies].map((list) => list?.length);
    assert.deepEqual(lists, [120, 3, 2, 1]);
    const requests = sim.journal.filter(({ path }) => !path.includes("/scripts"));
    assert.equal(requests.length, all.length);
    const from = sim.journal.length;
    const alone = Object.keys(requireValues(await readZone(client(), zoneA, ["settings"])));
    assert.deepEqual(alone, ["service", "settings"]);
    assert.equal(sim.journal.length - from, 1);
  });

  it("returns no rules for a zone that has only the previous WAF", async () => {
    const message = "WAF enrollment is required";
    sim.faults.add({ path: "/entrypoint", kind: "status", status: 400, message });
    const { entrypoint } = requireValues(await readZone(client(), zoneA, ["entrypoint"]));
    assert.deepEqual(entrypoint, { rules: [] });
  });

  it("reports for each part why it was not read, and throws the worst error", async () => {
    sim.faults.add({ path: /page_guard$/, kind: "status", status: 403 });
    sim.faults.add({ path: "/policies", kind: "status", status: 404, code: 1002 });
    sim.faults.add({ path: "/entrypoint", kind: "status", status: 401 });
    assert.deepEqual(await whys(["settings", "policies", "entrypoint", "wafStatus"]), {
      settings: "refused",
      policies: "gone",
      entrypoint: "failed",
    });
    const read = await readZone(client(), zoneA, ["settings", "policies", "entrypoint"]);
    assert.throws(() => requireValues(read), /HTTP 401/);
    assert.throws(() => requireValues(read, ({ why }) => why === "failed"), /HTTP 403/);
    assert.deepEqual(Object.keys(requireValues(read, () => true)), ["service"]);
  });

  it("does not mistake a gateway's 404 or an unexpected failure for a deleted object", async () => {
    sim.faults.add({ path: "/policies", kind: "html", status: 404 });
    assert.deepEqual(await whys(["policies"]), { policies: "failed" });
    sim.faults.clear();
    const odd = { ...client(), getSettings: () => Promise.reject(new Error("odd")) };
    assert.equal((await readZone(odd, zoneA, ["settings"])).unread[0]?.why, "failed");
  });

  it("distinguishes a deleted zone and a removed interface from a wrong service name", async () => {
    const noRoute = { kind: "status", status: 404, code: 7003 } as const;
    const parts = ["policies", "wafStatus", "entrypoint"] as const;
    sim.faults.add({ path: /page_guard/, ...noRoute });
    sim.faults.add({ path: /waf_migration|migrat|status/, ...noRoute });
    assert.deepEqual(await whys(parts), { policies: "refused", wafStatus: "gone" });
    assert.deepEqual(await whys(["policies"]), { policies: "refused" });
    sim.faults.add({ path: "/entrypoint", ...noRoute });
    assert.deepEqual(await whys(parts), { policies: "gone", wafStatus: "gone", entrypoint: "gone" });
  });
});
