import assert from "node:assert/strict";
import type { PolicyBody, Service } from "../../../provider/src/api/client-types";
import { systemClock } from "../../../provider/src/api/clock";
import type { PageGuardClient } from "../../../provider/src/api/create-client";
import { createClient } from "../../../provider/src/api/create-client";
import { RateLimiter } from "../../../provider/src/api/rate-limit/rate-limiter";
import { ApiError } from "../../../provider/src/errors/api-error";
import { attemptClock } from "../virtual-time/attempt-clock";
import { type ScriptedServer, startScriptedServer, TOKEN } from "./scripted-server";

export const POLICY: PolicyBody = {
  description: "d",
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
};
export const WIRE_POLICY = { ...POLICY, id: "p1", enabled: "true" };

export interface ClientOptions {
  readonly service?: Service;
  /** Duration after which an attempt fails. Without it, no attempt times out. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called when a request begins to wait for the rate limit. */
  readonly onRateWait?: () => void;
}

/** Starts a scripted service for each test. Its clients repeat requests without waiting. */
export function useScriptedServer(): {
  readonly server: ScriptedServer;
  client(options?: ClientOptions): PageGuardClient;
} {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.stop());
  return {
    get server() {
      return server;
    },
    client({ service = "page_guard", timeoutMs, signal, onRateWait } = {}) {
      const attemptMs = timeoutMs ?? 5000;
      return createClient(
        { baseUrl: server.baseUrl, token: TOKEN, tokenSource: "the environment variable CI_TOKEN", service },
        {
          env: { PAGE_GUARD_TIMEOUT_MS: String(attemptMs) },
          clock: attemptClock(attemptMs, (timeIsOver) =>
            timeoutMs === undefined ? () => undefined : server.onHang(timeIsOver),
          ),
          random: () => 0,
          limiter: new RateLimiter(systemClock),
          signal,
          onRateWait,
        },
      );
    },
  };
}

/** Returns the error of a promise that must be rejected, and checks that the error does not contain the token. */
export async function failure(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.ok(!error.message.includes(TOKEN));
    return error;
  }
  assert.fail("it succeeded");
}
