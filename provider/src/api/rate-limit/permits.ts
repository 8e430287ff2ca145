import type { RateHeaders } from "./rate-headers";
import type { RateWait } from "./rate-wait";

/** Gives a permit for each request. */
export interface Permits {
  /** Waits for its turn. Never rejects. */
  acquire(wish?: Wish): Promise<Permit | Denied>;
}

export interface Wish {
  readonly signal?: AbortSignal | undefined;
  /** Sent before and refused for the limit: precedes the others. */
  readonly isAgain?: boolean;
  /** Denied at once where the service blocks for as long. */
  readonly patienceMs?: number;
  /** Called for a wait of ten seconds or more, for one of the waiting requests, once a minute. */
  readonly onLongWait?: ((wait: RateWait) => void) | undefined;
}

/** The right to send one request. */
export interface Permit {
  readonly denied?: never;
  /** To be called once, with what the answer says about the limit; without it where no answer came. */
  end(rate?: RateHeaders): void;
}

/** `retryAfterMs`: for so long the service refuses all requests, if that is why. */
export type Denied = {
  /** `no-budget`: the process that keeps the budget cannot be reached. */
  readonly denied: "aborted" | "too-long" | "no-budget";
  readonly retryAfterMs?: number;
};
