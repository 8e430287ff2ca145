import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Transport, TransportResult } from "../../../provider/src/api/http/transport";
import type { JournalEntry, Simulator } from "../../../simulator/src";
import { exchange } from "../../../simulator/src/wire/exchange";

/** Callbacks for each request. */
export interface WireOptions {
  /** Called when the request has arrived, before the service handles it. */
  readonly arrived?: (entry: JournalEntry) => void;
  /** Called when the service has handled the request, before it sends the response. */
  readonly processed?: (entry: JournalEntry) => void;
}

/** Base URL of a simulator that does not listen on a port. */
export const nowhere = "http://127.0.0.1:9/client/v4";

/**
 * Returns a transport to the simulator without sockets. A request takes a tenth of the time, and the same seed gives the
 * same order of requests on every machine. A request that hangs fails at once.
 */
export function directWire(sim: Simulator, { arrived, processed }: WireOptions = {}): Transport {
  let seq = 0;
  let inFlight = 0;
  return async (request) => {
    seq += 1;
    inFlight += 1;
    const response = new Answer();
    const surroundings = { sim, seq, inFlight, before: toHook(arrived), after: toHook(processed) };
    await exchange(surroundings, incoming(request), response as unknown as ServerResponse);
    inFlight -= 1;
    return response.result();
  };
}

/** Returns a hook of the simulator that does not close the connection. */
function toHook(hook: WireOptions["arrived"]) {
  return async (entry: JournalEntry): Promise<boolean> => {
    hook?.(entry);
    return false;
  };
}

function incoming({ method, url, headers, body }: Parameters<Transport>[0]): IncomingMessage {
  const { pathname, search } = new URL(url);
  const chunks = body === undefined ? [] : [Buffer.from(body)];
  const message = Object.assign(Readable.from(chunks), { method, url: `${pathname}${search}`, headers });
  return message as unknown as IncomingMessage;
}

/** The part of a response that the simulator uses. */
class Answer {
  statusCode = 200;
  private readonly headers: Record<string, string> = {};
  private body = "";
  private isWhole = false;
  private broken: "ECONNRESET" | "TRUNCATED" | undefined;

  readonly socket = {
    resetAndDestroy: () => {
      this.broken = "ECONNRESET";
    },
    destroy: () => {
      this.broken = "TRUNCATED";
    },
  };

  setHeader(name: string, value: string): void {
    this.headers[name.toLowerCase()] = value;
  }

  writeHead(status: number, headers: Readonly<Record<string, string>>): this {
    this.statusCode = status;
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    return this;
  }

  write(chunk: Buffer, done: () => void): void {
    this.body += chunk.toString("utf8");
    done();
  }

  end(text = ""): void {
    this.body += text;
    this.isWhole = true;
  }

  result(): TransportResult {
    const reason = this.broken ?? (this.isWhole ? undefined : "TIMEOUT");
    if (reason !== undefined) return { failure: { reason, sent: true, viaProxy: false } };
    return { answer: { status: this.statusCode, headers: this.headers, body: this.body } };
  }
}
