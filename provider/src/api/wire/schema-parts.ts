import { z } from "zod";
import type { ApiErrorFacts } from "../../errors/api-error";
import { UnexpectedAnswerError } from "../../errors/unexpected-answer-error";
import type { Extra } from "../client-types";
import { redact } from "../http/redact";

/** A field that may be missing or null: both mean absent. */
export function maybe<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A boolean, or its name in a string: the documents and the public service differ. */
export const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")], {
  error: "expected true or false",
});

/** Text that some services send as a number: versions and ids. */
export const word = z.union([z.string(), z.number().transform(String)], { error: "expected a string" });

/** A number, or its digits in a string. */
export const numeral = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^-?\d+(\.\d+)?$/)
      .transform(Number),
  ],
  {
    error: "expected a number",
  },
);

/** A point in time as ISO 8601; some servers write it as seconds or milliseconds since 1970. */
export const moment = z.union([z.string(), z.number().transform(isoOf)], {
  error: "expected a point in time",
});

function isoOf(since: number): string {
  // As seconds it would be after the year 5000.
  const date = new Date(Math.abs(since) < 1e11 ? since * 1000 : since);
  return Number.isNaN(date.getTime()) ? String(since) : date.toISOString();
}

/** A list; null means empty, because some servers write an empty list so. */
export function listOf<S extends z.ZodType>(schema: S) {
  return z
    .array(schema)
    .nullable()
    .transform((items) => items ?? []);
}

/** Without the keys whose value is undefined: absent stays absent. */
export type Compact<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

export function compact<T extends object>(value: T): Compact<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Compact<T>;
}

/** The fields of an answer that this version does not know, undefined when there are none. */
export function unknownFields(wire: object, known: Readonly<Record<string, unknown>>): Extra | undefined {
  const extra = Object.entries(wire).filter(([key]) => !Object.hasOwn(known, key));
  return extra.length === 0 ? undefined : Object.fromEntries(extra);
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
  throw new UnexpectedAnswerError(
    answer.facts,
    redact(issue?.message ?? "it has another shape", token),
    redact(field, token),
  );
}
