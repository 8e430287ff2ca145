import * as z from "zod";
import { booleanInput, connectionInput, textInput, wordInput, zoneIdInput } from "../../model/common-inputs";
import { recordedRule, wafRuleInput } from "../../model/waf-rules/rule-input";
import { describeBriefly } from "../../text/shown";

const overrideInput = z
  .strictObject({
    rulesetId: textInput("rulesetId"),
    ruleId: textInput("ruleId"),
    action: textInput("action").optional(),
    enabled: booleanInput.optional(),
  })
  .refine(({ action, enabled }) => action !== undefined || enabled !== undefined, {
    error:
      "this override changes nothing: it has neither action nor enabled. Set one of them, or leave the override out.",
  });

const configurationInput = z.strictObject({ name: textInput("name"), rules: z.array(wafRuleInput) });

const momentInput = textInput("startedAt").refine((text) => !Number.isNaN(Date.parse(text)), {
  error: (issue) =>
    `startedAt must be the time that the error message shows, such as "2025-01-31T12:00:00.000Z", got ${describeBriefly(issue.input)}.`,
});

/** States whether an attempt that got no clear response was accepted. A person has found this out in the dashboard. */
const unclearAttemptInput = z.strictObject({
  /** `sentAt` of the attempt, so that an answer is valid for one attempt only. */
  startedAt: momentInput,
  outcome: wordInput(["accepted", "notAccepted"]),
});

export const shape = {
  zoneId: zoneIdInput,
  stage: wordInput(["validation", "finished"]),
  confirm: textInput("confirm"),
  ruleOverrides: z.array(overrideInput).optional(),
  configuration: configurationInput.optional(),
  timeoutMinutes: z
    .number({ error: "timeoutMinutes must be a number of minutes." })
    .positive({ error: "timeoutMinutes must be a number of minutes above 0." })
    .optional(),
  unclearAttempt: unclearAttemptInput.optional(),
  allowForget: booleanInput.optional(),
  connection: connectionInput.optional(),
};

const inputsSchema = z.object(shape);

export type Inputs = z.output<typeof inputsSchema>;

const observationSchema = z.object({
  compatible: z.boolean().optional(),
  migrationState: z.string().optional(),
  oldEnabled: z.boolean().optional(),
  newEnabled: z.boolean().optional(),
  /** Whether the compatibility check returns "not found", because the previous WAF's APIs are gone. */
  checkGone: z.boolean(),
  /** Number of rules in the managed entry point. It is 0 if the migration has not begun. */
  ruleCount: z.number(),
  entrypointVersion: z.string().optional(),
});

/** A reading of a zone's migration at one moment. A field is undefined if the service does not return it. */
export type Observation = z.output<typeof observationSchema>;

/**
 * Position of a zone in its migration. `old`: only the previous WAF runs. `validation`: both WAFs run. `finishing`: a finish was
 * accepted and is under way. `finished`: only the new WAF runs. `unclear`: the position is not known for certain.
 */
const positionSchema = z.enum(["old", "validation", "finishing", "finished", "unclear"]);
export type MigrationPosition = z.output<typeof positionSchema>;

const attemptSchema = z.object({
  /** Mode in the request. `pending` is the API's word for a finish. */
  mode: z.enum(["validation", "pending"]),
  /** Time at which the request was sent, ISO 8601. */
  sentAt: z.string(),
  /** `accepted`: the service accepted the request. `unknown`: the response was lost or not clear. */
  outcome: z.enum(["accepted", "unknown"]),
  before: observationSchema,
  /** Position of the zone before the request. Older versions did not write it. */
  from: positionSchema.optional(),
});

/** A request of the migration with its outcome, as far as the outcome is known. */
export type Attempt = z.output<typeof attemptSchema>;

/** Configuration in the form in which programs declare it. */
const appliedSchema = z.object({ name: z.string(), rules: z.array(recordedRule) });

export const stateSchema = inputsSchema.partial().extend({
  compatible: z.boolean().optional(),
  migrationState: z.string().optional(),
  applied: appliedSchema.optional(),
  status: z.record(z.string(), z.unknown()).optional(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  before: z.looseObject({ observedAt: z.string() }).optional(),
  reached: positionSchema.optional(),
  observed: observationSchema.optional(),
  attempt: attemptSchema.optional(),
  /** URN in states of older versions. Today it is a hidden input. */
  urn: z.string().optional(),
});

export type State = z.output<typeof stateSchema>;
