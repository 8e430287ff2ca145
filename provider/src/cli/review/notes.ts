import { declaredAsIn } from "../../lifecycle/urn";
import type { BlockedHost, ReviewNote } from "../../reports/review/review";
import type { ReadFinding } from "./preview-read";

/** Findings as notes: what is said of many resources in the same words is said once. */
export function notesOf(findings: readonly ReadFinding[]): ReviewNote[] {
  const notes = new Map<string, ReviewNote>();
  for (const finding of findings) {
    const { code, severity, urn, zone, property, file, line } = finding;
    const text = property === "" ? finding.text : `${property}: ${finding.text}`;
    const hosts = hostsOf(finding);
    const key = JSON.stringify([code, severity, zone === undefined ? text : text.replaceAll(zone, "")]);
    const before = notes.get(key);
    const subject = urn === undefined ? undefined : declaredAsIn(urn);
    notes.set(key, {
      code: code || undefined,
      severity: severity === "info" ? "note" : severity,
      subjects: added(before?.subjects ?? [], subject),
      zones: added(before?.zones ?? [], zone),
      text: before?.text ?? text,
      hosts: before?.hosts ?? hosts,
      moreHosts: Number(finding.data?.["moreHosts"]) || 0,
      file: before ? before.file : file,
      line: before ? before.line : line,
    });
  }
  return [...notes.values()];
}

function added(list: readonly string[], one: string | undefined): readonly string[] {
  return one === undefined || list.includes(one) ? list : [...list, one];
}

/** The file is ours, and may still have been written by another version. */
function hostsOf({ code, data }: ReadFinding): BlockedHost[] {
  const hosts = data?.["hosts"];
  if (code !== "csp-blocks-in-use" || !Array.isArray(hosts)) return [];
  return hosts.flatMap((one: unknown): BlockedHost[] => {
    if (typeof one !== "object" || one === null) return [];
    const host: Record<string, unknown> = { ...one };
    const text = (name: string): string | undefined =>
      typeof host[name] === "string" ? String(host[name]) : undefined;
    return [
      {
        host: text("host") ?? "",
        scripts: Number(host["scripts"]) || 0,
        connections: Number(host["connections"]) || 0,
        isMalicious: host["isMalicious"] === true,
        firstPage: text("firstPageUrl"),
        lastSeen: text("lastSeenAt")?.slice(0, 10),
      },
    ];
  });
}
