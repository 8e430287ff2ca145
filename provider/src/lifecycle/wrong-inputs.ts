import { guesser, nearest } from "page-guard-csp";
import * as z from "zod";
import { type Finding, makeError } from "../model/finding";
import { getAtPath, type Properties } from "../model/properties";
import { containsUnknown, isUnknown, unknownValue } from "../model/unknown";
import { clean, describeBriefly } from "../text/shown";
import { hiddenInputs } from "./hidden-inputs";

export type InputShape = Readonly<Record<string, z.ZodType>>;

/** Inputs that the package adds to those of the program. */
const internalInputs = new Set(["__provider", ...hiddenInputs]);

/** A finding, and the path of the wrong value. If a name is misspelt, `path` names the argument that was probably meant. */
interface WrongInput {
  readonly finding: Finding;
  readonly path: readonly PropertyKey[];
}

/** Checks the inputs that are known. A later call checks the others once they are known, before anything changes. */
export function wrongInputs(shape: InputShape, values: Properties): WrongInput[] {
  return [...unknownNames(shape, values), ...lostValues(values), ...wrongValues(shape, values)];
}

/** Name of a field that JavaScript, the SDK and the schemas drop without an error. */
const lostName = "__proto__";

/** Finds names and texts that do not reach the provider as they are in the program. */
function lostValues(value: unknown, path: readonly PropertyKey[] = []): WrongInput[] {
  const property = pathText(path);
  const half = "contains half of a surrogate pair, which the engine cannot transmit. Remove it.";
  if (typeof value === "string")
    return isWhole(value)
      ? []
      : [{ finding: makeError(property, "input-invalid", `the text ${half}`), path }];
  if (typeof value !== "object" || value === null || isUnknown(value)) return [];
  const found: WrongInput[] = [];
  for (const name of Object.getOwnPropertyNames(value)) {
    const message = `the name ${lostName} cannot be used: it would be lost on its way to the provider. Choose another.`;
    const named = pathText([...path, name]);
    if (name === lostName) found.push({ finding: makeError(named, "input-lost-name", message), path });
    if (!isWhole(name)) found.push({ finding: makeError(named, "input-invalid", `its name ${half}`), path });
  }
  const below = Array.isArray(value) ? value.map((one, at) => [at, one] as const) : Object.entries(value);
  return [...found, ...below.flatMap(([key, one]) => lostValues(one, [...path, key]))];
}

/** Whether a text contains no half of a surrogate pair. */
function isWhole(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

function unknownNames(shape: InputShape, values: Properties): WrongInput[] {
  const known = Object.keys(shape);
  return Object.keys(values)
    .filter((name) => !Object.hasOwn(shape, name) && !internalInputs.has(name))
    .map((name) => {
      const message = `this resource has no such argument. ${suggestion([name], known)}`;
      return {
        finding: makeError(shownKey(name), "input-unknown-argument", message),
        path: [nearest(name, known) ?? name],
      };
    });
}

function wrongValues(shape: InputShape, values: Properties): WrongInput[] {
  const findings: WrongInput[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const value = values[name];
    if (isUnknown(value)) continue;
    const result = schema.safeParse(value, { error: inOurWords });
    if (result.success) continue;
    for (const issue of result.error.issues) {
      if (containsUnknown(getAtPath(value, issue.path))) continue;
      const path = [name, ...issue.path];
      findings.push({ finding: makeError(pathText(path), "input-invalid", issue.message), path });
    }
  }
  return findings;
}

/** Replaces two of zod's messages that would not help a user. */
const inOurWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "unrecognized_keys") {
    const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
    const names = issue.keys.map((key) => `"${shownKey(key)}"`).join(", ");
    return `there is no argument ${names} here. ${suggestion(issue.keys, known)}`;
  }
  if (issue.code === "invalid_type") {
    const kind = issue.expected === "array" ? "a list" : `a value of type ${issue.expected}`;
    return `expected ${kind}, got ${describeBriefly(issue.input)}.`;
  }
  return undefined;
};

/** Returns a sentence that suggests the known names that were probably meant. */
function suggestion(names: readonly string[], known: readonly string[]): string {
  const guess = guesser();
  const guesses = new Set(names.flatMap((name) => guess(name, known) ?? []));
  if (guesses.size > 0) return `Did you mean ${[...guesses].join(", ")}?`;
  return known.length === 0 ? "Check its spelling." : `Known arguments: ${known.join(", ")}.`;
}

/** Replaces wrong values with the unknown value, so that rules about several arguments can check the rest. */
export function withoutWrong(values: Properties, wrong: readonly WrongInput[]): Properties {
  return wrong.reduce(
    (rest, { path }) => (path.length === 0 ? rest : (Object(markUnknown(rest, path)) as Properties)),
    values,
  );
}

/** Returns a copy of a value in which the unknown value replaces the value at the end of the path. */
function markUnknown(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (typeof value !== "object" || value === null || key === undefined) return unknownValue;
  const copy: object = Array.isArray(value) ? [...value] : { ...value };
  Reflect.set(copy, key, markUnknown(Reflect.get(value, key), rest));
  return copy;
}

/** Returns a path as a string: `rules[2].actionParameters.id`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? shownKey(String(key)) : `${text}.${shownKey(String(key))}`;
  }, "");
}

/** Makes a key safe to show, because it can come from outside. */
function shownKey(key: string): string {
  return clean(key, { max: 80 });
}
