/** A clock, which tests can replace. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Milliseconds since 1970, to compare with dates from a service. */
  epochNow(): number;
  /** Calls `callback` after `ms` milliseconds. The returned function cancels the call. */
  schedule(ms: number, callback: () => void): () => void;
}

/** Maximum delay of a Node timer. A timer with a longer delay would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  epochNow: () => Date.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, Math.ceil(ms)), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

/** Resolves to `true` after `ms` milliseconds, or to `false` as soon as the signal fires. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    const end = (slept: boolean) => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
      resolve(slept);
    };
    const onAbort = () => end(false);
    const cancel = clock.schedule(ms, () => end(true));
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
