import { type Clock, systemClock } from "../../../provider/src/api/clock";

/**
 * The machine's clock, but for attempts of `attemptMs`: their time is over when the service is seen to hang, for however
 * long a busy machine takes to get there. `onHang` calls back then, and returns what ends that.
 */
export function attemptClock(attemptMs: number, onHang: (timeIsOver: () => void) => () => void): Clock {
  return {
    ...systemClock,
    schedule: (ms, callback) => (ms === attemptMs ? onHang(callback) : systemClock.schedule(ms, callback)),
  };
}
