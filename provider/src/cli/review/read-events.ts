import { kindOf, pluginTypePrefix, urnParts } from "../../lifecycle/urn";
import { grouped } from "../../text/data";
import { jsonOf } from "../../text/from-outside";
import { zoneIdOf } from "../../zone/zone-id";
import { type EngineEvent, eventSchema, type StepMetadata } from "./event-schema";
import { mergedFindings, readFindingLines } from "./findings";
import {
  type Diagnostic,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
  shownFinding,
} from "./preview-read";
import { connectionsOf, differencesOf, isGenuine, isProviderType, plainValues } from "./step-values";

/** Reads the lines of an event stream, and of the file that PAGE_GUARD_FINDINGS named. Other lines are skipped. */
export function readEvents(lines: Iterable<string>, findingLines: Iterable<string> = []): PreviewRead {
  const begun: StepMetadata[] = [];
  const refreshed: StepMetadata[] = [];
  const beingRefreshed = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  const violations: ReadFinding[] = [];
  let result: PreviewRead["result"] = "unfinished";
  for (const line of lines) {
    const event = line.startsWith("{") ? eventSchema.safeParse(jsonOf(line)).data : undefined;
    if (!event) continue;
    const { resourcePreEvent, resOutputsEvent, resOpFailedEvent, policyEvent, summaryEvent } = event;
    if (resourcePreEvent?.metadata.op === "refresh") beingRefreshed.add(resourcePreEvent.metadata.urn);
    if (resourcePreEvent) begun.push(resourcePreEvent.metadata);
    if (resOutputsEvent && beingRefreshed.delete(resOutputsEvent.metadata.urn))
      refreshed.push(resOutputsEvent.metadata);
    if (resOpFailedEvent) beingRefreshed.delete(resOpFailedEvent.metadata.urn);
    diagnostics.push(...diagnosticsIn(event));
    if (policyEvent) violations.push(violationIn(policyEvent));
    // Older engines do not say it: then the exit code does.
    if (summaryEvent) result = summaryEvent.result === "failed" ? "failed" : "succeeded";
  }
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(begun[0]?.urn ?? "") ?? [];
  // A provider that is deleted comes after the resources that it had.
  const providers = new Map(begun.filter(({ type }) => isProviderType(type)).map((one) => [one.urn, one]));
  const stepsOf = (all: readonly StepMetadata[]): PreviewStep[] =>
    all
      .filter(({ type }) => type !== "pulumi:pulumi:Stack" && !isProviderType(type))
      .map((one) => stepOf(one, providers));
  const steps = joinedSteps(stepsOf(withoutReads(begun.filter(({ op }) => op !== "refresh"))));
  const { findings, positions } = readFindingLines(findingLines);
  return {
    ...{ stack, project, steps, diagnostics, positions, result },
    refreshed: stepsOf(refreshed).flatMap(refreshedStep),
    findings: mergedFindings(
      findings,
      [...steps.flatMap(forgedFinding), ...violations, ...diagnostics.map(shownDiagnostic)],
      { steps, positions },
    ),
  };
}

function diagnosticsIn({ diagnosticEvent }: EngineEvent): Diagnostic[] {
  const { urn, message = "", severity = "", ephemeral } = diagnosticEvent ?? {};
  if (ephemeral || severity === "debug") return [];
  return codedTexts(withoutColour(message).replace(headOfSdk, "")).map((coded) => ({
    severity: severity === "error" || severity === "warning" ? severity : "info",
    urn: urn || undefined,
    ...coded,
  }));
}

function shownDiagnostic({ code = "", ...rest }: Diagnostic): ReadFinding {
  return shownFinding({ ...rest, code });
}

function violationIn(event: NonNullable<EngineEvent["policyEvent"]>): ReadFinding {
  const { policyPackName: pack, policyName: policy, enforcementLevel, resourceUrn, message } = event;
  return shownFinding({
    code: `policy-${pack}-${policy}`.replace(/[^\w-]+/g, "-"),
    severity: enforcementLevel === "mandatory" ? "error" : "warning",
    urn: resourceUrn || undefined,
    text: `Policy pack ${pack}, ${policy}: ${withoutColour(message)}`,
  });
}

