import { jsonOf } from "../../text/json-of";
import { agrees } from "./agreed-data";
import { findingLineSchema } from "./event-schema";
import type { Diagnostic, Position, PreviewRead, ReadFinding } from "./preview-read";

/** What the file that PAGE_GUARD_FINDINGS names says. A line that was cut off, or is not ours, is passed over. */
export function readFindingLines(lines: Iterable<string>): {
  readonly findings: readonly ReadFinding[];
  readonly positions: ReadonlyMap<string, Position>;
} {
  const findings: ReadFinding[] = [];
  const positions = new Map<string, Position>();
  for (const line of lines) {
    const parsed = findingLineSchema.safeParse(jsonOf(line)).data;
    if (parsed === undefined) continue;
    if (parsed.kind === "position") positions.set(parsed.urn, { file: parsed.file, line: parsed.line });
    else {
      const { code, severity, zone, urn, property, text, data, file, line: at } = parsed;
      findings.push({ isShown: false, code, severity, zone, urn, property, text, data, file, line: at });
    }
  }
  return { findings, positions };
}

/**
 * All findings, each once: the engine asks twice of what it replaces, and shows as a message what the file has too.
 * The program under review can write the file, so that may add and never take away: where a message says the same, its
 * severity and text count, the data only where they agree with it, and the zone is that of the engine's step.
 */
export function mergedFindings(
  fromFile: readonly ReadFinding[],
  { diagnostics, steps }: Pick<PreviewRead, "diagnostics" | "steps">,
  positions: ReadonlyMap<string, Position>,
): ReadFinding[] {
  const zones = new Map(steps.map(({ urn, zone }) => [urn, zone]));
  const inFile = new Map<string, ReadFinding[]>();
  for (const finding of fromFile) {
    const alike = inFile.get(keyOf(finding));
    if (alike) alike.push(finding);
    else inFile.set(keyOf(finding), [finding]);
  }
  const merged = new Map<string, ReadFinding>();
  for (const said of diagnostics.flatMap(saidIn)) {
    const key = keyOf(said);
    const before = merged.get(key);
    if (before && gravity[before.severity] >= gravity[said.severity]) continue;
    const [same] = inFile.get(key) ?? [];
    merged.set(key, same ? joined(said, inFile.get(key) ?? []) : said);
  }
  for (const [key, [first]] of inFile) if (first && !merged.has(key)) merged.set(key, first);
  return [...merged.values()].map((finding) => {
    const position = finding.urn === undefined ? undefined : positions.get(finding.urn);
    return {
      ...finding,
      zone: (finding.urn === undefined ? undefined : zones.get(finding.urn)) ?? finding.zone,
      file: finding.file ?? position?.file,
      line: finding.file === undefined ? position?.line : finding.line,
    };
  });
}

const gravity = { info: 0, warning: 1, error: 2 };

const nowhere = { zone: undefined, data: undefined, file: undefined, line: undefined };

function saidIn({ code, severity, urn, text }: Diagnostic): ReadFinding[] {
  return code === undefined ? [] : [{ isShown: true, code, severity, urn, property: "", text, ...nowhere }];
}

/** A message with what the file has of it. Several lines may claim to be it: one that agrees is taken. */
function joined(said: ReadFinding, alike: readonly ReadFinding[]): ReadFinding {
  const told = alike.map((finding) => ({ finding, text: withoutProperty(said.text, finding.property) }));
  const found = told.find(({ finding, text }) => agrees(said.code, text, finding.data)) ?? told[0];
  if (!found) return said;
  const { finding, text } = found;
  const { zone, property, data, file, line } = finding;
  const isAgreed = agrees(said.code, text, data);
  return { ...said, text, zone, property, data: isAgreed ? data : undefined, file, line };
}

/** As the message has it, which begins with the property. */
function shownText({ property, text }: ReadFinding): string {
  return property === "" ? text : `${property}: ${text}`;
}

function withoutProperty(text: string, property: string): string {
  const begin = `${property}: `;
  return property !== "" && text.startsWith(begin) ? text.slice(begin.length) : text;
}

function keyOf(finding: ReadFinding): string {
  return JSON.stringify([finding.urn, finding.code, beginning(shownText(finding))]);
}

/** A long text is cut where it is shown, and white space is not the same everywhere. */
function beginning(text: string): string {
  return text.replace(/\s+/g, "").slice(0, 1000);
}
