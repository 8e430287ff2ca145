import { kindOf, urnParts } from "../../lifecycle/urn";
import { jsonOf } from "../../text/json-of";
import { zoneIdOf } from "../../zone/zone-id";
import { factsOf, joinedFacts } from "../approval/step-facts";
import { codedTexts } from "./coded-text";
import { differencesOf, plainValues } from "./difference";
import { type EngineEvent, eventSchema, type StepMetadata } from "./event-schema";
import { isGenuine } from "./genuine";
import type { Diagnostic, PreviewRead, PreviewStep, ReadFinding, Violation } from "./preview-read";
import { mergedFindings, readFindingLines } from "./read-findings";

/**
 * What a run of the engine does, from the lines of its event stream and, where there is one, of the file that
 * PAGE_GUARD_FINDINGS names. Lines that are no events (what something else has printed) are passed over.
 */
export function readEvents(lines: Iterable<string>, findingLines: Iterable<string> = []): PreviewRead {
  const reading = new Reading();
  for (const line of lines) {
    const event = eventOf(line);
    if (event) reading.take(event);
  }
  const { findings, positions } = readFindingLines(findingLines);
  const read = reading.read();
  const merged = mergedFindings(findings, read, positions);
  return { ...read, findings: [...read.steps.flatMap(forgedFinding), ...merged], positions };
}

function eventOf(line: string): EngineEvent | undefined {
  // Cut off, or not JSON at all: nothing of it counts.
  return line.startsWith("{") ? eventSchema.safeParse(jsonOf(line)).data : undefined;
}

class Reading {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly steps: PreviewStep[] = [];
  private readonly refreshed: PreviewStep[] = [];
  private readonly violations: Violation[] = [];
  private readonly beingRefreshed = new Set<string>();
  private urn = "";
  private isPreview = true;
  private result: PreviewRead["result"] = "unfinished";

  take({
    resourcePreEvent,
    resOutputsEvent,
    resOpFailedEvent,
    diagnosticEvent,
    policyEvent,
    summaryEvent,
  }: EngineEvent): void {
    if (resourcePreEvent) this.begin(resourcePreEvent.metadata);
    if (resOutputsEvent) this.end(resOutputsEvent.metadata);
    if (resOpFailedEvent) this.beingRefreshed.delete(resOpFailedEvent.metadata.urn);
    if (diagnosticEvent) this.tell(diagnosticEvent);
    if (policyEvent) {
      const { policyPackName, policyName, enforcementLevel, resourceUrn, message } = policyEvent;
      this.violations.push({
        pack: policyPackName,
        policy: policyName,
        isMandatory: enforcementLevel === "mandatory",
        urn: resourceUrn || undefined,
        text: withoutColour(message).trim(),
      });
    }
    if (summaryEvent) {
      this.isPreview = summaryEvent.isPreview ?? true;
      // Older engines do not tell it: then the exit code has to.
      this.result = summaryEvent.result === "failed" ? "failed" : "succeeded";
    }
  }

  read(): Omit<PreviewRead, "findings" | "positions"> {
    const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(this.urn) ?? [];
    const { steps, refreshed, diagnostics, violations, isPreview, result } = this;
    return { stack, project, steps, refreshed, diagnostics, violations, isPreview, result };
  }

  private begin(metadata: StepMetadata): void {
    const { op, urn, type } = metadata;
    this.urn ||= urn;
    if (type === "pulumi:pulumi:Stack" || type.startsWith("pulumi:providers:")) return;
    if (op === "refresh") {
      this.beingRefreshed.add(urn);
      return;
    }
    const step = stepOf(metadata);
    const at = step.op === "replace" ? this.steps.findIndex((one) => isReplaced(one, urn)) : -1;
    const before = this.steps[at];
    if (before) this.steps[at] = joined(before, step);
    else this.steps.push(step);
  }

  private end(metadata: StepMetadata): void {
    if (!this.beingRefreshed.delete(metadata.urn)) return;
    const step = stepOf(metadata);
    // What has changed keeps the name of the step; what is gone is told as a deletion.
    if (step.op === "delete") this.refreshed.push(step);
    else if (step.differences.length > 0) this.refreshed.push({ ...step, op: "update" });
  }

  private tell({ urn, message, severity, ephemeral }: NonNullable<EngineEvent["diagnosticEvent"]>): void {
    if (ephemeral || severity === "debug") return;
    const text = withoutColour(message).trim();
    if (text === "") return;
    for (const { text: one, code } of codedTexts(text.replace(headOfSdk, "")))
      this.diagnostics.push({
        severity: severity === "error" || severity === "warning" ? severity : "info",
        urn: urn || undefined,
        text: one,
        code,
      });
  }
}

/** By the engine's word alone: nothing that the program writes takes it away. */
function forgedFinding({ isForged, urn, type }: PreviewStep): ReadFinding[] {
  if (!isForged) return [];
  const text = `This resource has the type ${type} and is not of this package: its provider is the program's own. Its code runs with the token of the provider process, and no rule of this package holds for it. page-guard apply never applies it.`;
  const unknown = { zone: undefined, data: undefined, file: undefined, line: undefined };
  return [{ code: "provider-forged", isShown: true, severity: "error", urn, property: "", text, ...unknown }];
}

/** What the engine writes before a reason that `check` has given. */
const headOfSdk = /^\S+ resource '.*?' has a problem: /;

function withoutColour(text: string): string {
  return text.replace(/<\{%.*?%\}>/g, "");
}

function isReplaced({ op, urn }: PreviewStep, other: string): boolean {
  return op === "replace" && urn === other;
}

/** The engine tells a replacement three times: with what is declared, with both, and with what goes. */
function joined(one: PreviewStep, other: PreviewStep): PreviewStep {
  return {
    ...one,
    id: one.id || other.id,
    before: one.before ?? other.before,
    after: one.after ?? other.after,
    recorded: one.recorded ?? other.recorded,
    differences: one.differences.length > 0 ? one.differences : other.differences,
    facts: joinedFacts(one.facts, other.facts),
    ...(other.isForged && { isForged: true, isOurs: false, kind: other.kind }),
  };
}

/** The steps of a replacement, which is one for the reader. */
const replacing = new Set([
  "replace",
  "create-replacement",
  "delete-replaced",
  "read-replacement",
  "import-replacement",
  "discard-replaced",
]);

function stepOf(metadata: StepMetadata): PreviewStep {
  const { op, urn, type, old, new: now } = metadata;
  const named = kindOf(type);
  const isOurs = named !== undefined && isGenuine(named, metadata);
  const before = plainValues(old?.inputs);
  const after = plainValues(now?.inputs);
  const zone = after?.["zoneId"] ?? before?.["zoneId"];
  return {
    op: replacing.has(op) ? "replace" : op,
    urn,
    type,
    name: urnParts(urn).name,
    isOurs,
    isForged: named !== undefined && !isOurs,
    isComponent: !isOurs && old?.custom !== true && now?.custom !== true,
    kind: isOurs ? named : type,
    id: old?.id || now?.id || "",
    zone: isOurs ? zoneIdOf(zone) : undefined,
    before,
    after,
    recorded: plainValues(old?.outputs),
    differences: differencesOf(metadata),
    isProtected: old?.protect === true || now?.protect === true,
    facts: factsOf(metadata),
    isRetained: old?.retainOnDelete === true,
  };
}
