import { appendFileSync } from "node:fs";
import { type Finding, findingText } from "../model/finding";
import { parseZoneId } from "../model/zone-id";
import { message as fit } from "../text/message";
import { rememberInZone } from "./memory";
import type { Run } from "./run";

/** Position in the program at which a resource is declared. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
}

export interface FindingPlace {
  /** URN of the resource; empty for the whole stack. */
  readonly urn: string;
  readonly zoneId?: unknown;
  readonly position?: SourcePosition | undefined;
}

/** Returns the path of the findings file from PAGE_GUARD_FINDINGS; undefined if the variable is not set. */
export function findingsFile(): string | undefined {
  return process.env["PAGE_GUARD_FINDINGS"] || undefined;
}

/** Appends a finding to the findings file. The caller has removed all secrets from the message. */
export function writeFinding(
  { code, severity, property, message, data }: Finding,
  { urn, zoneId, position }: FindingPlace,
): void {
  const place = { zone: parseZoneId(zoneId), urn: urn || undefined };
  append({ code, severity, ...place, property, text: fit(message), data, ...position });
}

/** Appends the position of a resource to the findings file, for findings of the provider process, which knows only the URN. */
export function writePosition(urn: string, position: SourcePosition): void {
  append({ kind: "position", urn, ...position });
}

/**
 * Appends a line with a single write, because the program and the provider process can write at the same time. Ignores a failed
 * write, because the findings file must not affect the run.
 */
function append(line: object): void {
  const file = findingsFile();
  if (file === undefined) return;
  try {
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // The engine shows the findings anyway.
  }
}

/** Codes of findings about adopted objects. In each zone, the first is shown with an explanation, the others only with --debug. */
const adoptions = new Set<string>(["csp-adopted", "settings-adopted", "waf-rules-adopted"]);
const others =
  'Other objects in this zone that match your program are also adopted; --debug lists them. A destroy treats them as onDestroy says. If you only renamed a resource, add aliases: [{ name: "the old name" }] to its options; otherwise the values that the old one recorded are lost.';
const getAdopted = rememberInZone(() => ({ count: 0 }));

/** Writes a finding to the findings file, and shows it on its resource. The caller has to show errors. */
export async function tell(run: Run, given: Finding, place: FindingPlace): Promise<void> {
  const before = adoptions.has(given.code) ? getAdopted(run, place.zoneId).count++ : undefined;
  const finding = before === 0 ? { ...given, message: `${given.message} ${others}` } : given;
  writeFinding(finding, place);
  if (finding.severity === "error") return;
  await run.say(before ? "debug" : finding.severity, place.urn, findingText(finding));
}
