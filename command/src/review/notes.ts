import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { counted, declaredAsIn, grouped, z } from "pulumi-page-guard/tools";
import { type ReadFinding, withProperty } from "../preview/preview-read";
import { reportSeverity } from "../reports/report";
import type { ReviewNote } from "../reports/review/review";
import type { Session } from "../session";
import { distinct, sumOf } from "../values";

/** Findings as notes: the same text about several resources, or about several policies of sets, is one note. */
export function notesOf(findings: readonly ReadFinding[]): ReviewNote[] {
  const groups = grouped(findings, (finding) => {
    const { code, severity, zone } = finding;
    const text = noteText(finding);
    return JSON.stringify([code, severity, zone === undefined ? text : text.replaceAll(zone, "")]);
  });
  return [...groups.values()].map((group) => {
    const [first] = group;
    const { code, severity, file, line } = first;
    return {
      ...{ code: code || undefined, severity: reportSeverity(severity), text: noteText(first), file, line },
      subjects: distinct(group.map(subjectOf)),
      zones: distinct(group.map(({ zone }) => zone)),
    };
  });
}

function noteText(finding: ReadFinding): string {
  return isOfPolicies(finding) ? finding.text : withProperty(finding);
}

function subjectOf(finding: ReadFinding): string | undefined {
  const { urn, property } = finding;
  const at = isOfPolicies(finding) && property.startsWith("policies") ? property.slice(8) : "";
  return urn === undefined ? undefined : `${declaredAsIn(urn)}${at}`;
}

/** Findings in the text or expression of a policy read the same without their place. */
function isOfPolicies({ code }: ReadFinding): boolean {
  return code.startsWith("csp-lint-") || code === "expression-unreadable";
}

/** What a policy does to visitors of a zone, by one finding: scripts and connections in use that it blocks, or malicious ones that it lets in. */
export interface Impact {
  readonly zone: string | undefined;
  readonly scripts: number;
  readonly connections: number;
  /** The finding has no counts: it is about one of them at least. */
  readonly isUncounted: boolean;
  /** Malicious ones that it keeps out. */
  readonly malicious: number;
}

const count = z.int().min(0);
const counts = z.object({ scripts: count, connections: count });
const none = { scripts: 0, connections: 0 };
const blocked = z.object({ breaks: counts, keepsOut: counts }).catch({ breaks: none, keepsOut: none });

/** By the data of findings: what policies would block of the scripts and connections in use. */
export function blockedIn(findings: readonly ReadFinding[]): Impact[] {
  const found = findings.filter(({ code }) => code === "csp-blocks-in-use");
  return found.map(({ zone, data }) => {
    const { breaks, keepsOut } = blocked.parse(data);
    const malicious = keepsOut.scripts + keepsOut.connections;
    return { zone, ...breaks, malicious, isUncounted: breaks.scripts + breaks.connections + malicious === 0 };
  });
}

/** The same of what is malicious and let in. */
export function letInBy(findings: readonly ReadFinding[]): Impact[] {
  const found = findings.filter(({ code }) => code === "csp-lets-malicious-in");
  return found.map(({ zone, data }) => {
    const items = counts.catch(none).parse(data);
    return { zone, ...items, malicious: 0, isUncounted: items.scripts + items.connections === 0 };
  });
}

/** `2 scripts`, `1 connection`. */
export function itemCounts(all: readonly Impact[], kind = ""): readonly string[] {
  return [
    ...counted(
      [sumOf(all, ({ scripts }) => scripts), `${kind}script`],
      [sumOf(all, ({ connections }) => connections), `${kind}connection`],
    ),
    ...(all.some(({ isUncounted }) => isUncounted) ? ["not counted"] : []),
  ];
}

/** Files are named from here: the checkout of the CI, else the nearest repository, else the working directory. */
export function repositoryRoot({ env, cwd }: Session): string {
  const checkout = env["GITHUB_WORKSPACE"] || env["CI_PROJECT_DIR"];
  const start = realpathSync(cwd);
  if (checkout && existsSync(checkout)) {
    const root = realpathSync(checkout);
    if (start === root || start.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return root;
  }
  for (let at = start; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return start;
  }
}

/** Undefined outside of the root: such a path tells a reader nothing, and others something about a machine. */
export function relativeTo(root: string, file: string): string | undefined {
  const path = relative(root, file);
  return path === "" || path.startsWith("..") || path === file ? undefined : path.split(sep).join("/");
}
