import { Agent } from "undici";
import { type Clock, systemClock } from "../../../provider/src/api/clock";
import type { createClient } from "../../../provider/src/api/create-client";
import { type Transport, undiciTransport } from "../../../provider/src/api/http/transport";
import { RateLimiter } from "../../../provider/src/api/rate-limit/rate-limiter";
import type { VirtualTime } from "../virtual-time/virtual-time";

/**
 * Time of a death. At the n-th request (from 0), the machine dies before it sends the request or after the response has
 * arrived, or only the `cli` dies, while its provider finishes its work unseen. With `step`, the machine dies when the n-th
 * step (from 1) is finished but not in the checkpoint yet.
 */
export type Death =
  | { readonly request: number; readonly side: "before" | "after" | "cli" }
  | { readonly step: number };

/** The transport of a process that may die, and the moment of its death. */
export interface Mortal {
  readonly transport: Transport;
  readonly died: Promise<void>;
  /** Whether the process no longer writes its checkpoint. */
  isOver(): boolean;
  /** Reports that another step is finished. */
  stepDone(): void;
}

const agent = new Agent({ pipelining: 1, connections: 8 });

/** Returns a transport that, from the moment of death on, sends nothing and never answers, so that the process hangs unseen. */
export function mortal(death: Death | undefined, wire: Transport = undiciTransport(agent)): Mortal {
  const last = death && "request" in death ? death : undefined;
  const never = new Promise<never>(() => undefined);
  let sent = 0;
  let steps = 0;
  let isDead = false;
  let isOver = false;
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  /** Requests under way, which arrive although their sender is dead. */
  const underWay = new Set<Promise<unknown>>();
  const end = (): Promise<never> => {
    isDead = true;
    isOver = true;
    void Promise.allSettled(underWay).then(die);
    return never;
  };
  const transport: Transport = async (request, signal) => {
    const isLast = sent === last?.request;
    sent += 1;
    if (isDead) return never;
    if (isLast && last?.side === "before") return end();
    if (isLast && last?.side === "cli") {
      isOver = true;
      die();
    }
    const sending = wire(request, signal);
    underWay.add(sending);
    const answer = await sending.finally(() => underWay.delete(sending));
    if (isDead) return never;
    return isLast && last?.side === "after" ? end() : answer;
  };
  const stepDone = (): void => {
    steps += 1;
    if (death && "step" in death && steps === death.step) void end();
  };
  return { transport, died, isOver: () => isOver, stepDone };
}

/** The system clock with timers that keep no process alive. A dead process would otherwise wait for its timeouts. */
export const mortalClock: Clock = {
  ...systemClock,
  schedule(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** Returns client options for virtual time: waits take no real time, and an attempt may take `attemptMs` of real time. */
export function timeless(
  time: VirtualTime,
  attemptMs: number,
): NonNullable<Parameters<typeof createClient>[1]> {
  const clock = time.clientClock(attemptMs);
  return {
    clock,
    random: () => 0.5,
    limiter: new RateLimiter(clock, { limit: 1_000_000, windowMs: 1000 }),
    env: { PAGE_GUARD_TIMEOUT_MS: String(attemptMs) },
  };
}
