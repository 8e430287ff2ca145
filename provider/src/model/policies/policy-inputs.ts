import * as z from "zod";
import { describeBriefly } from "../../text/shown";
import { booleanInput, connectionInput, expressionInput, textInput, wordInput } from "../common-inputs";
import type { PolicyImpact } from "./policy-impact";

export const levels = ["warn", "error", "off"] as const;

const lintError = {
  error: ({ input }: { readonly input?: unknown }) =>
    `expected "warn", "error", "off" or { level: "error", off: ["http-source", { rule: "security-unsafe-eval", reason: "…" }] }, got ${describeBriefly(input)}.`,
};
const ruleOff = z.union([z.string(), z.strictObject({ rule: z.string(), reason: z.string().optional() })]);

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
      error: `directives must be an object that maps directive names to lists of sources: { "script-src": ["'self'"] }.`,
    })
    .optional(),
};

/** Schema of a policy without its zone and the settings of its checks. */
export const declaredPolicySchema = z.object(policyShape);

/** Inputs that all resources with policies have. */
export const resourceShape = {
  onDestroy: wordInput(["delete", "keep"]).optional(),
  lint: lintInput.optional(),
  impact: wordInput(levels).optional(),
  minimumLogDays: z
    .number({ error: "minimumLogDays must be a number of days." })
    .min(0, { error: "minimumLogDays must be a number of days, 0 or more." })
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

/** Fields that may contain any string in the state, because a refresh records values from the dashboard. */
export const recordedPolicyShape = { action: z.string().optional(), expression: z.string().optional() };

/** Further fields in the state of all resources with policies. */
export const recordedShape = {
  /** The input `impact`, under another name because `impact` is also an output. */
  impactLevel: wordInput(levels).optional(),
  /** Whether the last change failed and may have been carried out at least in part. */
  incomplete: z.boolean().optional(),
};
