import { jsonOf } from "../../text/json-of";
import { findingLineSchema } from "./event-schema";
import type { Diagnostic, Position, ReadFinding } from "./preview-read";

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
      findings.push({ code, severity, zone, urn, property, text, data, file, line: at });
    }
  }
  return { findings, positions };
}

/**
 * All findings, each once: the engine asks twice of what it replaces, and shows as a message what the file has too.
 * Those of the file know more; the messages are all that there is where no file was written.
 */
export function mergedFindings(
  fromFile: readonly ReadFinding[],
  diagnostics: readonly Diagnostic[],
  positions: ReadonlyMap<string, Position>,
): ReadFinding[] {
  const merged = new Map<string, ReadFinding>();
  const told = diagnostics.flatMap(({ code, severity, urn, text }): ReadFinding[] =>
    code === undefined
      ? []
      : [
          {
            ...{ code, severity, urn, text, property: "" },
            ...{ zone: undefined, data: undefined, file: undefined, line: undefined },
          },
        ],
  );
  for (const finding of [...fromFile, ...told]) {
    const key = JSON.stringify([finding.urn, finding.code, beginning(shownText(finding))]);
    if (merged.has(key)) continue;
    const position = finding.urn === undefined ? undefined : positions.get(finding.urn);
    merged.set(key, {
      ...finding,
      file: finding.file ?? position?.file,
      line: finding.file === undefined ? position?.line : finding.line,
    });
  }
  return [...merged.values()];
}

/** As the message has it, which begins with the property. */
function shownText({ property, text }: ReadFinding): string {
  return property === "" ? text : `${property}: ${text}`;
}

/** A long text is cut where it is shown, and white space is not the same everywhere. */
function beginning(text: string): string {
  return text.replace(/\s+/g, "").slice(0, 1000);
}
