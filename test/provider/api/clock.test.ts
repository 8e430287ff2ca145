import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { type Clock, sleep, systemClock } from "../../../provider/src/api/clock";

/** A clock whose only timer the test fires. */
function byHand() {
  const timers: { readonly ms: number; readonly fire: () => void; cancelled: boolean }[] = [];
  const clock: Clock = {
    now: () => 0,
    epochNow: () => 0,
    schedule(ms, fire) {
      const timer = { ms, fire, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  };
  return { clock, timers };
}

describe("sleep", () => {
  it("ends when its time is over, and listens no more", async () => {
    const { clock, timers } = byHand();
    const { signal } = new AbortController();
    const slept = sleep(clock, 700, signal);
    assert.equal(timers[0]?.ms, 700);
    assert.equal(getEventListeners(signal, "abort").length, 1);
    timers[0]?.fire();
    assert.equal(await slept, true);
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("ends at once when it is called off, and its timer with it", async () => {
    const { clock, timers } = byHand();
    const controller = new AbortController();
    const slept = sleep(clock, 700, controller.signal);
    controller.abort();
    assert.equal(await slept, false);
    assert.equal(timers[0]?.cancelled, true);
  });

  it("does not begin when it was called off before", async () => {
    const { clock, timers } = byHand();
    assert.equal(await sleep(clock, 700, AbortSignal.abort()), false);
    assert.deepEqual(timers, []);
  });

  it("needs no signal", async () => {
    const { clock, timers } = byHand();
    const slept = sleep(clock, 1);
    timers[0]?.fire();
    assert.equal(await slept, true);
  });
});

describe("the clock of the system", () => {
  it("fires what is due, and what was due before", async () => {
    for (const ms of [0, -5, 0.2])
      await new Promise<void>((resolve) => void systemClock.schedule(ms, resolve));
  });

  it("does not fire at once what is further away than a timer of Node can be", async () => {
    let hasFired = false;
    const cancel = systemClock.schedule(2 ** 40, () => {
      hasFired = true;
    });
    await new Promise<void>((resolve) => void systemClock.schedule(5, resolve));
    cancel();
    assert.equal(hasFired, false);
  });

  it("does not fire what was cancelled", async () => {
    let hasFired = false;
    systemClock.schedule(0, () => {
      hasFired = true;
    })();
    await new Promise<void>((resolve) => void systemClock.schedule(5, resolve));
    assert.equal(hasFired, false);
  });
});
