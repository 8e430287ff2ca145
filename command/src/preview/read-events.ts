import { jsonOf } from "pulumi-page-guard/tools";
import {
  type EngineEvent,
  eventsIn,
  findingLineSchema,
  messagesIn,
  type StepMetadata,
  withoutColour,
} from "./events";
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
  for (const event of eventsIn(lines)) {
    const [step, done] = [event.resourcePreEvent?.metadata, event.resOutputsEvent?.metadata];
    first ??= step?.urn;
    if (step?.op === "refresh") beingRefreshed.add(step.urn);
    else if (step) begun.push(step);
    if (done && beingRefreshed.delete(done.urn)) refreshed.push(done);
    shown.push(...findingsIn(event));
    // Older engines do not say it: then the exit code does.
    if (event.summaryEvent) result = event.summaryEvent.result === "failed" ? "failed" : "succeeded";
  }
  const positions = new Map<string, Position>();
  const told: ReadFinding[] = [];
  for (const line of findingLines) {
    const { data } = findingLineSchema.safeParse(jsonOf(line));
    if (data?.kind === "position") positions.set(data.urn, { file: data.file, line: data.line });
    else if (data) told.push(findingOf(data));
  }
  const { steps, forged } = stepsOf(begun, positions);
  const zones = new Map(steps.map(({ urn, zone }) => [urn, zone]));
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(first ?? "") ?? [];
  return {
    ...{ stack, project, steps, result },
    refreshed: stepsOf(refreshed, positions).steps.flatMap(refreshedStep),
    findings: merged(told, [...forged, ...shown]).map((one) => {
      const place = one.file === undefined ? positions.get(one.urn ?? "") : one;
      return { ...one, zone: zones.get(one.urn ?? "") ?? one.zone, file: place?.file, line: place?.line };
    }),
  };
}

/** What the engine puts before a reason from `check`. */
const headOfSdk = /^\S+ resource '.*?' has a problem: /;

function findingsIn(event: EngineEvent): ReadFinding[] {
  const said = messagesIn(event).flatMap(({ severity, urn, text }) =>
    codedTexts(text.replace(headOfSdk, "")).map((coded) =>
      findingOf({
        ...{ severity: severity === "error" || severity === "warning" ? severity : "info", urn, ...coded },
      }),
    ),
  );
  if (!event.policyEvent) return said;
  const {
    policyPackName: pack,
    policyName: policy,
    enforcementLevel,
    resourceUrn,
    message,
  } = event.policyEvent;
  const violation = findingOf({
    code: `policy-${pack}-${policy}`.replace(/[^\w-]+/g, "-"),
    severity: enforcementLevel === "mandatory" ? "error" : "warning",
    urn: resourceUrn || undefined,
    text: `Policy pack ${pack}, ${policy}: ${withoutColour(message)}`,
  });
  return [...said, violation];
}

/** Messages of ours end with a code in brackets (kebab case, `PG_…` for errors); one text may hold several, a line each. */
function codedTexts(message: string): Pick<ReadFinding, "text" | "code">[] {
  const pieces = message.split(/ \[((?:PG_)?[A-Z_]+|[a-z][a-z0-9-]*)\](?=\n|$)/);
  return pieces.flatMap((piece, at) => {
    const [text, code = ""] = [piece.trim(), pieces[at + 1]];
    return at % 2 === 1 || (text === "" && code === "") ? [] : [{ text, code }];
  });
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
