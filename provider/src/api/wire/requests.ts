import type * as z from "zod";
import { ApiError, type ApiErrorFacts, failedReadBack, unexpectedAnswer } from "../../errors/api-error";
import { InputError } from "../../errors/page-guard-error";
import { clean } from "../../text/shown";
import type { Send } from "../http/send-request";
import { redact } from "../http/without-token";

/** Returns two functions that send a GET: `get` returns the whole response, `read` only its result, parsed with a schema. */
export function makeReads(send: Send, token: string) {
  const get = (operation: string, zoneId: string, path: string) =>
    send({ operation, zoneId, method: "GET", path, repeat: "freely" });
  const read = async <T>(schema: z.ZodType<T>, ...question: Parameters<typeof get>): Promise<T> =>
    parseResult(schema, await get(...question), token);
  return { get, read };
}

/**
 * Returns the result in a response, with our names and types.
 *
 * @throws ApiError `PG_UNEXPECTED_ANSWER`, with the first field that differs from the API documentation.
 */
export function parseResult<T>(
  schema: z.ZodType<T>,
  answer: { readonly result: unknown; readonly facts: ApiErrorFacts },
  token: string,
): T {
  const parsed = schema.safeParse(answer.result);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = (issue?.path ?? []).reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : `${path}.${String(step)}`),
    "result",
  );
  throw unexpectedAnswer(
    answer.facts,
    redact(issue?.message ?? "it has an unexpected shape", token),
    redact(field, token),
  );
}

/**
 * Reads an object after an accepted change whose response does not contain the object. If the read fails, the error says that the
 * change was accepted.
 */
export async function readBack<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof ApiError ? failedReadBack(error) : error;
  }
}

/**
 * Returns the id if it is safe as a path segment. An id with `..`, from the service or the state, would address another object.
 *
 * @throws InputError if the string cannot be an id.
 */
export function encodePathId(id: string, what: string): string {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(id)) return id;
  const fault = id === "" ? "is empty" : `cannot be an id: ${clean(JSON.stringify(id), { max: 40 })}`;
  throw new InputError(
    what,
    `${what} ${fault}.`,
    "The service's ids consist of letters, digits, dashes and underscores. If the state contains this one, find out who put it there.",
  );
}