/** From the engine's events alone: nothing that the program writes removes it. */
function forgedFinding({ isForged, urn, type }: PreviewStep): ReadFinding[] {
  if (!isForged) return [];
  const text = `This resource has the type ${type}, but its provider is the program's own. That code runs with the token of the provider process, and no rule of this package applies to it. page-guard apply never applies it.`;
  return [shownFinding({ code: "provider-forged", severity: "error", urn, text })];
}

/** What the engine puts before a reason from `check`. */
const headOfSdk = /^\S+ resource '.*?' has a problem: /;

/** A message of the engine as a terminal shows it. */
export function withoutColour(text: string): string {
  return text.replace(/<\{%.*?%\}>/g, "").trim();
}

/** A changed resource keeps `refresh` as its op; a deleted one has `delete`. */
function refreshedStep(step: PreviewStep): PreviewStep[] {
  if (step.op === "delete") return [step];
  return step.differences.length > 0 ? [{ ...step, op: "update" }] : [];
}

/** What a program only reads, or has only read before, is in the state as the program describes it: nothing is owned by that. */
function withoutReads(all: readonly StepMetadata[]): StepMetadata[] {
  const urnsOf = (op: string) => new Set(all.filter((one) => one.op === op).map(({ urn }) => urn));
  const [read, wasRead] = [urnsOf("read-replacement"), urnsOf("discard-replaced")];
  return all.flatMap((one) => {
    if (read.has(one.urn)) return one.op === "read-replacement" ? [{ ...one, op: "read" }] : [];
    if (wasRead.has(one.urn))
      return one.op === "create-replacement" ? [{ ...one, op: "create", old: null }] : [];
    return [one];
  });
}

function joinedSteps(steps: readonly PreviewStep[]): PreviewStep[] {
  const groups = grouped(steps, ({ op, urn }) => JSON.stringify([op, urn]));
  return [...groups.values()].flatMap((group) => (group[0].op === "replace" ? group.reduce(joined) : group));
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
    ...(other.isForged && { isForged: true, isOurs: false, kind: other.kind }),
  };
}

const replacing = /^(replace|(create|import)-replacement|delete-replaced)$/;

function stepOf(metadata: StepMetadata, providers: ReadonlyMap<string, StepMetadata>): PreviewStep {
  const { op, urn, type, old, new: now } = metadata;
  const isCustom = old?.custom === true || now?.custom === true;
  // Components have types of the plugin, too.
  const named = isCustom || !type.startsWith(pluginTypePrefix) ? kindOf(type) : undefined;
  const isOurs = named !== undefined && isGenuine(named, metadata, providers);
  const before = plainValues(old?.inputs);
  const after = plainValues(now?.inputs);
  return {
    op: replacing.test(op) ? "replace" : op,
    ...{ urn, type, name: urnParts(urn).name, isOurs },
    isForged: named !== undefined && !isOurs,
    isComponent: !isOurs && !isCustom,
    kind: isOurs ? named : type,
    id: old?.id || now?.id || "",
    zone: isOurs ? zoneIdOf(after?.["zoneId"] ?? before?.["zoneId"]) : undefined,
    ...{ before, after, recorded: plainValues(old?.outputs) },
    connections: connectionsOf(metadata, providers),
    differences: differencesOf(metadata),
    isProtected: old?.protect === true || now?.protect === true,
    isRetained: old?.retainOnDelete === true,
  };
}

/** Kebab case for findings, `PG_…` for errors. */
const codeAtEnd = / \[((?:PG_)?[A-Z_]+|[a-z][a-z0-9-]*)\](?=\n|$)/g;

/** Messages of ours end with a code in brackets; one text may hold several, each on a line of its own. */
export function codedTexts(message: string): Pick<Diagnostic, "text" | "code">[] {
  const found: ReturnType<typeof codedTexts> = [];
  let from = 0;
  for (const match of message.matchAll(codeAtEnd)) {
    found.push({ text: message.slice(from, match.index).trim(), code: match[1] });
    from = match.index + match[0].length;
  }
  const rest = message.slice(from).trim();
  return rest === "" ? found : [...found, { text: rest, code: undefined }];
}
