import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import type { PageGuardClient } from "../../../provider/src/api/create-client";
import { createClient } from "../../../provider/src/api/create-client";
import type { Transport, TransportResult } from "../../../provider/src/api/http/transport";
import { redact } from "../../../provider/src/api/http/without-token";
import { RateLimiter } from "../../../provider/src/api/rate-limit/rate-limiter";
import { ApiError } from "../../../provider/src/errors/api-error";
import { check } from "../../support/random-runs";
import { FakeClock } from "../virtual-time/fake-clock";
import { ZONE } from "./scripted-server";

const TOKEN = "v1.0-SeCrEt_tOkEn-0123456789";

/** Returns every text of an error that could reach a log: message, stack, own properties, JSON. */
function everything(error: unknown): string {
  assert.ok(error instanceof Error);
  return [
    inspect(error, { depth: 20, showHidden: true }),
    error.stack,
    JSON.stringify(error),
    String(error),
  ].join("\n");
}

const calls: ((c: PageGuardClient) => Promise<unknown>)[] = [
  (c) => c.getSettings(ZONE),
  (c) =>
    c.createPolicy(ZONE, { description: "", action: "log", expression: "true", enabled: true, value: "" }),
  (c) => c.deletePolicy(ZONE, "p"),
  (c) => c.getEntrypoint(ZONE),
  (c) => c.migrate(ZONE, "pending", { rules: [] }),
  (c) => c.listAll("scripts", ZONE),
  (c) => c.getItem("cookies", ZONE, "c"),
];

/** Texts that contain the token, possibly with an invisible character in it. */
const leaking = fc
  .tuple(
    fc.string({ unit: "binary" }),
    fc.nat(TOKEN.length),
    fc.constantFrom("", "\u0000", "\u200b", "\u001b", "\u00ad"),
  )
  .map(([around, cut, between]) => `${around}${TOKEN.slice(0, cut)}${between}${TOKEN.slice(cut)}${around}`);

const body = fc.oneof(
  leaking,
  leaking.map((text) =>
    JSON.stringify({ success: false, errors: [{ code: 1, message: text }], result: null }),
  ),
  leaking.map((text) =>
    JSON.stringify({
      success: false,
      errors: [{ message: "x", source: { pointer: text } }, { message: text }],
    }),
  ),
  leaking.map((text) =>
    JSON.stringify({ success: true, result: { [text]: text, enabled: text, id: [text] } }),
  ),
  leaking.map((text) => JSON.stringify({ success: true, result: [{ [text]: text, url: { [text]: 1 } }] })),
  leaking.map((text) => `<html>${text}</html>`),
);

const result: fc.Arbitrary<TransportResult> = fc.record({
  answer: fc.record({
    status: fc.constantFrom(200, 200, 204, 302, 400, 401, 403, 404, 408, 409, 410, 429, 500, 503),
    headers: fc.record({
      "cf-ray": fc.option(leaking, { nil: undefined }),
      "x-request-id": leaking,
      "retry-after": fc.constantFrom(undefined, "0", "9999", TOKEN),
      "content-type": leaking,
    }),
    body,
  }),
});

describe("The token", () => {
  it("does not appear in any error, whatever the service sends back", async () => {
    let failures = 0;
    await check(
      fc.asyncProperty(result, fc.nat(calls.length - 1), async (answer, index) => {
        const clock = new FakeClock();
        const transport: Transport = () => Promise.resolve(answer);
        const limiter = new RateLimiter(clock);
        const connection = { baseUrl: "https://x.example/v4", token: TOKEN, service: "page_guard" } as const;
        const call = calls[index]?.(createClient(connection, { transport, limiter, clock }));
        const outcome = call?.then(
          () => undefined,
          (error: unknown) => error,
        );
        await clock.run(3_600_000);
        const error = await outcome;
        if (error === undefined) return;
        failures += 1;
        assert.ok(error instanceof ApiError, everything(error));
        const shown = everything(error);
        assert.ok(!shown.includes(TOKEN), shown);
        assert.ok(!shown.replace(/[^\x21-\x7e]/g, "").includes(TOKEN), "not even in pieces");
      }),
    );
    assert.ok(failures > 0);
  });

  it("does not appear in part at the end of a long text that is cut", () => {
    for (let before = 150; before < 210; before += 1) {
      const text = redact(`${"x".repeat(before)}${TOKEN} and more ${"y".repeat(300)}`, TOKEN);
      assert.ok(text.length <= 200);
      assert.ok(!text.includes(TOKEN.slice(0, 4)), text);
    }
  });
});
