import type * as z from "zod";
import { ApiError, type ApiErrorFacts, failedReadBack, unexpectedAnswer } from "../../errors/api-error";
import { InputError } from "../../errors/page-guard-error";
import { shown } from "../../text/shown";
import type { Send } from "../http/send-request";
import { redact } from "../http/without-token";

/** Returns the two ways to read: the whole answer, or its result parsed by a schema. */
export function readsOf(send: Send, token: string) {
  const get = (operation: string, zoneId: string, path: string) =>
    send({ operation, zoneId, method: "GET", path, repeat: "freely" });
  const read = async <T>(schema: z.ZodType<T>, ...question: Parameters<typeof get>): Promise<T> =>
    parseResult(schema, await get(...question), token);
  return { get, read };
}

/**
 * The result of an answer in our own terms.
 *
 * @throws UnexpectedAnswerError naming the first field that is not what the API documents say.
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
    redact(issue?.message ?? "it has another shape", token),
    redact(field, token),
  );
}

/**
 * Reads the object after an accepted change whose answer does not show it. A refusal of the read says
 * nothing against the change.
 */
export async function readBack<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof ApiError ? failedReadBack(error) : error;
  }
}

/**
 * An id as one step of a path. Ids come from the service and from state, and `..` would lead to another object.
 *
 * @throws InputError when it cannot be an id.
 */
export function pathId(id: string, what: string): string {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(id)) return id;
  throw new InputError(
    what,
    `${what} ${id === "" ? "is empty" : `cannot be an id: "${shown(id, { max: 40 })}"`}.`,
    "Ids are letters, digits, dashes and underscores, as the service gives them. If this one is in the state, find out how it got there.",
  );
}
