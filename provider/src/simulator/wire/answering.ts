import type { ServerResponse } from "node:http";
import type { FaultSpec, Refusal } from "../control/faults";
import type { JournalEntry } from "../state/journal";
import { type Answer, codes, failure } from "./envelope";

/** Answers as a breaking fault wants it. */
export function fail(entry: JournalEntry, response: ServerResponse, fault: FaultSpec): void {
  switch (fault.kind) {
    case "reset-before":
    case "reset-after":
      reset(response);
      break;
    case "html":
      sendText(entry, response, fault.status ?? 200, "text/html; charset=utf-8", webPage);
      break;
    case "success-false":
      sendFailure(entry, response, 200, fault);
      break;
    case "status":
      sendFailure(entry, response, fault.status, fault);
      break;
    case "429":
      sendFailure(entry, response, 429, { code: codes.throttled, ...fault });
      break;
    case "500":
    case "502":
    case "503":
      sendFailure(entry, response, Number(fault.kind), fault);
  }
}

const webPage = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>Try later.</body></html>";

function sendFailure(entry: JournalEntry, response: ServerResponse, status: number, fault: Refusal): void {
  const { code = codes.internal, message = `injected fault: ${entry.fault}`, retryAfter } = fault;
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
  send(entry, response, failure(status, code, message));
}

export function send(entry: JournalEntry, response: ServerResponse, { status, body }: Answer): void {
  if (body !== undefined) {
    sendText(entry, response, status, "application/json", JSON.stringify(body));
    return;
  }
  entry.status = status;
  response.statusCode = status;
  response.end();
}

function sendText(
  entry: JournalEntry,
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
): void {
  entry.status = status;
  response.statusCode = status;
  response.setHeader("content-type", type);
  response.end(text);
}

/** Announces the whole body, sends half of it and cuts the connection. */
export function truncate(entry: JournalEntry, response: ServerResponse, answer: Answer): void {
  const whole = Buffer.from(answer.body === undefined ? "" : JSON.stringify(answer.body));
  if (whole.length === 0) {
    reset(response);
    return;
  }
  entry.status = answer.status;
  response.writeHead(answer.status, {
    "content-type": "application/json",
    "content-length": String(whole.length),
  });
  response.write(whole.subarray(0, whole.length >> 1), () => response.socket?.destroy());
}

export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
