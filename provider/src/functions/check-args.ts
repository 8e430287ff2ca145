import { nearest } from "../csp/match/nearest";
import { InputError } from "../errors/input-error";
import { holdFailedRun } from "../internals/shared-run";
import { shortly } from "../text/shortly";
import { shown } from "../text/shown";

/**
 * What an argument may hold: a schema by its name, or the words of which it is one. The names are written out, for the
 * package's types would need zod's if they were taken from the schemas.
 */
type Rule =
  | ("zoneId" | "id" | "text" | "texts" | "boolean" | "count" | "perPage" | "connection")
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
  // Loaded when the first function is called: a program that calls none does not pay for it.
  const { schemaOf } = require("./arg-schemas") as typeof import("./arg-schemas");
  for (const [name, value] of Object.entries(args)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const guess = nearest(name, Object.keys(rules));
      const hint = guess ? `Did you mean ${guess}?` : `Known are ${Object.keys(rules).join(", ")}.`;
      throw new InputError(shown(name, { max: 80 }), "There is no such argument.", hint);
    }
    const { schema, expected, hint } = schemaOf(rule);
    if (value === undefined || schema.safeParse(value).success) continue;
    throw new InputError(name, `${shortly(value)} is not ${expected}.`, hint);
  }
  for (const [name, rule] of Object.entries(rules)) {
    const given = Object.entries(args).some(([key, value]) => key === name && value !== undefined);
    if (!given && (rule === "zoneId" || rule === "id"))
      throw new InputError(name, "The argument is missing.", schemaOf(rule).hint);
  }
}
