import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Received {
  readonly method: string;
  /** Path and query below `/v4/`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Number of its connection, counted from 1. */
  readonly connection: number;
}

export type Reply = (response: ServerResponse, socket: Socket, received: Received) => void;

export interface ScriptedServer {
  readonly baseUrl: string;
  readonly received: Received[];
  /** Sets the replies to the next requests. The last one is repeated for all further requests. */
  script(...replies: Reply[]): void;
  /** Calls back for each request that never gets a response. Returns a function that stops the calls. */
  onHang(callback: () => void): () => void;
  stop(): Promise<void>;
}

export const TOKEN = "test-token-0123456789abcdef";
export const ZONE = "0123456789abcdef0123456789abcdef";

/** Starts an HTTP server on a free port that gives scripted replies and records the requests. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let replies: Reply[] = [ok({})];
  const connections = new Map<Socket, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const entry: Received = {
        method: request.method ?? "",
        path: (request.url ?? "").replace("/v4/", ""),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        connection: connections.get(request.socket) ?? 0,
      };
      received.push(entry);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      reply?.(response, request.socket, entry);
      if (reply === hang) for (const callback of [...waiting]) callback();
    });
  });
  server.on("connection", (socket) => {
    connections.set(socket, connections.size + 1);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v4`,
    received,
    script: (...next) => {
      replies = next;
    },
    onHang: (callback) => {
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A success envelope. */
export function ok(result: unknown, info?: object): Reply {
  return json(200, { result, success: true, errors: [], messages: [], ...(info && { result_info: info }) });
}

/** A failure envelope. */
export function refusal(status: number, code: number | undefined, message: string, headers = {}): Reply {
  const error = code === undefined ? { message } : { code, message };
  return json(status, { result: null, success: false, errors: [error], messages: null }, headers);
}

export function json(status: number, body: unknown, headers = {}): Reply {
  return raw(status, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

export function raw(status: number, body: string, headers = {}): Reply {
  return (response) => {
    response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
    response.end(body);
  };
}

export const reset: Reply = (_response, socket) => socket.resetAndDestroy();
export const hang: Reply = () => undefined;

/** Announces a longer body than it sends. */
export const cutOff: Reply = (response, socket) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
  response.write('{"result":{"enabled":true', () => socket.destroy());
};
