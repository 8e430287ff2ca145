import * as z from "zod";
import { parseZoneId } from "../model/zone-id";

interface ArgSchema {
  readonly schema: z.ZodType;
  readonly expected: string;
  readonly hint?: string;
}

const text = z.string().min(1);
const oneOfTexts = text.regex(/^[^,]*$/);
const anything = z.unknown().optional();

const argSchemas = {
  zoneId: {
    schema: z.custom((value) => parseZoneId(value) !== undefined),
    expected: "a zone id (32 hexadecimal characters)",
    hint: "The dashboard shows it on the overview page of the zone.",
  },
  id: {
    schema: z.string().regex(/^[\w-]{1,64}$/),
    expected: "an id of the service (letters, digits, dashes and underscores)",
    hint: "Take it from the list that the matching function returns, such as getScripts.",
  },
  text: { schema: text, expected: "a string that is not empty" },
  texts: {
    schema: z.union([oneOfTexts, z.array(oneOfTexts).min(1)]),
    expected: "a string without commas that is not empty, or a list of such strings",
  },
  boolean: { schema: z.boolean(), expected: "true or false" },
  count: { schema: z.int().min(1), expected: "a whole number of at least 1" },
  perPage: { schema: z.int().min(1).max(100), expected: "a whole number from 1 to 100" },
  // Refuses other fields: a token in such a field would be ignored, and the token of the environment would be sent instead.
  connection: {
    schema: z.strictObject({ baseUrl: anything, tokenEnv: anything, service: anything }),
    expected: "an object with baseUrl, tokenEnv and service, and nothing else",
    hint: "It takes no token: set tokenEnv to the name of the environment variable that contains the token.",
  },
} as const satisfies Readonly<Record<string, ArgSchema>>;

/** Returns the schema that the rule names. If the rule is a list of words, returns a schema that accepts these words. */
export function makeArgSchema(rule: keyof typeof argSchemas | readonly string[]): ArgSchema {
  return typeof rule === "string"
    ? argSchemas[rule]
    : { schema: z.enum(rule), expected: `one of ${rule.join(", ")}` };
}
