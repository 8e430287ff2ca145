import { jsonOf } from "pulumi-page-guard/tools";
import { type EngineEvent, eventSchema, findingLineSchema, type StepMetadata } from "./event-schema";
import {
  findingOf,
  type Position,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
  withProperty,
} from "./preview-read";
import { stepsOf } from "./steps";

/** Reads the lines of an event stream, and of the file that PAGE_GUARD_FINDINGS named. Other lines are skipped. */
export function readEvents(lines: Iterable<string>, findingLines: Iterable<string> = []): PreviewRead {
  const begun: StepMetadata[] = [];
  const refreshed: StepMetadata[] = [];
  const beingRefreshed = new Set<string>();
  const shown: ReadFinding[] = [];
  let first: string | undefined;
  let result: PreviewRead["result"] = "unfinished";
  for (const line of lines) {
    const event = line.startsWith("{") ? eventSchema.safeParse(jsonOf(line)).data : undefined;
    if (!event) continue;
    const { resourcePreEvent, resOutputsEvent, resOpFailedEvent, summaryEvent } = event;
    first ??= resourcePreEvent?.metadata.urn;
    if (resourcePreEvent?.metadata.op === "refresh") beingRefreshed.add(resourcePreEvent.metadata.urn);
    else if (resourcePreEvent) begun.push(resourcePreEvent.metadata);
    if (resOutputsEvent && beingRefreshed.delete(resOutputsEvent.metadata.urn))
      refreshed.push(resOutputsEvent.metadata);
    if (resOpFailedEvent) beingRefreshed.delete(resOpFailedEvent.metadata.urn);
    shown.push(...messagesIn(event), ...violationIn(event));
    // Older engines do not say it: then the exit code does.
    if (summaryEvent) result = summaryEvent.result === "failed" ? "failed" : "succeeded";
  }
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(first ?? "") ?? [];
  const { steps, forged } = stepsOf(begun);
  const positions = new Map<string, Position>();
  const told: ReadFinding[] = [];
  for (const line of findingLines) {
    const { data } = findingLineSchema.safeParse(jsonOf(line));
    if (data?.kind === "position") positions.set(data.urn, { file: data.file, line: data.line });
    else if (data) told.push(findingOf(data));
  }
  const zones = new Map(steps.map(({ urn, zone }) => [urn, zone]));
  const findings = merged(told, [...forged, ...shown]).map((finding) => {
    const { urn = "", file, line } = finding;
    const position = file === undefined ? positions.get(urn) : { file, line };
    return { ...finding, zone: zones.get(urn) ?? finding.zone, file: position?.file, line: position?.line };
  });
  return {
    ...{ stack, project, steps, findings, positions, result },
    refreshed: stepsOf(refreshed).steps.flatMap(refreshedStep),
  };
}

/** What the engine puts before a reason from `check`. */
const headOfSdk = /^\S+ resource '.*?' has a problem: /;

function messagesIn({ diagnosticEvent }: EngineEvent): ReadFinding[] {
  const { urn, message = "", severity = "", ephemeral } = diagnosticEvent ?? {};
  if (ephemeral || severity === "debug") return [];
  return codedTexts(withoutColour(message).replace(headOfSdk, "")).map((coded) =>
    findingOf({
      severity: severity === "error" || severity === "warning" ? severity : "info",
      urn: urn || undefined,
      ...coded,
    }),
  );
}

function violationIn({ policyEvent }: EngineEvent): ReadFinding[] {
  if (!policyEvent) return [];
  const { policyPackName: pack, policyName: policy, enforcementLevel, resourceUrn, message } = policyEvent;
  return [
    findingOf({
      code: `policy-${pack}-${policy}`.replace(/[^\w-]+/g, "-"),
      severity: enforcementLevel === "mandatory" ? "error" : "warning",
      urn: resourceUrn || undefined,
      text: `Policy pack ${pack}, ${policy}: ${withoutColour(message)}`,
    }),
  ];
}

/** A message of the engine as a terminal shows it. */
export function withoutColour(text: string): string {
  return text.replace(/<\{%.*?%\}>/g, "").trim();
}

/** Kebab case for findings, `PG_…` for errors. */
const codeAtEnd = / \[((?:PG_)?[A-Z_]+|[a-z][a-z0-9-]*)\](?=\n|$)/g;

/** Messages of ours end with a code in brackets; one text may hold several, each on a line of its own. */
function codedTexts(message: string): Pick<ReadFinding, "text" | "code">[] {
  const found: ReturnType<typeof codedTexts> = [];
  let from = 0;
  for (const match of message.matchAll(codeAtEnd)) {
    found.push({ text: message.slice(from, match.index).trim(), code: match[1] ?? "" });
    from = match.index + match[0].length;
  }
  const rest = message.slice(from).trim();
  return rest === "" ? found : [...found, { text: rest, code: "" }];
}

/** All findings, each once: replacements are checked twice, and messages repeat what is in the file. The engine's severity counts. */
function merged(told: readonly ReadFinding[], shown: readonly ReadFinding[]): ReadFinding[] {
  const all = new Map(told.map((finding) => [keyOf(finding), finding]));
  for (const one of shown) {
    const known = all.get(keyOf(one));
    all.set(keyOf(one), { ...(known ?? one), severity: one.severity, isShown: true });
  }
  return [...all.values()];
}

/** Messages are cut and their white space varies. */
function keyOf(finding: ReadFinding): string {
  const beginning = withProperty(finding).replace(/\s+/g, "").slice(0, 1000);
  return JSON.stringify([finding.urn, finding.code, beginning]);
}

/** A changed resource keeps `refresh` as its op; a deleted one has `delete`. */
function refreshedStep(step: PreviewStep): PreviewStep[] {
  if (step.op === "delete") return [step];
  return step.differences.length > 0 ? [{ ...step, op: "update" }] : [];
}
