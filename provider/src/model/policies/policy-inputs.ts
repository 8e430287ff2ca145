import type { LintSetting } from "page-guard-csp";
import { z } from "zod";
import { booleanInput, connectionInput, expressionInput, textInput, wordInput } from "../common-inputs";

export const levels = ["warn", "error", "off"] as const;

const lintOptions = z.strictObject(
  {
    level: wordInput(levels).optional(),
    off: z
      .array(
        z.union([z.string(), z.strictObject({ rule: z.string(), reason: z.string().optional() })], {
          error: `a rule to switch off is its name, or { rule: "http-source", reason: "…" }.`,
        }),
        { error: "off is a list of rules that are switched off." },
      )
      .optional(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `lint knows level and off, not ${issue.keys.join(", ")}.`
        : undefined,
  },
);

/** A word, or the options; each with its own sentences. */
export const lintInput = z.custom<LintSetting>().superRefine((value, context) => {
  const schema = typeof value === "object" && value !== null ? lintOptions : wordInput(levels);
  for (const { message, path } of schema.safeParse(value).error?.issues ?? []) {
    context.addIssue({ code: "custom", message, path: [...path] });
  }
});

/** What makes one policy, alone or in a set. */
export const policyShape = {
  action: wordInput(["log", "allow", "add_reporting_directives"]),
  expression: expressionInput,
  enabled: booleanInput.optional(),
  value: textInput("value").optional(),
  directives: z
    .record(z.string(), z.array(textInput("a source")).readonly(), {
      error: `directives is an object of directive names to lists of sources: { "script-src": ["'self'"] }.`,
    })
    .optional(),
};

/** The policy alone, without where it is and how it is judged. */
export const declaredPolicySchema = z.object({ description: textInput("description"), ...policyShape });

/** How loudly policies are judged, and where they are. */
export const judgementShape = {
  lint: lintInput.optional(),
  impact: wordInput(levels).optional(),
  minimumLogDays: z
    .number({ error: "minimumLogDays is a number of days." })
    .min(0, { error: "minimumLogDays is a number of days, 0 or more." })
    .optional(),
  connection: connectionInput.optional(),
};

export const onDestroyInput = wordInput(["delete", "keep"]);

export const impactSchema = z.object({
  blocked: z.number(),
  keepsOut: z.number().optional(),
  letsIn: z.number().optional(),
  examined: z.number(),
  hosts: z.record(z.string(), z.number()),
});

/** The state after a refresh: whatever was written in the dashboard, also what no program may declare. */
export const recordedShape = { action: z.string().optional(), expression: z.string().optional() };
