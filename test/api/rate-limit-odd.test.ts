import assert from "node:assert/strict";
import fc from "fast-check";
import type { Clock } from "../../provider/src/api/clock";
import { createClient } from "../../provider/src/api/create-client";
import { RateLimiter } from "../../provider/src/api/rate-limiter";
import type { Transport } from "../../provider/src/api/transport";
import { FakeClock } from "../virtual-time/fake-clock";
import { LimitedService } from "../virtual-time/limited-service";
import { check } from "./random-runs";
import { ZONE } from "./scripted-server";

const hour = 3_600_000;
const names = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "date",
] as const;
const values = [
  "",
  "0",
  "-1",
  "1",
  "60",
  "1e300",
  "NaN",
  "Infinity",
  "999999999999999",
  "9".repeat(400),
  "1767225600",
  "Thu, 01 Jan 2026 00:00:10 GMT",
  "Thu, 01 Jan 1970 00:00:00 GMT",
  "Fri, 31 Dec 9999 23:59:59 GMT",
  '"a";r=0;t=0',
  '"a";r=0;t=999999999999',
  '"a";r=-1;t=-1',
  '"a";q=0;w=0',
  '"a";q=1;w=999999999999',
  '"a";q=60;w=10, "b";q=1;w=1',
  "limit=0, remaining=0, reset=0",
];

describe("a service that tells its limit oddly", () => {
  it("whatever it tells, every request comes to an end, none is sent over and over", async () => {
    const answer = fc.record({
      status: fc.constantFrom(200, 200, 200, 429, 503),
      headers: fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...values)),
    });
    await check(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 8 }), async (answers) => {
        const clock = new FakeClock();
        let sent = 0;
        const transport: Transport = (_request, signal) =>
          new Promise((resolve) => {
            const { status, headers } = answers[sent % answers.length] ?? { status: 200, headers: {} };
            sent += 1;
            const cancel = clock.schedule(10, () => {
              const body = JSON.stringify({ success: status === 200, errors: [], result: { enabled: true } });
              resolve({ answer: { status, headers, body } });
            });
            signal.addEventListener("abort", () => {
              cancel();
              resolve({ failure: { reason: "ABORTED", sent: true, viaProxy: false } });
            });
          });
        const client = createClient(
          { baseUrl: "https://odd.example/v4", token: "t", service: "page_guard" },
          { clock, transport, limiter: new RateLimiter({ clock }), random: () => 0.5, env: {} },
        );
        let ended = 0;
        for (let n = 0; n < 20; n += 1) {
          void client.getSettings(ZONE).then(
            () => (ended += 1),
            () => (ended += 1),
          );
        }
        await clock.run(24 * hour);
        assert.equal(ended, 20);
        assert.ok(sent <= 20 * 15, `${sent} requests for 20`);
        assert.equal(clock.pending, 0, "a timer is left");
      }),
      { usually: 300 },
    );
  });

  it("nothing left and a reset that is now: it goes on one by one", async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock });
    let passed = 0;
    for (let n = 0; n < 50; n += 1) {
      void limiter.acquire().then((ticket) => {
        passed += 1;
        clock.schedule(5, () => ticket.denied ?? ticket.done({ limit: 10, remaining: 0, resetMs: 0 }));
      });
    }
    await clock.run(10_000);
    assert.equal(passed, 50);
  });

  it("a clock that is set back in the middle costs no more than five minutes", async () => {
    const clock = new FakeClock();
    const own: Clock = {
      now: () => clock.now(),
      epochNow: () => clock.epochNow() - (clock.now() > 5000 ? hour : 0),
      schedule: (ms, callback) => clock.schedule(ms, callback),
    };
    const service = new LimitedService(
      clock,
      {
        limit: 20,
        windowMs: 10_000,
        blockMs: 10_000,
        reset: "epoch",
      },
      { tellsDate: false },
    );
    const client = service.client({ clock: own, limiter: new RateLimiter({ clock: own }) });
    let done = 0;
    for (let n = 0; n < 50; n += 1) void client.getSettings(ZONE).then(() => (done += 1));
    await clock.run();
    assert.equal(done, 50);
    assert.ok(clock.now() < 320_000, `${clock.now()}`);
  });

  it("a request that hangs when the window is over holds up nobody", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { limit: 20, windowMs: 10_000, blockMs: 0 });
    let sent = 0;
    const transport: Transport = (request, signal) => {
      sent += 1;
      if (sent !== 15) return service.transport(request, signal);
      return new Promise((resolve) =>
        signal.addEventListener("abort", () =>
          resolve({ failure: { reason: "ABORTED", sent: true, viaProxy: false } }),
        ),
      );
    };
    const client = service.client({ transport });
    let done = 0;
    for (let n = 0; n < 50; n += 1) void client.getSettings(ZONE).then(() => (done += 1));
    await clock.advance(21_000);
    assert.equal(done, 49, "the one that hangs is given up after thirty seconds");
  });

  it("clients of one process share what is left", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { limit: 20, windowMs: 10_000, blockMs: 10_000 });
    const limiter = new RateLimiter({ clock });
    const clients = [service.client({ limiter }), service.client({ limiter }), service.client({ limiter })];
    let done = 0;
    for (let n = 0; n < 60; n += 1) void clients[n % 3]?.getSettings(ZONE).then(() => (done += 1));
    await clock.run();
    assert.deepEqual([done, service.refused], [60, 0]);
    assert.ok(clock.now() < 22_000, `${clock.now()}`);
  });

  it("aborted while it waits: the others go on, and nothing is left behind", async () => {
    const clock = new FakeClock();
    const service = new LimitedService(clock, { limit: 20, windowMs: 10_000, blockMs: 10_000 });
    const controller = new AbortController();
    const limiter = new RateLimiter({ clock });
    const [aborted, going] = [
      service.client({ limiter, signal: controller.signal }),
      service.client({ limiter }),
    ];
    const codes: unknown[] = [];
    let done = 0;
    for (let n = 0; n < 30; n += 1) {
      aborted.getSettings(ZONE).catch((error: { code?: unknown }) => codes.push(error.code));
      void going.getSettings(ZONE).then(() => (done += 1));
    }
    await clock.advance(3000);
    controller.abort();
    await clock.run();
    assert.equal(done, 30);
    assert.deepEqual([...new Set(codes)], ["PG_ABORTED"]);
    assert.deepEqual([clock.pending, service.refused], [0, 0]);
  });
});
