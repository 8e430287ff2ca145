import { pluginTypePrefix } from "../../lifecycle/type-prefix";
import { kindOf, urnParts } from "../../lifecycle/urn";
import { jsonOf } from "../../text/json-of";
import { zoneIdOf } from "../../zone/zone-id";
import { type EngineEvent, eventSchema, type StepMetadata } from "./event-schema";
import {
  type Diagnostic,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
  shownFinding,
  type Violation,
} from "./preview-read";
import { connectionsOf, isGenuine, isProviderType, type Providers, urnIn } from "./providers";
import { mergedFindings, readFindingLines } from "./read-findings";
import { differencesOf, factsOf, joinedFacts, plainValues } from "./step-values";

/** Reads the lines of an event stream, and of the file that PAGE_GUARD_FINDINGS named. Other lines are skipped. */
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
  return line.startsWith("{") ? eventSchema.safeParse(jsonOf(line)).data : undefined;
}

class Reading {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly steps: StepMetadata[] = [];
  private readonly refreshed: StepMetadata[] = [];
  private readonly providers = new Map<string, StepMetadata>();
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
      // Older engines do not say it: then the exit code does.
      this.result = summaryEvent.result === "failed" ? "failed" : "succeeded";
    }
  }

  read(): Omit<PreviewRead, "findings" | "positions"> {
    const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(this.urn) ?? [];
    const { diagnostics, violations, isPreview, result } = this;
    // A provider that is deleted comes after the resources that it had.
    const steps = joinedSteps(this.steps.map((step) => stepOf(step, this.providers)));
    const refreshed = this.refreshed.map((step) => stepOf(step, this.providers)).flatMap(refreshedStep);
    return { stack, project, steps, refreshed, diagnostics, violations, isPreview, result };
  }

  private begin(metadata: StepMetadata): void {
    const { op, urn, type } = metadata;
    this.urn ||= urn;
    if (type === "pulumi:pulumi:Stack") return;
    if (isProviderType(type)) this.providers.set(urn, metadata);
    else if (op === "refresh") this.beingRefreshed.add(urn);
    else this.steps.push(metadata);
  }

  private end(metadata: StepMetadata): void {
    if (this.beingRefreshed.delete(metadata.urn)) this.refreshed.push(metadata);
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

/** From the engine's events alone: nothing that the program writes removes it. */
function forgedFinding({ isForged, urn, type }: PreviewStep): ReadFinding[] {
  if (!isForged) return [];
  const text = `This resource has the type ${type}, but its provider is the program's own. That code runs with the token of the provider process, and no rule of this package applies to it. page-guard apply never applies it.`;
  return [shownFinding({ code: "provider-forged", severity: "error", urn, text })];
}

/** What the engine puts before a reason from `check`. */
const headOfSdk = /^\S+ resource '.*?' has a problem: /;

function withoutColour(text: string): string {
  return text.replace(/<\{%.*?%\}>/g, "");
}

/** A changed resource keeps `refresh` as its op; a deleted one has `delete`. */
function refreshedStep(step: PreviewStep): PreviewStep[] {
  if (step.op === "delete") return [step];
  return step.differences.length > 0 ? [{ ...step, op: "update" }] : [];
}

function joinedSteps(steps: readonly PreviewStep[]): PreviewStep[] {
  const replacements = new Map<string, number>();
  const found: PreviewStep[] = [];
  for (const step of steps) {
    const at = step.op === "replace" ? replacements.get(step.urn) : undefined;
    const before = at === undefined ? undefined : found[at];
    if (at !== undefined && before) found[at] = joined(before, step);
    else {
      if (step.op === "replace") replacements.set(step.urn, found.length);
      found.push(step);
    }
  }
  return found;
}

/** The engine has three steps for a replacement: with the declaration, with both sides, with the deletion. */
function joined(one: PreviewStep, other: PreviewStep): PreviewStep {
  return {
    ...one,
    id: one.id || other.id,
    before: one.before ?? other.before,
    after: one.after ?? other.after,
    recorded: one.recorded ?? other.recorded,
    connections: {
      was: one.connections.was ?? other.connections.was,
      becomes: one.connections.becomes ?? other.connections.becomes,
    },
    differences: one.differences.length > 0 ? one.differences : other.differences,
    facts: joinedFacts(one.facts, other.facts),
    ...(other.isForged && { isForged: true, isOurs: false, kind: other.kind }),
  };
}

const replacing = new Set([
  "replace",
  "create-replacement",
  "delete-replaced",
  "read-replacement",
  "import-replacement",
  "discard-replaced",
]);

function stepOf(metadata: StepMetadata, providers: Providers): PreviewStep {
  const { op, urn, type, old, new: now } = metadata;
  const isCustom = old?.custom === true || now?.custom === true;
  // Components have types of the plugin, too.
  const named = isCustom || !type.startsWith(pluginTypePrefix) ? kindOf(type) : undefined;
  const isOurs = named !== undefined && isGenuine(named, metadata, providers);
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
    isComponent: !isOurs && !isCustom,
    kind: isOurs ? named : type,
    id: old?.id || now?.id || "",
    zone: isOurs ? zoneIdOf(zone) : undefined,
    before,
    after,
    recorded: plainValues(old?.outputs),
    provider: urnIn(metadata.provider),
    connections: connectionsOf(metadata, providers),
    differences: differencesOf(metadata),
    isProtected: old?.protect === true || now?.protect === true,
    facts: factsOf(metadata),
    isRetained: old?.retainOnDelete === true,
  };
}

export interface CodedText {
  /** Without the code. */
  readonly text: string;
  readonly code: string | undefined;
}

/** Kebab case for findings, `PG_…` for errors. */
const codeAtEnd = / \[((?:PG_)?[A-Z_]+|[a-z][a-z0-9-]*)\](?=\n|$)/g;

/** Messages of ours end with a code in brackets; one text may hold several, each on a line of its own. */
export function codedTexts(message: string): CodedText[] {
  const found: CodedText[] = [];
  let from = 0;
  for (const match of message.matchAll(codeAtEnd)) {
    found.push({ text: message.slice(from, match.index).trim(), code: match[1] });
    from = match.index + match[0].length;
  }
  const rest = message.slice(from).trim();
  return rest === "" ? found : [...found, { text: rest, code: undefined }];
}
