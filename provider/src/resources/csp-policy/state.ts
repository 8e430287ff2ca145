import { z } from "zod";
import {
  booleanInput,
  connectionInput,
  expressionInput,
  textInput,
  wordInput,
  zoneIdInput,
} from "../../lifecycle/common-inputs";

const levels = ["warn", "error", "off"] as const;

export const shape = {
  zoneId: zoneIdInput,
  description: textInput("description"),
  action: wordInput(["log", "allow"]),
  expression: expressionInput,
  enabled: booleanInput.optional(),
  value: textInput("value").optional(),
  directives: z
    .record(z.string(), z.array(textInput("a source")), {
      error: `directives is an object of directive names to lists of sources: { "script-src": ["'self'"] }.`,
    })
    .optional(),
  lint: wordInput(levels).optional(),
  impact: wordInput(levels).optional(),
  minimumLogDays: z
    .number({ error: "minimumLogDays is a number of days." })
    .min(0, { error: "minimumLogDays is a number of days, 0 or more." })
    .optional(),
  connection: connectionInput.optional(),
};

export const inputsSchema = z.object(shape);
export type Inputs = z.output<typeof inputsSchema>;

const impactSchema = z.object({
  blocked: z.number(),
  examined: z.number(),
  hosts: z.record(z.string(), z.number()),
});

export const stateSchema = inputsSchema.partial().extend({
  action: z.string().optional(),
  policyId: z.string().optional(),
  loggingSince: z.string().optional(),
  /** The output of that name: it stands where the argument would. */
  impact: z.union([impactSchema, wordInput(levels)]).optional(),
  impactLevel: wordInput(levels).optional(),
});
export type State = z.output<typeof stateSchema>;

/** What an `allow` policy blocks of what was seen when it was last changed. */
export interface PolicyImpact {
  /** Scripts and connections in use that the policy blocks. */
  readonly blocked: number;
  /** Of how many that were looked at. */
  readonly examined: number;
  /** Host of the blocked item to the number of items. */
  readonly hosts: Readonly<Record<string, number>>;
}
