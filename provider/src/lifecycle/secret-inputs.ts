import { type Finding, findingText } from "../model/finding";
import type { Properties } from "../model/properties";
import { grouped } from "../text/data";
import { inRun } from "./memory";
import type { Run } from "./run";

/** Texts in secret values, the longest first: to be found where others repeat them. */
export type SecretTexts = readonly string[];

/** What is secret in the inputs of a resource. */
export interface Secrets {
  /** Names of the inputs that are or hold something secret. */
  readonly names: readonly string[];
  readonly texts: SecretTexts;
}

/** Shorter ones would be found in any text, and give nothing away. */
const shortestText = 4;

/** `given`: names of inputs, as the class has found them. Any resource can have one: what is no input hides nothing. */
export function secretsOf(given: unknown, inputs: Properties): Secrets {
  const all: readonly unknown[] = Array.isArray(given) ? given : [];
  const names = all.map(String).filter((name) => Object.hasOwn(inputs, name));
  return { names, texts: longestFirst(names.flatMap((name) => [...textsIn(inputs[name])])) };
}

/** One may be a part of another. */
function longestFirst(texts: readonly string[]): SecretTexts {
  return [...new Set(texts)].sort((left, right) => right.length - left.length);
}

/**
 * Findings name place and rule of a secret input: what is wrong in it is never quoted. Hiding lowers no count: of what a machine
 * reads the numbers stay, and how many different texts there are, and findings that have become alike are numbered.
 */
export function withoutSecrets(found: readonly Finding[], { names, texts }: Secrets): readonly Finding[] {
  if (names.length === 0) return found;
  const hidden = new Map<string, string>();
  const hide = (_name: string, one: unknown): unknown => {
    if (typeof one !== "string") return one;
    if (!hidden.has(one)) hidden.set(one, hidden.size === 0 ? "[secret]" : `[secret ${hidden.size + 1}]`);
    return hidden.get(one);
  };
  const findings = found.map((finding) => {
    const { code, property, message, place, data } = finding;
    const at = place === undefined ? "" : ` (${place})`;
    const text = names.some((name) => begins(property, name))
      ? `this value is secret and not shown; ${code} has found something in it${at}. docs/findings.md says what that code means.`
      : textWithoutSecrets(message, texts);
    const told = { ...finding, message: text };
    return data === undefined ? told : { ...told, data: JSON.parse(JSON.stringify(data, hide)) };
  });
  const alike = grouped(findings, findingText);
  return findings.map((one) => {
    const all: readonly Finding[] = alike.get(findingText(one)) ?? [];
    const message = `(${all.indexOf(one) + 1} of ${all.length}) ${one.message}`;
    return all.length < 2 ? one : { ...one, message };
  });
}

function begins(property: string, name: string): boolean {
  return property.startsWith(name) && !/^\w/.test(property.slice(name.length));
}

/** Hides secrets in texts that are not of our making, such as the service's refusal of a value. */
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

/** What `check` has learnt of a resource. */
interface Checked {
  readonly secrets: Secrets;
  /** The inputs of its last update. */
  readonly recorded?: Properties | undefined;
}

/**
 * The resources that `check` has seen in this process, by URN. A comparison of one of them belongs to an update; any other
 * to a refresh, whose comparisons come before the checks. A resource whose URN a transform has dropped is under an empty
 * one.
 */
export const checkedResources = inRun(() => new Map<string, Checked>());

/** What not to quote in failures of a resource: of all that were checked where it is not known which it is. */
export function secretTextsFor(run: Run, urn: string): SecretTexts {
  const checked = checkedResources(run);
  const own = urn === "" ? undefined : checked.get(urn);
  return longestFirst((own ? [own] : [...checked.values()]).flatMap(({ secrets }) => secrets.texts));
}
