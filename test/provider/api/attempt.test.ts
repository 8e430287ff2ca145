import assert from "node:assert/strict";
import { type ApiRequest, attempt } from "../../../provider/src/api/http/attempt";
import { isCertain } from "../../../provider/src/api/http/failure-to-error";
import type { Transport, TransportFailure } from "../../../provider/src/api/http/transport";
import { FakeClock } from "../virtual-time/fake-clock";

const request: ApiRequest = {
  ...{ operation: "read", zoneId: "z", method: "GET", path: "zones/z", repeat: "freely" },
};
const connection = { baseUrl: "https://api.example/v4", token: "some-token", service: "page_guard" } as const;
const once = (transport: Transport, signal?: AbortSignal, clock = new FakeClock()) =>
  attempt(request, 5000, { connection, clock, signal, transport });
const failing = (failure: Partial<TransportFailure>): Transport => {
  const whole = { reason: "ECONNRESET", sent: true, viaProxy: false, ...failure };
  return () => Promise.resolve({ failure: whole });
};

async function failed(transport: Transport) {
  const result = await once(transport);
  assert.ok(result.kind === "failed");
  const { failure, outcome } = result;
  return { failure, outcome };
}

describe("one attempt", () => {
  it("distinguishes a slow connection from a broken one, and whether anything was sent", async () => {
    const network = { kind: "network", certain: false };
    for (const [given, failure, outcome] of [
      [{}, network, "unknown"],
      [{ sent: false }, network, "unsent"],
      [{ reason: "CERT_HAS_EXPIRED", sent: false }, { kind: "network", certain: true }, "unsent"],
      [{ reason: "TIMEOUT" }, { kind: "timeout" }, "unknown"],
      [{ reason: "UND_ERR_CONNECT_TIMEOUT", sent: false }, { kind: "timeout" }, "unsent"],
      [{ reason: "ABORTED" }, network, "unknown"],
    ] as const)
      assert.deepEqual(await failed(failing(given)), { failure, outcome });
  });

  it("takes a failure of the service, and no refusal, for work that may be done", async () => {
    const answering =
      (status: number): Transport =>
      () =>
        Promise.resolve({ answer: { status, headers: {}, body: '{"success":false,"errors":[]}' } });
    const outcomes = [];
    for (const status of [400, 404, 407, 408, 409, 429, 499, 500, 503])
      outcomes.push([status, (await failed(answering(status))).outcome]);
    assert.deepEqual(
      outcomes.flatMap(([status, outcome]) => (outcome === "unknown" ? [status] : [])),
      [408, 500, 503],
    );
  });

  /** Ends as a transport does: when its signal fires. */
  const hanging: Transport = (_, signal) =>
    new Promise((resolve) => {
      const end = () => resolve({ failure: { reason: "ABORTED", sent: true, viaProxy: false } });
      if (signal.aborted) end();
      signal.addEventListener("abort", end);
    });

  it("ends after its time, and says that it was the time", async () => {
    const clock = new FakeClock();
    const running = once(hanging, undefined, clock);
    await clock.advance(4999);
    assert.equal(clock.pending, 1, "it still runs");
    await clock.advance(1);
    const result = await running;
    assert.ok(result.kind === "failed");
    assert.deepEqual(result.failure, { kind: "timeout" });
  });

  it("ends when it is called off, before or under way, and leaves no timer", async () => {
    for (const isBefore of [true, false]) {
      const clock = new FakeClock();
      const controller = new AbortController();
      if (isBefore) controller.abort();
      const running = once(hanging, controller.signal, clock);
      controller.abort();
      const result = await running;
      assert.ok(result.kind === "failed");
      assert.deepEqual(result.failure, { kind: "network", certain: false });
      assert.equal(clock.pending, 0);
    }
  });
});

describe("what is certain to fail again", () => {
  const reasons: readonly [string, boolean][] = [
    ...[
      "CERT_HAS_EXPIRED",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "ERR_SSL_WRONG_VERSION_NUMBER",
    ],
    ...[
      "EPROTO",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "PROXY_407",
      "TOO_LARGE",
      "ERR_INVALID_URL",
      "UND_ERR_INVALID_ARG",
    ],
  ].map((reason): [string, boolean] => [reason, true]);
  const others = [
    ...["ECONNRESET", "ECONNREFUSED", "ENOTFOUND", "TIMEOUT", "TRUNCATED", "UND_ERR_SOCKET", "PROXY_502"],
    ...["EPROTOTYPE", "X_ERR_SSL", "X_ERR_TLS", "X_PROXY_407", "X_EPROTO", "TOO_LARGER", "X_TOO_LARGE"],
    ...["X_ERR_INVALID", "UND_ERR_INVALID_ARGUMENT", "X_UND_ERR_INVALID_ARG", ""],
  ];
  for (const [reason, expected] of [...reasons, ...others.map((one): [string, boolean] => [one, false])]) {
    it(`${reason || "nothing"}: ${expected}`, () => assert.equal(isCertain(reason), expected));
  }
});
