import { secretText } from "../model/engine-marks";
import { type Finding, findingText } from "../model/finding";
import type { Properties } from "../model/properties";
import { groupBy } from "../text/data";
import { rememberInRun } from "./memory";
import type { Run } from "./run";

/** Strings in secret values, the longest first, to find secrets in messages. */
export type SecretTexts = readonly string[];

export interface Secrets {
  /** Names of the inputs that are secret or contain a secret. */
  readonly names: readonly string[];
  readonly texts: SecretTexts;
}

/** Minimum length of a secret string that is hidden. Shorter strings occur everywhere and reveal nothing. */
const shortestText = 4;

/** Returns the secrets in inputs. `given`: names of secret inputs, from the resource's class. Some may be absent. */
export function collectSecrets(given: unknown, inputs: Properties): Secrets {
  const all: readonly unknown[] = Array.isArray(given) ? given : [];
  const names = all.map(String).filter((name) => Object.hasOwn(inputs, name));
  return { names, texts: longestFirst(names.flatMap((name) => [...collectTexts(inputs[name])])) };
}

/** Sorts strings, the longest first, so that a secret is hidden before a shorter one that it contains. */
function longestFirst(texts: readonly string[]): SecretTexts {
  return [...new Set(texts)].sort((left, right) => right.length - left.length);
}

/**
 * Removes secrets from findings. A finding keeps its place and its code. The number of findings stays visible: different strings
 * stay different in the data, and findings that became equal are numbered.
 */
export function withoutSecrets(found: readonly Finding[], { names, texts }: Secrets): readonly Finding[] {
  if (names.length === 0) return found;
  const hidden = new Map<string, string>();
  const hide = (_name: string, one: unknown): unknown => {
    if (typeof one !== "string") return one;
    if (!hidden.has(one)) hidden.set(one, hidden.size === 0 ? secretText : `[secret ${hidden.size + 1}]`);
    return hidden.get(one);
  };
  const findings = found.map((finding) => {
    const { code, property, message, place, data } = finding;
    const at = place === undefined ? "" : ` (${place})`;
    const text = names.some((name) => isWithin(property, name))
      ? `this value is secret, so the text of the finding ${code} is not shown${at}. docs/findings.md says what the code means.`
      : textWithoutSecrets(message, texts);
    const shown = { ...finding, message: text };
    return data === undefined ? shown : { ...shown, data: JSON.parse(JSON.stringify(data, hide)) };
  });
  const alike = groupBy(findings, findingText);
  return findings.map((one) => {
    const all: readonly Finding[] = alike.get(findingText(one)) ?? [];
    const message = `(${all.indexOf(one) + 1} of ${all.length}) ${one.message}`;
    return all.length < 2 ? one : { ...one, message };
  });
}

function isWithin(property: string, name: string): boolean {
  return property.startsWith(name) && !/^\w/.test(property.slice(name.length));
}

/** Hides secrets in messages that may quote them, such as the service's message about a refused value. */
export function textWithoutSecrets(text: string, secrets: SecretTexts): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, secretText), text);
}

function* collectTexts(value: unknown): Iterable<string> {
  if (typeof value === "string" && value.length >= shortestText) {
    yield value;
    const escaped = JSON.stringify(value).slice(1, -1);
    if (escaped !== value) yield escaped;
  }
  if (typeof value === "object" && value !== null) {
    for (const entry of Object.values(value)) yield* collectTexts(entry);
  }
}

export interface Checked {
  readonly secrets: Secrets;
  /** Inputs of the last update. */
  readonly recorded?: Properties | undefined;
}

/**
 * Resources that `check` has seen in this process, by URN. If a resource is not among them, its `diff` belongs to a refresh, which
 * takes place before any `check`. Resources whose URN a transform has dropped share the empty URN.
 */
export const checkedResources = rememberInRun(() => new Map<string, Checked>());

/** Returns the secret strings of a resource, or of all checked resources if `check` has not seen this one. */
export function recallSecretTexts(run: Run, urn: string): SecretTexts {
  const checked = checkedResources(run);
  const own = urn === "" ? undefined : checked.get(urn);
  return longestFirst((own ? [own] : [...checked.values()]).flatMap(({ secrets }) => secrets.texts));
}
