import * as z from "zod";
import { booleanInput, connectionInput, textInput, wordInput, zoneIdInput } from "../../model/common-inputs";
import { recordedRule, wafRuleInput } from "../../model/waf-rules/rule-input";
import { shortly } from "../../text/shown";

const overrideInput = z
  .strictObject({
    rulesetId: textInput("rulesetId"),
    ruleId: textInput("ruleId"),
    action: textInput("action").optional(),
    enabled: booleanInput.optional(),
  })
  .refine(({ action, enabled }) => action !== undefined || enabled !== undefined, {
    error:
      "this override changes nothing: it has neither action nor enabled. Say what it should change, or leave it out.",
  });

const configurationInput = z.strictObject({ name: textInput("name"), rules: z.array(wafRuleInput) });

/** A moment, ISO 8601: a refusal prints it, so that it can be copied. */
const momentInput = textInput("startedAt").refine((text) => !Number.isNaN(Date.parse(text)), {
  error: (issue) =>
    `startedAt must be the moment that the refusal prints, "2025-01-31T12:00:00.000Z" for example, got ${shortly(issue.input)}.`,
});

/** What someone has found out in the dashboard about an attempt that nothing else can tell. */
const unclearAttemptInput = z.strictObject({
  /** The attempt that is meant: its `sentAt`. So an answer holds once. */
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
    .number({ error: "timeoutMinutes is a number of minutes." })
    .positive({ error: "timeoutMinutes is a number of minutes above 0." })
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
  /** The check operation answers "not found": the previous WAF's APIs are gone. */
  checkGone: z.boolean(),
  /** Rules in the managed entry point. A zone whose migration has not begun cannot have any. */
  ruleCount: z.number(),
  entrypointVersion: z.string().optional(),
});

/** What can be seen of a zone's migration from outside, at one moment. Undefined: the service does not tell. */
export type Observation = z.output<typeof observationSchema>;

/**
 * Where a zone is: only the previous WAF; both (validation mode); the finish accepted and under way; only the new
 * one; or something that is none of these for sure.
 */
const positionSchema = z.enum(["old", "validation", "finishing", "finished", "unclear"]);
export type Position = z.output<typeof positionSchema>;

const attemptSchema = z.object({
  mode: z.enum(["validation", "pending"]),
  /** ISO 8601. */
  sentAt: z.string(),
  /** `accepted`: the service said yes, and only then. `unknown`: no clear answer came. */
  outcome: z.enum(["accepted", "unknown"]),
  before: observationSchema,
  /** Where the zone was. Absent in what older versions have written. */
  from: positionSchema.optional(),
});

/** The irreversible request, noted before anyone knows what became of it. */
export type Attempt = z.output<typeof attemptSchema>;

/** A configuration in the words of a program. */
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
  /** The URN in states of an older version. Today every state has it as a hidden input. */
  urn: z.string().optional(),
});

export type State = z.output<typeof stateSchema>;
