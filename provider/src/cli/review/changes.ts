import { relative, sep } from "node:path";
import { declaredKind, declaredName } from "../../lifecycle/declared-as";
import type { ReviewChange } from "../../reports/review/review";
import { differencesAsText } from "./difference-text";
import type { Difference, PreviewRead, PreviewStep } from "./preview-read";

/** The same change to many resources, mostly one in each zone, is one to read. */
export function changesOf(
  steps: readonly PreviewStep[],
  { positions }: Pick<PreviewRead, "positions">,
  root: string,
): ReviewChange[] {
  const groups = new Map<string, ReviewChange>();
  for (const step of steps) {
    // What this component of ours stands for is there as well.
    if (step.isComponent && step.type === "page-guard:index:WafMigration") continue;
    const differences = differencesAsText(differencesTold(step));
    const key = JSON.stringify([step.op, step.kind, step.isProtected, differences]);
    const position = positions.get(step.urn);
    const before = groups.get(key);
    groups.set(key, {
      op: step.op,
      kind: step.isOurs ? declaredKind(step.kind) : step.kind,
      names: [...(before?.names ?? []), step.isOurs ? declaredName(step.kind, step.name) : step.name],
      zones: withZone(before?.zones ?? [], step.zone),
      differences,
      isProtected: step.isProtected,
      file: before ? before.file : position && relativeTo(root, position.file),
      line: before ? before.line : position?.line,
    });
  }
  return [...groups.values()];
}

function withZone(zones: readonly string[], zone: string | undefined): readonly string[] {
  return zone === undefined || zones.includes(zone) ? zones : [...zones, zone];
}

/** Of what comes and of what goes, all arguments; the zone is named beside. */
function differencesTold({ op, isOurs, before, after, differences }: PreviewStep): readonly Difference[] {
  if (op !== "create" && op !== "delete") return differences;
  if (!isOurs) return [];
  return Object.entries((op === "create" ? after : before) ?? {})
    .filter(([path]) => path !== "zoneId" && path !== "confirm")
    .map(([path, value]) =>
      op === "create"
        ? { path, kind: "add", replaces: false, before: undefined, after: value }
        : { path, kind: "delete", replaces: false, before: value, after: undefined },
    );
}

/** Outside of the repository a path says nothing to a reader, and something about a machine. */
export function relativeTo(root: string, file: string): string | undefined {
  const path = relative(root, file);
  return path === "" || path.startsWith("..") || path === file ? undefined : path.split(sep).join("/");
}
