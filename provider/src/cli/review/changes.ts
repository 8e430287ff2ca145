import { declaredKind, declaredName } from "../../lifecycle/declared-as";
import type { ReviewChange, ReviewDifference } from "../../reports/review/review";
import { asText, withOne } from "../values";
import type { Difference, PreviewRead, PreviewStep } from "./preview-read";
import { relativeTo } from "./repository-root";

/** The same change to several resources, usually one in each zone, is one entry. */
export function changesOf(
  steps: readonly PreviewStep[],
  { positions }: Pick<PreviewRead, "positions">,
  root: string,
): ReviewChange[] {
  const groups = new Map<string, ReviewChange>();
  for (const step of steps) {
    // The resources in this component of ours are listed, too.
    if (step.isComponent && step.type === "page-guard:index:WafMigration") continue;
    const differences = differencesAsText(shownDifferences(step));
    const key = JSON.stringify([step.op, step.kind, step.isProtected, differences]);
    const position = positions.get(step.urn);
    const before = groups.get(key);
    groups.set(key, {
      op: step.op,
      kind: step.isOurs ? declaredKind(step.kind) : step.kind,
      names: [...(before?.names ?? []), step.isOurs ? declaredName(step.kind, step.name) : step.name],
      zones: withOne(before?.zones ?? [], step.zone),
      differences,
      isProtected: step.isProtected,
      file: before ? before.file : position && relativeTo(root, position.file),
      line: before ? before.line : position?.line,
    });
  }
  return [...groups.values()];
}

/** All arguments of a new or deleted resource; the zone has its own column. */
function shownDifferences({ op, isOurs, before, after, differences }: PreviewStep): readonly Difference[] {
  if (op !== "create" && op !== "delete") return differences;
  if (!isOurs) return [];
  return Object.entries((op === "create" ? after : before) ?? {})
    .filter(([path]) => path !== "zoneId" && path !== "confirm")
    .map(([path, value]) => ({
      ...{ path, replaces: false, before: undefined, after: undefined },
      ...(op === "create" ? { kind: "add", after: value } : { kind: "delete", before: value }),
    }));
}

function differencesAsText(differences: readonly Difference[]): ReviewDifference[] {
  return differences.map(({ path, before, after }) => {
    const [was, becomes] = shortened(before, after);
    return { path, before: was, after: becomes };
  });
}

function shortened(before: unknown, after: unknown): [string | undefined, string | undefined] {
  if (typeof before === "string" && typeof after === "string") return policyPieces(before, after);
  return [before === undefined ? before : asText(before), after === undefined ? after : asText(after)];
}

/** Of two long policies only the directives that differ. */
function policyPieces(before: string, after: string): [string, string] {
  if (before.length + after.length < 120 || !before.includes(";")) return [before, after];
  const pieces = (text: string): string[] => text.split(";").map((one) => one.trim());
  const was = pieces(before);
  const becomes = pieces(after);
  const gone = was.filter((one) => one !== "" && !becomes.includes(one));
  const come = becomes.filter((one) => one !== "" && !was.includes(one));
  if (gone.length + come.length === 0) return [before, after];
  return [gone.length > 0 ? `… ${gone.join("; ")}` : "…", come.length > 0 ? `… ${come.join("; ")}` : "…"];
}
