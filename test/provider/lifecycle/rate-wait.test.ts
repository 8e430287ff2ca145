import assert from "node:assert/strict";
import { dynamicProvider } from "../../../provider/src/lifecycle/dynamic-provider";
import { createRun } from "../../../provider/src/lifecycle/run";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { FakeClock } from "../virtual-time/fake-clock";
import { LimitedService } from "../virtual-time/limited-service";

const zoneA = "a".repeat(32);
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/page-guard:PageGuardSettings::shop";

describe("A wait of over ten seconds for the rate limit", () => {
  it("is reported with its reason, at the resource if its URN is known, otherwise at the stack", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { limit: 10, windowMs: 60_000, blockMs: 60_000 });
    service.limit.spend(9);
    const told: [number, string, string, string][] = [];
    const run = createRun({
      env: { PAGE_GUARD_BASE_URL: "https://limited.example/v4", PAGE_GUARD_API_TOKEN: "not-a-real-token" },
      createClient: (_connection, options) => service.client(options),
      log: async (severity, on, text) => {
        if (text.startsWith("Waiting")) told.push([clock.now(), severity, on, text]);
      },
    });
    const provider = dynamicProvider(() => pageGuardSettings, run);
    const inputs = { zoneId: zoneA, enabled: false };

    const checking = provider.check?.({}, { ...inputs, __urn: urn });
    await clock.run();
    const { inputs: passed } = (await checking) ?? {};
    const creating = provider.create({ ...passed });
    await clock.run();
    const { id, outs } = await creating;

    service.limit.spend(10);
    const reading = provider.read?.(String(id), outs);
    await clock.run();
    await reading;

    const places = told.map(([, , on]) => on);
    assert.deepEqual([...new Set(places)], [urn, ""]);
    for (const [, severity, , text] of told) {
      assert.equal(severity, "info");
      assert.match(text, /^Waiting for the rate limit of the service.* s more: .*10 requests in 60 s/);
    }
    const pauses = told.slice(1).map(([at], index) => at - (told[index]?.[0] ?? 0));
    assert.ok(Math.min(...pauses) >= 60_000, "once a minute");
  });
});
