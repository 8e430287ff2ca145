import type { Finding } from "./finding";
import type { Properties } from "./kind";

/** What is secret in the inputs of a resource. */
export interface Secrets {
  readonly names: readonly string[];
  /** Texts in their values, the longest first: to be found where somebody else repeats them. */
  readonly texts: readonly string[];
}

export const noSecrets: Secrets = { names: [], texts: [] };

/** Shorter ones would be found in any text, and give nothing away. */
const shortestText = 4;

export function secretsOf(names: unknown, inputs: Properties): Secrets {
  if (!Array.isArray(names) || names.length === 0) return noSecrets;
  const known = names.map(String);
  const texts = known.flatMap((name) => [...textsIn(inputs[name])]);
  return { names: known, texts: [...new Set(texts)].sort((left, right) => right.length - left.length) };
}

/** Findings speak of a secret input by place and rule: what is wrong in it is never quoted. */
export function withoutSecrets(finding: Finding, secrets: Secrets): Finding {
  const [name = ""] = /^\w*/.exec(finding.property) ?? [];
  const { data, ...told } = finding;
  if (!secrets.names.includes(name)) {
    return {
      ...told,
      message: textWithoutSecrets(finding.message, secrets),
      // What a machine reads is left out where it may hold one: it could be in pieces there.
      ...(data !== undefined && secrets.names.length === 0 && { data }),
    };
  }
  const place = finding.place === undefined ? "" : ` (${finding.place})`;
  return {
    ...told,
    message: `this value is secret and not shown; ${finding.code} has found something in it${place}.`,
  };
}

/** For texts that are not of our making, such as the service's refusal of a value. */
export function textWithoutSecrets(text: string, { texts }: Secrets): string {
  return texts.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
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
