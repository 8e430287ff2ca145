import * as z from "zod";
import { nameOfVariable, variableNameProblem } from "../text/from-outside";
import { cleanList, describeBriefly } from "../text/shown";
import { parseZoneId } from "./zone-id";

const notAZoneId = ({ input }: { readonly input?: unknown }) => {
  const advice =
    typeof input === "number"
      ? "Pulumi's YAML has read it as a number: put it in quotes in the program."
      : "The dashboard shows the id on the overview page of the zone, under API.";
  return `expected a zone id (32 hexadecimal characters), got ${describeBriefly(input)}. ${advice}`;
};

export const zoneIdInput = z
  .string({ error: notAZoneId })
  .refine((text) => parseZoneId(text) !== undefined, { error: notAZoneId });

export const booleanInput = z.boolean({
  error: ({ input }) => {
    const fault = `expected true or false, got ${describeBriefly(input)}.`;
    return typeof input === "string" ? `${fault} Write it without quotes.` : fault;
  },
});

export function wordInput<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, {
    error: (issue) =>
      `expected one of ${words.map((word) => `"${word}"`).join(", ")}, got ${describeBriefly(issue.input)}.`,
  });
}

export function textInput(what: string) {
  return z.string({ error: (issue) => `${what} must be a string, got ${describeBriefly(issue.input)}.` });
}

/** Schema of a filter expression. The service's public schema has the same limit of 4,096 characters. */
export const expressionInput = textInput("a filter expression")
  .refine((text) => text.trim() !== "", {
    error: `the expression is empty. Say which requests are meant: http.host eq "shop.example.com", or true for all.`,
  })
  .refine((text) => text.length <= 4096, {
    error: (issue) =>
      `the expression has ${String(issue.input).length} characters; the service takes at most 4096. Split it over several policies or rules, or use a list.`,
  });

/** Schema of the name of an environment variable. Messages never show the value, because somebody may have pasted a token. */
const tokenEnvInput = z
  .string({ error: "tokenEnv must be the name of an environment variable." })
  .refine((name) => variableNameProblem(name) === undefined, {
    error: (issue) => `${variableNameProblem(String(issue.input))}. ${nameOfVariable}`,
  });

export const connectionInput = z.strictObject(
  {
    baseUrl: textInput("baseUrl").optional(),
    tokenEnv: tokenEnvInput.optional(),
    service: wordInput(["page_guard", "page_shield"]).optional(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `connection takes baseUrl, tokenEnv and service, not ${cleanList(issue.keys, { max: 80 })}. It takes no token: set tokenEnv to the name of the environment variable that contains the token.`
        : undefined,
  },
);
