import { parseJson } from "pulumi-page-guard/tools";
import * as z from "zod";

/**
 * Schemas of the engine events that the command reads, as observed with CLI 3.259. Each line of `--event-log`, `pulumi up --json`
 * and `pulumi preview --json` (with PULUMI_ENABLE_STREAMING_JSON_PREVIEW) is one event.
 */
const values = z.record(z.string(), z.unknown());
const flag = z.boolean().optional();
const text = z.string().optional();

/** Values of a resource before or after a step. `provider` has the form `URN::ID`. */
const side = z
  .object({
    urn: text,
    id: text,
    inputs: values.nullish(),
    outputs: values.nullish(),
    provider: text,
    retainOnDelete: flag,
    protect: flag,
    custom: flag,
  })
  .nullish();
const metadata = z.object({
  op: z.string(),
  urn: z.string(),
  type: z.string(),
  old: side,
  new: side,
  provider: text,
  diffs: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), z.object({ inputDiff: flag })).nullish(),
});
const step = z.object({ metadata }).optional();
const diagnostic = z.object({ urn: text, message: z.string(), severity: z.string(), ephemeral: flag });
const violation = z.object({
  resourceUrn: text,
  message: z.string(),
  enforcementLevel: z.string(),
  policyName: z.string(),
  policyPackName: z.string(),
});
/** A change that a policy pack made to the inputs of a resource. `before` and `after` are the inputs, with secrets hidden. */
const remediation = z.object({
  resourceUrn: text,
  policyName: z.string(),
  policyPackName: z.string(),
  before: values.nullish(),
  after: values.nullish(),
});
const event = z.object({
  resourcePreEvent: step,
  resOutputsEvent: step,
  resOpFailedEvent: step,
  diagnosticEvent: diagnostic.optional(),
  policyEvent: violation.optional(),
  policyRemediationEvent: remediation.optional(),
  summaryEvent: z.object({ result: text }).optional(),
  stdoutEvent: z.object({ message: z.string() }).optional(),
});

export type EngineEvent = z.infer<typeof event>;
export type StepMetadata = z.infer<typeof metadata>;

/** Parses the events in lines. Skips other lines. */
export function* parseEvents(lines: Iterable<string>): Iterable<EngineEvent> {
  for (const line of lines) {
    const read = line.startsWith("{") ? event.safeParse(parseJson(line)).data : undefined;
    if (read) yield read;
  }
}

/**
 * Returns the message of an event as a list of one. The list is empty if the event has no message, or only a temporary one, or
 * only a debug message that is not about an adoption.
 */
export function readMessages({ diagnosticEvent: one }: EngineEvent) {
  const isDebug = one?.severity === "debug";
  if (!one || one.ephemeral || (isDebug && !/ \[[a-z-]+-adopted\]\s*$/.test(one.message))) return [];
  const severity = isDebug ? "info" : one.severity;
  return [{ severity, urn: one.urn || undefined, text: stripColour(one.message) }];
}

export function stripColour(text: string): string {
  return text.replace(/<\{%[^%]*%\}>/g, "").trim();
}

/** Schema of a line number. The number has a limit, because any program can write to the findings file. */
const lineNumber = z.int().min(1).max(10_000_000);

const positionSchema = z.object({
  kind: z.literal("position"),
  urn: z.string(),
  file: z.string(),
  line: lineNumber,
});
const findingSchema = z.object({
  /** Never set in a finding. Without this field, the schema would accept an invalid position line as a finding. */
  kind: z.undefined().optional(),
  /** Code of the finding; empty for other messages. */
  code: z.string(),
  severity: z.enum(["error", "warning", "info"]),
  zone: text,
  /** URN of the resource; undefined for the whole stack. */
  urn: text,
  /** Path of the input; empty for the resource as a whole. */
  property: z.string().default(""),
  /** Text without the code at its end. */
  text: z.string(),
  data: values.optional(),
  file: text,
  line: lineNumber.optional().catch(undefined),
});

export type FindingLine = z.output<typeof findingSchema>;

/** Schema of a line in the file that PAGE_GUARD_FINDINGS names. */
export const lineSchema = z.union([positionSchema, findingSchema]);
