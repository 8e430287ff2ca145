/** Checks of sent values, composed as tables. The checks refuse unknown names, wrong types and nulls, and name their places. */

import type { JsonObject } from "../state/zone";
import { codes, RefusalError } from "./operation";

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Checks a value and returns it as it was sent. `at` is its place in the body. @throws RefusalError */
export type Check<T> = (value: unknown, at: string) => T;

type Members = Readonly<Record<string, Check<unknown>>>;
type Checked<M extends Members, R extends keyof M> = { readonly [K in R]: ReturnType<M[K]> } & {
  readonly [K in Exclude<keyof M, R>]?: ReturnType<M[K]>;
};

export const string = ofType("string", (value) => typeof value === "string");
export const boolean = ofType("boolean", (value) => typeof value === "boolean");
export const number = ofType("number", (value) => typeof value === "number");
export const record = ofType("object", isRecord);
export const anything: Check<unknown> = (value) => value;

function ofType<T>(name: string, is: (value: unknown) => value is T): Check<T> {
  return (value, at) => {
    if (is(value)) return value;
    throw invalid(at, name === "object" ? "must be an object" : `must be a ${name}`);
  };
}

/** Accepts any object. Returns a deep copy, in which keys such as `__proto__` are plain keys. */
export const json: Check<JsonObject> = (value, at) => JSON.parse(JSON.stringify(record(value, at)));

/** Returns a check that also refuses values for which `isRight` is false. */
export function that<T>(check: Check<T>, isRight: (value: T) => boolean, complaint: string): Check<T> {
  return (value, at) => {
    const read = check(value, at);
    if (isRight(read)) return read;
    throw invalid(at, complaint);
  };
}

export const filled = that(string, (text) => text.trim() !== "", "must not be empty");

/** Checks only the form of a filter expression, because the simulator does not know its fields. */
export const expression = that(filled, isReadable, "is not a valid filter expression");

/** Whether quotes and brackets are paired, no single `=` is used to compare, and every operator has its operands. */
function isReadable(text: string): boolean {
  const bare = text.replace(/r(#*)"[\s\S]*?"\1|"(?:[^"\\]|\\[\s\S])*"/g, "0");
  if (/["']|(?<![=!<>])=(?!=)/.test(bare)) return false;
  const open: string[] = [];
  for (const sign of bare.match(/[(){}[\]]/g) ?? []) {
    const at = ")}]".indexOf(sign);
    if (at < 0) open.push(sign);
    else if (open.pop() !== "({["[at]) return false;
  }
  const sideless =
    /(^|\()\s*((and|or|xor)\b|&&|\|\|)|(\b(and|or|xor|not|eq|ne|in|contains|matches)|&&|\|\||[=!<>]=)\s*($|\))/i;
  return open.length === 0 && !sideless.test(bare);
}

export function oneOf<const T extends readonly string[]>(allowed: T): Check<T[number]> {
  const isAllowed = (text: string): boolean => allowed.includes(text);
  return that(string, isAllowed, `must be one of ${allowed.join(", ")}`);
}

export function list<T>(item: Check<T>): Check<T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw invalid(at, "must be an array");
    return value.map((one: unknown, index) => item(one, `${at}/${index}`));
  };
}

/** Returns a check of an object that has only these members, and all of the `required` ones. */
export function object<M extends Members, R extends keyof M & string = never>(
  members: M,
  required?: readonly R[],
): Check<Checked<M, R>>;
export function object(members: Members, required: readonly string[] = []): Check<object> {
  return (value, at) => {
    const given = Object.entries(record(value, at)).filter(([, member]) => member !== undefined);
    const sent = new Map(given);
    for (const name of sent.keys())
      if (!Object.hasOwn(members, name)) throw invalid(`${at}/${name}`, "is not a known field");
    // Reads the members in the order of the table, whatever their order in the body.
    const read = Object.entries(members).flatMap(([name, check]) =>
      sent.has(name) ? [[name, check(sent.get(name), `${at}/${name}`)] as const] : [],
    );
    for (const name of required) if (!sent.has(name)) throw invalid(`${at}/${name}`, "is required");
    return Object.fromEntries(read);
  };
}

export function invalid(pointer: string, complaint: string): RefusalError {
  const place = pointer === "" ? "the body" : pointer;
  return new RefusalError(400, codes.invalid, `${place} ${complaint}`, pointer);
}
