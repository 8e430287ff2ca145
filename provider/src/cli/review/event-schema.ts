import { z } from "zod";

/**
 * What is read of the engine's events: one document a line, from `pulumi preview --json` with
 * PULUMI_ENABLE_STREAMING_JSON_PREVIEW, of `pulumi up --json`, and of `--event-log`. Measured with CLI 3.259.
 */
const values = z.record(z.string(), z.unknown());

const side = z
  .object({
    id: z.string().optional(),
    inputs: values.nullish(),
    outputs: values.nullish(),
    protect: z.boolean().optional(),
    retainOnDelete: z.boolean().optional(),
    custom: z.boolean().optional(),
    /** `URN::ID` of its provider. */
    provider: z.string().optional(),
  })
  .nullish();

const propertyDiff = z.object({ diffKind: z.string(), inputDiff: z.boolean().optional() });

const metadata = z.object({
  op: z.string(),
  urn: z.string(),
  type: z.string(),
  old: side,
  new: side,
  provider: z.string().optional(),
  diffs: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), propertyDiff).nullish(),
});

const step = z.object({ metadata }).optional();

export const eventSchema = z.object({
  resourcePreEvent: step,
  resOutputsEvent: step,
  resOpFailedEvent: step,
  diagnosticEvent: z
    .object({
      urn: z.string().optional(),
      message: z.string(),
      severity: z.string(),
      ephemeral: z.boolean().optional(),
    })
    .optional(),
  policyEvent: z
    .object({
      resourceUrn: z.string().optional(),
      message: z.string(),
      policyName: z.string(),
      policyPackName: z.string(),
      enforcementLevel: z.string(),
    })
    .optional(),
  summaryEvent: z.object({ result: z.string().optional() }).optional(),
});

export type EngineEvent = z.infer<typeof eventSchema>;
export type StepMetadata = z.infer<typeof metadata>;

/** Anyone may have written the file. */
const lineNumber = z.int().min(1).max(10_000_000);

/** A line of the file that PAGE_GUARD_FINDINGS names. */
export const findingLineSchema = z.union([
  z.object({ kind: z.literal("position"), urn: z.string(), file: z.string(), line: lineNumber }),
  z.object({
    kind: z.undefined().optional(),
    code: z.string(),
    severity: z.enum(["error", "warning", "info"]),
    zone: z.string().optional(),
    urn: z.string().optional(),
    property: z.string().default(""),
    text: z.string(),
    data: values.optional(),
    file: z.string().optional(),
    line: lineNumber.optional().catch(undefined),
  }),
]);
