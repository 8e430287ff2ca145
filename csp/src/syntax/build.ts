import { toAsciiLowerCase } from "../texts";
import { supportedDirectives } from "./directives";
import { type ParsedPolicy, toDirectives } from "./parse";

/** Values of each directive, by name: `{ "script-src": ["'self'", "cdn.example.com"] }`. */
export type Directives = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the canonical text of a policy: names in lower case and in a fixed order, values unchanged, one space between values
 * and `; ` between directives. Parsing the text with `parse` returns the same directives.
 *
 * @throws CspError if a name does not consist of letters, digits and dashes; if a value is empty or contains white space, `;`,
 * `,`, a control character or a character outside ASCII; or if two names differ only in case.
 */
export function build(policy: Directives | ParsedPolicy): string {
  const directives = new Map<string, readonly string[]>();
  for (const [rawName, values] of Object.entries(isParsed(policy) ? toDirectives(policy) : policy)) {
    const name = toAsciiLowerCase(rawName);
    checkName(rawName, directives.has(name));
    for (const [index, value] of values.entries()) checkValue(name, index, value);
    directives.set(name, values);
  }
  const others = [...directives.keys()].filter((name) => !supportedDirectives.includes(name)).sort();
  return [...supportedDirectives.filter((name) => directives.has(name)), ...others]
    .map((name) => [name, ...(directives.get(name) ?? [])].join(" "))
    .join("; ");
}

function isParsed(policy: Directives | ParsedPolicy): policy is ParsedPolicy {
  // In a record of directives, `text` would be the name of a directive, and its value an array.
  return typeof policy["text"] === "string";
}

function checkName(name: string, isRepeated: boolean): void {
  if (!/^[A-Za-z0-9-]+$/.test(name)) {
    throw new CspError(
      "directives",
      `${JSON.stringify(name)} cannot be the name of a directive.`,
      "Names are letters, digits and dashes, like script-src.",
    );
  }
  if (isRepeated) {
    throw new CspError(
      `directives.${toAsciiLowerCase(name)}`,
      `The directive ${toAsciiLowerCase(name)} is given more than once: names are not case-sensitive.`,
      "Put all its sources under one name.",
    );
  }
}

function checkValue(name: string, index: number, value: string): void {
  if (/^[!-+\--:<-~]+$/.test(value)) return;
  const quoted = JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  throw new CspError(`directives.${name}[${index}]`, `${quoted} cannot be a source of ${name}.`, sourceForm);
}

const sourceForm =
  "Give each source as its own string, without white space: a host in punycode (xn--…), a path percent-encoded (%3B for a semicolon, %2C for a comma).";

/** Error for directives that no policy text can express. `facts.property` names the place: `directives.script-src[2]`. */
export class CspError extends Error {
  readonly code = "PG_CSP";
  declare readonly facts: { readonly property: string };
  declare readonly explanation: { readonly what: string; readonly fix: string };

  constructor(property: string, what: string, fix: string) {
    super(`${property}: ${what} ${fix}`);
    this.name = "CspError";
    // Not enumerable: Node prints the enumerable properties of an uncaught error, and the message already contains these.
    for (const [name, value] of Object.entries({ facts: { property }, explanation: { what, fix } }))
      Object.defineProperty(this, name, { value, enumerable: false });
  }
}
