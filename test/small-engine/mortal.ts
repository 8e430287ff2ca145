import { Agent } from "undici";
import type { ClientOptions } from "../../provider/src/api/create-client";
import { RateLimiter } from "../../provider/src/api/rate-limiter";
import { type Transport, undiciTransport } from "../../provider/src/api/transport";
import type { VirtualTime } from "../virtual-time/virtual-time";

/** Where a process dies: at its n-th request (from 0), before it leaves or after its answer has come. */
export interface Death {
  readonly request: number;
  readonly side: "before" | "after";
}

/** What a process that may die sends with, and the moment of its death. */
export interface Mortal {
  readonly transport: Transport;
  readonly died: Promise<void>;
}

const agent = new Agent({ pipelining: 1, connections: 8 });

/** From the moment of death on nothing is sent and no answer comes: the process hangs for ever, unseen. */
export function mortal(death: Death | undefined): Mortal {
  const wire = undiciTransport(agent);
  const never = new Promise<never>(() => undefined);
  let sent = 0;
  let isDead = false;
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  /** Requests that are on their way: they arrive, whoever has sent them. */
  const underWay = new Set<Promise<unknown>>();
  const end = (): Promise<never> => {
    isDead = true;
    void Promise.allSettled(underWay).then(die);
    return never;
  };
  const transport: Transport = async (request, signal) => {
    const isLast = sent === death?.request;
    sent += 1;
    if (isDead) return never;
    if (isLast && death?.side === "before") return end();
    const sending = wire(request, signal);
    underWay.add(sending);
    const answer = await sending.finally(() => underWay.delete(sending));
    if (isDead) return never;
    return isLast ? end() : answer;
  };
  return { transport, died };
}

/** Waits between attempts cost nothing; an attempt may take `attemptMs` of the machine's time. */
export function timeless(time: VirtualTime, attemptMs: number): ClientOptions {
  const clock = time.clientClock(attemptMs);
  return {
    clock,
    random: () => 0.5,
    limiter: new RateLimiter({ clock, maxRequests: 1_000_000, windowMs: 1000 }),
    env: { PAGE_GUARD_TIMEOUT_MS: String(attemptMs) },
  };
}
