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
  unclearAttempt: z
    .strictObject({
      /** `sentAt` of the attempt, so that an answer is valid for one attempt only. */
      startedAt: momentInput,
      outcome: wordInput(["accepted", "notAccepted"]),
    })
    .optional(),
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

/** Facts that one reading of a zone shows. A field is undefined if the service does not return it. */
export type Observation = z.output<typeof observationSchema>;

/**
 * Position of a zone in its migration. `old`: only the previous WAF runs. `validation`: both WAFs run. `finishing`: a finish was
 * accepted and is under way. `finished`: only the new WAF runs. `unclear`: the readings do not show the position.
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
  /** Position of the zone before the request. Absent in states of older versions. */
  from: positionSchema.optional(),
});

/** A request of the migration, with its outcome as far as it is known. */
export type Attempt = z.output<typeof attemptSchema>;

export const stateSchema = inputsSchema.partial().extend({
  compatible: z.boolean().optional(),
  migrationState: z.string().optional(),
  /** The configuration that was sent or found, with the field names of programs. */
  applied: z.object({ name: z.string(), rules: z.array(recordedRule) }).optional(),
  status: z.record(z.string(), z.unknown()).optional(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  before: z.looseObject({ observedAt: z.string() }).optional(),
  reached: positionSchema.optional(),
  observed: observationSchema.optional(),
  attempt: attemptSchema.optional(),
  /** URN. Only in states of older versions; now it is a hidden input. */
  urn: z.string().optional(),
});

export type State = z.output<typeof stateSchema>;
