import { grouped } from "../../text/grouped";
import { jsonOf } from "../../text/json-of";
import { agrees } from "./agreed-data";
import { findingLineSchema } from "./event-schema";
import {
  type Position,
  type PreviewRead,
  type ReadFinding,
  shownFinding,
  withProperty,
} from "./preview-read";

/** Reads the file that PAGE_GUARD_FINDINGS names, without lines that are cut off or not ours. */
export function readFindingLines(lines: Iterable<string>): {
  readonly findings: readonly ReadFinding[];
  readonly positions: ReadonlyMap<string, Position>;
} {
  const findings: ReadFinding[] = [];
  const positions = new Map<string, Position>();
  for (const line of lines) {
    const { data } = findingLineSchema.safeParse(jsonOf(line));
    if (data?.kind === "position") positions.set(data.urn, { file: data.file, line: data.line });
    else if (data) findings.push({ ...shownFinding({ urn: undefined, ...data }), isShown: false });
  }
  return { findings, positions };
}

/**
 * All findings, each once: replacements are checked twice, and messages repeat what is in the file. The program under review
 * can write the file, so the file may add findings, but not weaken them: a message's own severity and text count, data
 * count only if they agree with it, and the zone is that of the engine's step.
 */
export function mergedFindings(
  fromFile: readonly ReadFinding[],
  { diagnostics, steps }: Pick<PreviewRead, "diagnostics" | "steps">,
  positions: ReadonlyMap<string, Position>,
): ReadFinding[] {
  const zones = new Map(steps.map(({ urn, zone }) => [urn, zone]));
  const inFile = grouped(fromFile, keyOf);
  const merged = new Map<string, ReadFinding>();
  for (const { code, ...rest } of diagnostics) {
    if (code === undefined) continue;
    const said = shownFinding({ ...rest, code });
    const key = keyOf(said);
    const before = merged.get(key);
    if (before && gravity[before.severity] >= gravity[said.severity]) continue;
    merged.set(key, joined(said, inFile.get(key) ?? []));
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

/** A message with its data from the file. If several lines claim to be its source, one that agrees with it wins. */
function joined(said: ReadFinding, alike: readonly ReadFinding[]): ReadFinding {
  const candidates = alike.map((finding) => ({
    finding,
    text: withoutProperty(said.text, finding.property),
  }));
  const found =
    candidates.find(({ finding, text }) => agrees(said.code, text, finding.data)) ?? candidates[0];
  if (!found) return said;
  const { finding, text } = found;
  const { zone, property, data, file, line } = finding;
  const isAgreed = agrees(said.code, text, data);
  return { ...said, text, zone, property, data: isAgreed ? data : undefined, file, line };
}

function withoutProperty(text: string, property: string): string {
  const begin = `${property}: `;
  return property !== "" && text.startsWith(begin) ? text.slice(begin.length) : text;
}

/** Messages are cut and their white space varies. */
function keyOf(finding: ReadFinding): string {
  const beginning = withProperty(finding).replace(/\s+/g, "").slice(0, 1000);
  return JSON.stringify([finding.urn, finding.code, beginning]);
}
