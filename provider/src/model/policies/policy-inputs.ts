import * as z from "zod";
import { shortly } from "../../text/shown";
import { booleanInput, connectionInput, expressionInput, textInput, wordInput } from "../common-inputs";
import type { PolicyImpact } from "./policy-impact";

export const levels = ["warn", "error", "off"] as const;

const lintError = {
  error: ({ input }: { readonly input?: unknown }) =>
    `expected "warn", "error", "off" or { level: "error", off: ["http-source", { rule: "security-unsafe-eval", reason: "…" }] }, got ${shortly(input)}.`,
};
const ruleOff = z.union([z.string(), z.strictObject({ rule: z.string(), reason: z.string().optional() })]);

/** A word, or the options. */
export const lintInput = z.union(
  [
    z.enum(levels),
    z.strictObject({ level: z.enum(levels).optional(), off: z.array(ruleOff).optional() }, lintError),
  ],
  lintError,
);

/** Inputs of one policy, alone or in a set. */
export const policyShape = {
  description: textInput("description"),
  action: wordInput(["log", "allow", "add_reporting_directives"]),
  expression: expressionInput,
  enabled: booleanInput.optional(),
  value: textInput("value").optional(),
  directives: z
    .record(z.string(), z.array(textInput("a source")).readonly(), {
      error: `directives is an object that maps directive names to lists of sources: { "script-src": ["'self'"] }.`,
    })
    .optional(),
};

/** The policy alone, without where it is and how it is judged. */
export const declaredPolicySchema = z.object(policyShape);

/** Inputs of resources with policies: their end, the checks, and the zone. */
export const resourceShape = {
  onDestroy: wordInput(["delete", "keep"]).optional(),
  lint: lintInput.optional(),
  impact: wordInput(levels).optional(),
  minimumLogDays: z
    .number({ error: "minimumLogDays is a number of days." })
    .min(0, { error: "minimumLogDays is a number of days, 0 or more." })
    .optional(),
  connection: connectionInput.optional(),
};

export const impactSchema: z.ZodType<PolicyImpact> = z.object({
  blocked: z.number(),
  keepsOut: z.number().optional(),
  letsIn: z.number().optional(),
  examined: z.number(),
  hosts: z.record(z.string(), z.number()),
});

/** The state after a refresh: whatever was written in the dashboard, also what no program may declare. */
export const recordedPolicyShape = { action: z.string().optional(), expression: z.string().optional() };

/** Further fields of the state of a resource. */
export const recordedShape = {
  /** The input `impact`: the output of that name has its place. */
  impactLevel: wordInput(levels).optional(),
  /** A change that may have happened or not, or a part that is still to be made. */
  incomplete: z.boolean().optional(),
};
