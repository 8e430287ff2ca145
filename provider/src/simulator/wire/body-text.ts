import type { IncomingMessage } from "node:http";

/** Far more than any request of these APIs holds. */
export const mostBodyBytes = 4 * 1024 * 1024;

export type BodyText =
  | { readonly text: string }
  /** Longer than it may be; read to its end, and none of it kept. */
  | "too long"
  /** The client went away before its end: it has sent no request. */
  | "unfinished";

export async function bodyText(request: IncomingMessage, mostBytes = mostBodyBytes): Promise<BodyText> {
  let chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      const part = Buffer.from(chunk);
      length += part.length;
      if (length <= mostBytes) chunks.push(part);
      else chunks = [];
    }
  } catch {
    return "unfinished";
  }
  return length > mostBytes ? "too long" : { text: Buffer.concat(chunks).toString("utf8") };
}
