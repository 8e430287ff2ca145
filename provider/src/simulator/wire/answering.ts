import type { ServerResponse } from "node:http";
import type { FaultSpec } from "../control/faults";
import type { JournalEntry } from "../state/journal";
import { type Answer, codes, failure } from "./envelope";

/** Answers as a breaking fault wants it. */
export function fail(entry: JournalEntry, response: ServerResponse, fault: FaultSpec): void {
  switch (fault.kind) {
    case "hang":
      return;
    case "reset-before":
    case "reset-after":
      reset(response);
      return;
    case "html":
      sendHtml(entry, response, fault.status ?? 200);
      return;
    case "success-false":
      sendFailure(entry, response, 200, fault.code, fault.message);
      return;
    case "status":
      setRetryAfter(response, fault.retryAfter);
      sendFailure(entry, response, fault.status, fault.code, fault.message);
      return;
    case "429":
    case "500":
    case "502":
    case "503": {
      setRetryAfter(response, fault.retryAfter);
      const code = fault.code ?? (fault.kind === "429" ? codes.throttled : codes.internal);
      sendFailure(entry, response, Number(fault.kind), code, fault.message);
      return;
    }
  }
}

function setRetryAfter(response: ServerResponse, retryAfter: number | string | undefined): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
}

function sendFailure(
  entry: JournalEntry,
  response: ServerResponse,
  status: number,
  code: number = codes.internal,
  message = `injected fault: ${entry.fault}`,
): void {
  send(entry, response, failure(status, code, message));
}

export function send(entry: JournalEntry, response: ServerResponse, answer: Answer): void {
  entry.status = answer.status;
  response.statusCode = answer.status;
  if (answer.body === undefined) {
    response.end();
    return;
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(answer.body));
}

function sendHtml(entry: JournalEntry, response: ServerResponse, status: number): void {
  entry.status = status;
  response.statusCode = status;
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end("<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>Try later.</body></html>");
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
