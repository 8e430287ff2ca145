import { createServer, type Server, type Socket } from "node:net";
import { type Clock, systemClock } from "../clock";
import { type Ask, askSchema, type Reply, readMessages } from "./budget-messages";
import type { Quota } from "./rate-headers";
import { RateLimiter, type ReturnablePermit } from "./rate-limiter";

export interface BudgetServer {
  /** Ends all connections: who waits for a permit gets none. */
  close(): Promise<void>;
}

/**
 * Keeps one budget a token for all processes that connect to this Unix socket or named pipe. `ceiling`: held beside the limit
 * of the service, for each token.
 */
export async function serveBudget(
  path: string,
  { clock = systemClock, ceiling }: { readonly clock?: Clock; readonly ceiling?: Quota | undefined } = {},
): Promise<BudgetServer> {
  const limiters = new Map<string, RateLimiter>();
  const sockets = new Set<Socket>();
  const limiterOf = (budget: string): RateLimiter => {
    const limiter = limiters.get(budget) ?? new RateLimiter(clock, ceiling);
    limiters.set(budget, limiter);
    return limiter;
  };
  const server = createServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)));
    serve(socket, limiterOf);
  });
  await listening(server, path);
  return {
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function serve(socket: Socket, limiterOf: (budget: string) => RateLimiter): void {
  const waiting = new Map<number, AbortController>();
  const granted = new Map<number, ReturnablePermit>();

  const tell = (reply: Reply, onFailure?: () => void): void => {
    socket.write(`${JSON.stringify(reply)}\n`, (error) => error && onFailure?.());
  };

  async function ask({ ask: id, budget, isAgain, patienceMs }: Extract<Ask, { ask: number }>): Promise<void> {
    const controller = new AbortController();
    waiting.set(id, controller);
    const permit = await limiterOf(budget).acquire({
      signal: controller.signal,
      isAgain,
      ...(typeof patienceMs === "number" && { patienceMs }),
      onLongWait: (wait) => tell({ id, reply: "wait", ...wait }),
    });
    waiting.delete(id);
    if (permit.denied !== undefined) return tell({ id, reply: "denied", ...permit });
    if (controller.signal.aborted || socket.destroyed) return permit.giveBack();
    granted.set(id, permit);
    // From here on only a failed write proves that the process has not begun to send.
    tell({ id, reply: "granted" }, () => {
      if (granted.delete(id)) permit.giveBack();
    });
  }

  readMessages(
    socket,
    askSchema,
    (message) => {
      if ("ask" in message) void ask(message);
      else if ("drop" in message) waiting.get(message.drop)?.abort();
      else {
        granted.get(message.end)?.end(message.rate);
        granted.delete(message.end);
      }
    },
    () => socket.destroy(),
  );
  socket.on("error", () => undefined);
  socket.on("close", () => {
    for (const controller of waiting.values()) controller.abort();
    // The process may have sent what it had a permit for: it counts as long as any other.
    for (const permit of granted.values()) permit.end();
    granted.clear();
  });
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((done, reject) => {
    server.once("error", reject).listen(path, () => {
      server.off("error", reject).on("error", () => undefined);
      // The command that serves it decides how long it runs.
      server.unref();
      done();
    });
  });
}
