import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { type Ask, type Reply, readMessages, replySchema } from "./budget-messages";
import type { Denied, Permit, Permits, Wish } from "./permits";

interface Waiter {
  readonly onLongWait: Wish["onLongWait"];
  settle(result: Permit | Denied): void;
}

/** Names the budget of a token without being the token. */
export function budgetOf(origin: string, token: string): string {
  return createHash("sha256").update(`${origin}\n${token}`).digest("hex").slice(0, 32);
}

/**
 * Asks the process behind a Unix socket or named pipe for each permit. When that process is gone every request is denied:
 * nobody counts any more what the others send.
 */
export class SharedBudget implements Permits {
  #socket: Socket | undefined;
  #isLost = false;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiter>();

  constructor(
    private readonly path: string,
    private readonly budget: string,
  ) {}

  acquire({ signal, isAgain = false, patienceMs, onLongWait }: Wish = {}): Promise<Permit | Denied> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve({ denied: "aborted" });
      if (this.#isLost) return resolve({ denied: "no-budget" });
      this.#lastId += 1;
      const id = this.#lastId;
      const settle = (result: Permit | Denied): void => {
        this.#waiting.delete(id);
        signal?.removeEventListener("abort", onAbort);
        // An idle connection does not keep the process alive.
        if (this.#waiting.size === 0) this.#socket?.unref();
        resolve(result);
      };
      // The permit may be on its way: the answer to `drop` says whether it is.
      const onAbort = (): void => this.#tell({ drop: id });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(id, { onLongWait, settle });
      this.#tell({ ask: id, budget: this.budget, isAgain, ...(patienceMs !== undefined && { patienceMs }) });
      this.#socket?.ref();
    });
  }

  #tell(ask: Ask): void {
    this.#socket ??= this.#connected();
    if (!this.#isLost) this.#socket.write(`${JSON.stringify(ask)}\n`);
  }

  #connected(): Socket {
    const socket = connect(this.path);
    const lose = (): void => {
      this.#isLost = true;
      socket.destroy();
      for (const { settle } of [...this.#waiting.values()]) settle({ denied: "no-budget" });
    };
    readMessages(socket, replySchema, (reply) => this.#hear(reply), lose);
    return socket.on("error", lose).on("close", lose);
  }

  #hear(reply: Reply): void {
    const waiter = this.#waiting.get(reply.id);
    if (reply.reply === "wait") {
      const { id: _, reply: __, quota, ...wait } = reply;
      waiter?.onLongWait?.({ ...wait, quota });
    } else if (reply.reply === "denied") {
      const { denied, retryAfterMs } = reply;
      waiter?.settle({ denied, ...(retryAfterMs !== undefined && { retryAfterMs }) });
    } else waiter?.settle({ end: (rate) => this.#tell({ end: reply.id, ...(rate && { rate }) }) });
  }
}
