import { type Clock, systemClock } from "../../../provider/src/api/clock";

/**
 * Returns the system clock, except for attempts of `attemptMs`: they time out when the service hangs, however long a busy
 * machine takes until then. `onHang` calls back at that moment, and returns a function that cancels the call.
 */
export function attemptClock(attemptMs: number, onHang: (timeIsOver: () => void) => () => void): Clock {
  return {
    ...systemClock,
    schedule: (ms, callback) => (ms === attemptMs ? onHang(callback) : systemClock.schedule(ms, callback)),
  };
}
