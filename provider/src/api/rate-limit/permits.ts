import type { RateHeaders } from "./rate-headers";
import type { RateWait } from "./rate-wait";

/** Where a permit is asked for before each request, whoever keeps the budget. */
export interface Permits {
  /** Waits for its turn. Never rejects. */
  acquire(wish?: Wish): Promise<Permit | Denied>;
}

export interface Wish {
  readonly signal?: AbortSignal | undefined;
  /** Sent before and refused for the limit: goes before the others. */
  readonly isAgain?: boolean;
  /** A block of the service that lasts as long is not waited for. */
  readonly patienceMs?: number;
  /** Gets a wait of ten seconds and more; one request of all that wait, once a minute. */
  readonly onLongWait?: ((wait: RateWait) => void) | undefined;
}

/** The right to send one request. */
export interface Permit {
  readonly denied?: never;
  /** To be called once, with what the answer says of the limit; without it where no answer came. */
  end(rate?: RateHeaders): void;
}

/** `retryAfterMs`: for so long the service refuses all requests, if that is why. */
export type Denied = { readonly denied: "aborted" | "too-long"; readonly retryAfterMs?: number };
