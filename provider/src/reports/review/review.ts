import type { ReportSeverity } from "../report";

/** Where the program declares what is spoken of; not known where nobody told. */
export interface Place {
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** Of a host whose scripts or connections a policy would block. */
export interface BlockedHost {
  readonly host: string;
  readonly scripts: number;
  readonly connections: number;
  readonly isMalicious: boolean;
  readonly firstPage: string | undefined;
  readonly lastSeen: string | undefined;
}

/** One thing to know. The same for several resources is said once. Texts may hold what others wrote. */
export interface ReviewNote extends Place {
  readonly code: string | undefined;
  readonly severity: ReportSeverity;
  /** `CspPolicy checkout`; empty for the stack as a whole. */
  readonly subjects: readonly string[];
  readonly zones: readonly string[];
  /** Lines; indented ones belong to the one above. */
  readonly text: string;
  /** In place of the lines, where they list hosts. */
  readonly hosts: readonly BlockedHost[];
  readonly moreHosts: number;
}

/** One property, each side as text; undefined: there is none. */
export interface ReviewDifference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What is done, to one resource or in the same way to several. */
export interface ReviewChange extends Place {
  readonly op: string;
  readonly kind: string;
  readonly names: readonly string[];
  readonly zones: readonly string[];
  readonly differences: readonly ReviewDifference[];
  readonly isProtected: boolean;
}

/** A zone among many: how much is done there, and what deserves a look. */
export interface ReviewZone {
  readonly zone: string;
  readonly creates: number;
  readonly updates: number;
  readonly replaces: number;
  readonly deletes: number;
  /** Codes, the gravest first. */
  readonly codes: readonly string[];
}

export type ReviewPart =
  | { readonly title: string; readonly isFolded: boolean; readonly notes: readonly ReviewNote[] }
  | { readonly title: string; readonly isFolded: boolean; readonly changes: readonly ReviewChange[] };

/** What a person reads before they approve, in the order of reading. */
export interface Review {
  readonly stack: string | undefined;
  readonly project: string | undefined;
  readonly version: string;
  readonly result: "succeeded" | "failed" | "unfinished";
  readonly exitCode: number;
  /** `2 to create, 1 to update, 40 unchanged`. */
  readonly counts: string;
  readonly isUnchanged: boolean;
  /** What cannot be undone. */
  readonly undone: readonly ReviewNote[];
  /** Only with more than one zone. */
  readonly zones: readonly ReviewZone[];
  readonly parts: readonly ReviewPart[];
}

export function hasNotes(
  part: ReviewPart,
): part is Extract<ReviewPart, { readonly notes: readonly ReviewNote[] }> {
  return "notes" in part;
}

/** What has to be read before the overview of zones. */
export function isUrgent(part: ReviewPart): boolean {
  return hasNotes(part) && !part.isFolded && part.title !== takenOver;
}

export const takenOver = "Taken over as it is";

/** `CspPolicy a, b`: each kind once. */
export function subjectsByKind(subjects: readonly string[]): readonly string[] {
  let last = "";
  return subjects.map((subject) => {
    const [kind = "", ...name] = subject.split(" ");
    const isSame = kind === last;
    last = kind;
    return isSame ? name.join(" ") : subject;
  });
}

/** Columns for the sides of these differences: of what only comes, or only goes, one is enough. */
export function sidesOf(
  differences: readonly ReviewDifference[],
): readonly ("value" | "was" | "is" | "becomes")[] {
  if (differences.every(({ before }) => before === undefined)) return ["value"];
  if (differences.every(({ after }) => after === undefined)) return ["was"];
  return ["is", "becomes"];
}

/** One sentence at the top. */
export function headline({ result, isUnchanged, counts, undone, zones }: Review): string {
  if (result === "failed")
    return "The preview failed: nothing can be applied until what stops it is mended. What the engine had not come to is not in here.";
  if (result === "unfinished") return "The preview broke off: this is not all of it.";
  if (isUnchanged) return "Nothing changes.";
  const end = undone.length > 0 ? " Some of it cannot be undone." : "";
  const where = zones.length === 0 ? "" : `, in ${zones.length} zones`;
  return `${counts[0]?.toUpperCase() ?? ""}${counts.slice(1)}${where}.${end}`;
}
