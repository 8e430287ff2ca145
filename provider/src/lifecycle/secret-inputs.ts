import { z } from "zod";
import type { Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import { valueAt } from "../model/properties";
import { shown } from "../text/shown";
import type { InputShape } from "./check-inputs";

/**
 * Where an input is secret: its name, or the path to what is secret in one entry of an input that holds many. What is
 * secret in one entry says nothing of the others.
 */
export type SecretPlace = string | readonly string[];

/** Texts in secret values, the longest first: to be found where others repeat them. */
export type SecretTexts = readonly string[];

/** What is secret in the inputs of a resource. */
export interface Secrets {
  /** Of the inputs that are or hold something secret. */
  readonly names: readonly string[];
  /** Beginnings of the properties of findings that may quote it. */
  readonly places: readonly string[];
  readonly texts: SecretTexts;
}

export const noSecrets: Secrets = { names: [], places: [], texts: [] };

/** Shorter ones would be found in any text, and give nothing away. */
const shortestText = 4;

/** `given`: a list of `SecretPlace`, as the class has found them. Any resource can have one: what is no input hides nothing. */
export function secretsOf(given: unknown, inputs: Properties): Secrets {
  if (!Array.isArray(given)) return noSecrets;
  const paths = given
    .map((place: unknown) => (Array.isArray(place) ? place.map(String) : [String(place)]))
    .filter(([name = ""]) => Object.hasOwn(inputs, name));
  if (paths.length === 0) return noSecrets;
  const texts = paths.flatMap((path) => [...textsIn(valueAt(inputs, path))]);
  return {
    names: [...new Set(paths.map(([name = ""]) => name))],
    // In both ways to write it. A finding on a part of an entry may be about all of it.
    places: paths.flatMap(([name = "", key]) =>
      key === undefined ? [name] : [`${name}.${key}`, entryPath(name, key)],
    ),
    texts: longestFirst(texts),
  };
}

/** One may be a part of another. */
export function longestFirst(texts: readonly string[]): SecretTexts {
  return [...new Set(texts)].sort((left, right) => right.length - left.length);
}

/** Where inputs may be secret: each of them, and of one that holds objects by name each field of each, as far as it is there. */
export function placesIn(
  shape: InputShape,
  values: object,
  isPlain: (value: unknown) => value is object,
): [place: SecretPlace, value: unknown][] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]): [SecretPlace, unknown][] => {
    const schema = shape[name];
    const holdsMany = schema instanceof z.ZodRecord && schema.valueType instanceof z.ZodObject;
    if (!holdsMany || !isPlain(value)) return [[name, value]];
    return Object.entries(value).flatMap(([key, entry]: [string, unknown]): [SecretPlace, unknown][] =>
      isPlain(entry)
        ? Object.entries(entry).map(([field, content]) => [[name, key, field], content])
        : [[[name, key], entry]],
    );
  });
}

/** How the property of a finding names an entry of an input. */
export function entryPath(name: string, key: string): string {
  return /^[\w$-]{1,80}$/.test(key) ? `${name}.${key}` : `${name}[${JSON.stringify(shown(key))}]`;
}

/** Findings name place and rule of a secret input: what is wrong in it is never quoted. */
export function withoutSecrets(finding: Finding, secrets: Secrets): Finding {
  const { data: all, ...rest } = finding;
  // What a machine reads may hold a secret in pieces. Its numbers stay: hiding lowers no count.
  const data = all !== undefined && secrets.names.length > 0 ? withoutTexts(all) : all;
  if (!secrets.places.some((place) => begins(finding.property, place))) {
    return {
      ...rest,
      message: textWithoutSecrets(finding.message, secrets.texts),
      ...(data !== undefined && { data }),
    };
  }
  const place = finding.place === undefined ? "" : ` (${finding.place})`;
  return {
    ...rest,
    message: `this value is secret and not shown; ${finding.code} has found something in it${place}. docs/findings.md says what that code means.`,
    ...(data !== undefined && { data }),
  };
}

function withoutTexts<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "string" ? "[secret]" : one)));
}

function begins(property: string, place: string): boolean {
  return property.startsWith(place) && !/^\w/.test(property.slice(place.length));
}

/** For texts that are not of our making, such as the service's refusal of a value. */
export function textWithoutSecrets(text: string, secrets: SecretTexts): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
}

function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === "string" && value.length >= shortestText) {
    yield value;
    const escaped = JSON.stringify(value).slice(1, -1);
    if (escaped !== value) yield escaped;
  }
  if (typeof value === "object" && value !== null) {
    for (const entry of Object.values(value)) yield* textsIn(entry);
  }
}
