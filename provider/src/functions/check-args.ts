import { nearest } from "../csp/match/nearest";
import { InputError } from "../errors/input-error";
import { holdFailedRun } from "../internals/shared-run";
import { shown } from "../text/shown";

/** What an argument may hold. A list of words means one of them. */
type Rule =
  | "zoneId"
  | "id"
  | "text"
  | "texts"
  | "boolean"
  | "count"
  | "perPage"
  | "connection"
  | readonly string[];

export type Rules = Readonly<Record<string, Rule>>;

export const zoneRules: Rules = { zoneId: "zoneId", connection: "connection" };

/**
 * Checks the arguments of a function before anything is sent: a misspelt filter would otherwise list everything.
 *
 * @throws InputError naming the argument.
 */
export function checkArgs(args: object, rules: Rules): void {
  // Every call begins here; who does not wait for its end leaves what fails to the SDK.
  holdFailedRun();
  for (const [name, value] of Object.entries(args)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const guess = nearest(name, Object.keys(rules));
      const hint = guess ? `Did you mean ${guess}?` : `Known are ${Object.keys(rules).join(", ")}.`;
      throw new InputError(shown(name, { max: 80 }), "There is no such argument.", hint);
    }
    if (value === undefined) continue;
    const expected = fault(value, rule);
    if (expected !== undefined) throw new InputError(name, `${came(value)} is not ${expected}.`, hint(rule));
  }
  for (const [name, rule] of Object.entries(rules)) {
    const given = Object.entries(args).some(([key, value]) => key === name && value !== undefined);
    if (!given && (rule === "zoneId" || rule === "id")) {
      throw new InputError(name, "The argument is missing.", hint(rule));
    }
  }
}

/** What was expected, undefined when the value is that. */
function fault(value: unknown, rule: Rule): string | undefined {
  const unless = (fine: boolean, expected: string) => (fine ? undefined : expected);
  switch (rule) {
    case "zoneId":
      return unless(
        typeof value === "string" && /^[0-9a-f]{32}$/i.test(value),
        "a zone id (32 hexadecimal characters)",
      );
    case "id":
      return unless(
        typeof value === "string" && /^[\w-]{1,64}$/.test(value),
        "an id as the service gives it",
      );
    case "text":
      return unless(typeof value === "string" && value !== "", "a text");
    case "texts": {
      const list: readonly unknown[] = Array.isArray(value) ? value : [value];
      const fine = list.every((text) => typeof text === "string" && text !== "" && !text.includes(","));
      return unless(fine && list.length > 0, "a text, or a list of texts, without commas");
    }
    case "boolean":
      return unless(typeof value === "boolean", "true or false");
    case "count":
      return unless(Number.isInteger(value) && Number(value) >= 1, "a whole number of at least 1");
    case "perPage":
      return unless(
        Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100,
        "a whole number from 1 to 100",
      );
    case "connection":
      return unless(isConnection(value), "an object of baseUrl, tokenEnv and service, without anything else");
    default:
      return unless(typeof value === "string" && rule.includes(value), `one of ${rule.join(", ")}`);
  }
}

/** A token under another name would be passed over, and that of the environment sent in its place. */
function isConnection(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.keys(value).every((name) => ["baseUrl", "tokenEnv", "service"].includes(name));
}

function hint(rule: Rule): string | undefined {
  if (rule === "zoneId") return "The dashboard shows it on the overview page of the zone.";
  if (rule === "connection")
    return "It takes no token: name the environment variable that holds it in tokenEnv.";
  return rule === "id" ? "Take it from a list." : undefined;
}

/** Short, because a value in the wrong place may be a token. */
function came(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") {
    return value.length <= 12 ? JSON.stringify(value) : `A text of ${value.length} characters`;
  }
  return value === null ? "null" : `A value of type ${Array.isArray(value) ? "list" : typeof value}`;
}
