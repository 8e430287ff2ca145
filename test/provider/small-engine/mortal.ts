import { Agent } from "undici";
import { type Clock, systemClock } from "../../../provider/src/api/clock";
import type { createClient } from "../../../provider/src/api/create-client";
import { type Transport, undiciTransport } from "../../../provider/src/api/http/transport";
import { RateLimiter } from "../../../provider/src/api/rate-limit/rate-limiter";
import type { VirtualTime } from "../virtual-time/virtual-time";

/**
 * What dies at the n-th request (from 0): the machine, before the request leaves or after its answer has come; or the
 * `cli` alone, while its provider works on and finishes what was under way, unseen. Or, with `step`, the machine when
 * that many steps (from 1) were finished and the last of them is not written down yet.
 */
export type Death =
  | { readonly request: number; readonly side: "before" | "after" | "cli" }
  | { readonly step: number };

/** What a process that may die sends with, and the moment of its death. */
export interface Mortal {
  readonly transport: Transport;
  readonly died: Promise<void>;
  /** Nothing is written down any more. */
  isOver(): boolean;
  /** Another step is finished. */
  stepDone(): void;
}

const agent = new Agent({ pipelining: 1, connections: 8 });

/** From the moment of death on nothing is sent and no answer comes: the process hangs for ever, unseen. */
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
  /** Requests that are on their way: they arrive, whoever has sent them. */
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

/** The machine's clock, whose timers keep nothing alive: what has died would wait for its answers to time out. */
export const mortalClock: Clock = {
  ...systemClock,
  schedule(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** Waits between attempts cost nothing; an attempt may take `attemptMs` of the machine's time. */
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
