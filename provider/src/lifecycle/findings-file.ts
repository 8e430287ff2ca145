import { appendFileSync } from "node:fs";
import { type Finding, findingText } from "../model/finding";
import { zoneIdOf } from "../model/zone-id";
import { message as fit } from "../text/message";
import { inZone } from "./memory";
import type { Run } from "./run";

/** Where a resource is declared. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

export interface FindingPlace {
  /** Empty for the stack as a whole. */
  readonly urn: string;
  readonly zoneId?: unknown;
  readonly position?: Position | undefined;
}

/** The file for machines to read, which PAGE_GUARD_FINDINGS names. Undefined where none was asked for. */
export function findingsFile(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env["PAGE_GUARD_FINDINGS"] || undefined;
}

/** Appends a finding, whose text is already without secrets. */
export function writeFinding(
  { code, severity, property, message, data }: Finding,
  { urn, zoneId, position }: FindingPlace,
  env?: NodeJS.ProcessEnv,
): void {
  const place = { zone: zoneIdOf(zoneId), urn: urn || undefined };
  append({ code, severity, ...place, property, text: fit(message), data, ...position }, env);
}

/** Appends where a resource is declared: for findings of the provider process, which knows the URN alone. */
export function writePosition(urn: string, position: Position, env?: NodeJS.ProcessEnv): void {
  append({ kind: "position", urn, ...position }, env);
}

/**
 * One line with one write at the file's end: program and provider process may both be at it. A file that can't be
 * written must not change what the run does.
 */
function append(line: object, env?: NodeJS.ProcessEnv): void {
  const file = findingsFile(env);
  if (file === undefined) return;
  try {
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // The findings are shown by the engine all the same.
  }
}

/** What a zone has exactly as declared is said on the first of its resources. */
const adoptions = new Set<string>(["csp-adopted", "settings-adopted", "waf-rules-adopted"]);
const others =
  'What else this zone has exactly as declared is adopted, too, without a message (but with --debug). A destroy does with it what its onDestroy says; what was only renamed loses what the old resource recorded, unless it has aliases: [{ name: "the old name" }].';
const adoptedIn = inZone(() => ({ count: 0 }));

/** Shows it on the resource, and appends it to the file for machines where there is one. Errors are for the caller. */
export async function tell(run: Run, given: Finding, place: FindingPlace): Promise<void> {
  const before = adoptions.has(given.code) ? adoptedIn(run, place.zoneId).count++ : undefined;
  const finding = before === 0 ? { ...given, message: `${given.message} ${others}` } : given;
  writeFinding(finding, place);
  if (finding.severity === "error") return;
  await run.say(before ? "debug" : finding.severity, place.urn, findingText(finding));
}
