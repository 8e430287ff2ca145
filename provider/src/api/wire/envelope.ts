import * as z from "zod";
import { parseJson } from "../../text/from-outside";
import type { HttpAnswer } from "../http/transport";
import { fields, maybe, numeral } from "./schema-parts";

/** `result_info` of a list. The service may leave out any of these fields. */
export interface ResultInfo {
  readonly perPage?: number | undefined;
  readonly totalCount?: number | undefined;
  readonly totalPages?: number | undefined;
}

export interface Refusal {
  readonly kind: "refusal";
  readonly status: number;
  /** Whether the service itself answered, not a gateway in between. */
  readonly enveloped: boolean;
  readonly apiCode?: number | undefined;
  /** The service's own words, as received: clean them before you show them. */
  readonly message?: string | undefined;
  readonly pointer?: string | undefined;
}

type ReadEnvelope =
  | { readonly kind: "ok"; readonly result: unknown; readonly info: ResultInfo | undefined }
  | Refusal
  /** A response that reports no failure but cannot be read. `cut`: the JSON is cut off or damaged. */
  | { readonly kind: "unreadable"; readonly cut: boolean; readonly problem: string; readonly field?: string };

const count = maybe(numeral);
const text = maybe(z.string());

const errorObject = z.looseObject({
  code: count.catch(undefined),
  message: text.catch(undefined),
  source: maybe(z.looseObject({ pointer: text })).catch(undefined),
});
/** An entry of `errors`. The API document does not describe entries. An entry in an unknown form is read as an empty object. */
const errorSchema = z.preprocess(
  (entry) => (typeof entry === "string" ? { message: entry } : Object(entry)),
  errorObject,
);

const envelopeSchema = z.looseObject({
  success: z.boolean(),
  errors: z.array(errorSchema).nullish().catch(undefined),
  // Absent from some refusals and from some responses to deletions.
  result: z.unknown().optional(),
  result_info: maybe(fields({ per_page: count, total_count: count, total_pages: count })).catch(undefined),
});

/** Reads the envelope of a response. The `method` matters because the response to a successful DELETE can have an empty body. */
export function readAnswer({ status, headers, body }: HttpAnswer, method: string): ReadEnvelope {
  const isDeleted = method === "DELETE" && status >= 200 && status < 300 && body.trim() === "";
  if (status === 204 || isDeleted) return { kind: "ok", result: undefined, info: undefined };
  const json = parseJson(body.startsWith("\ufeff") ? body.slice(1) : body);
  const envelope = envelopeSchema.safeParse(json);
  const succeeded = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  if (!envelope.success || isRedirect) {
    if (!succeeded && !isRedirect) return { kind: "refusal", status, enveloped: false };
    return unreadable(isRedirect, headers["content-type"], body, json);
  }
  const { success, errors, result, result_info: info } = envelope.data;
  if (succeeded && success) return { kind: "ok", result, info };
  // The first error may have no code, so the code comes from the first error that has one.
  const coded = errors?.find(({ code }) => code !== undefined);
  return {
    kind: "refusal",
    status,
    enveloped: true,
    apiCode: coded?.code,
    message: errors?.flatMap(({ message }) => message ?? []).join("; "),
    pointer: errors?.find(({ source }) => source?.pointer)?.source?.pointer,
  };
}

function unreadable(
  isRedirect: boolean,
  type: string | undefined,
  body: string,
  json: unknown,
): ReadEnvelope {
  const because = (problem: string, cut = false): ReadEnvelope => ({ kind: "unreadable", cut, problem });
  const start = body.trimStart();
  if (isRedirect) return because("it is a redirect to another address");
  if (start === "") return because("its body is empty");
  if (start.startsWith("<") || type?.includes("html")) return because("it is an HTML page instead of JSON");
  if (json === undefined && start.startsWith("{")) return because("its JSON is cut off or damaged", true);
  if (json === undefined) return because("it is not JSON");
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return because("it is JSON without the usual envelope");
  return { kind: "unreadable", cut: false, problem: "it should be true or false", field: "success" };
}
