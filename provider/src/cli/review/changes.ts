import { declaredKind, declaredName } from "../../lifecycle/urn";
import type { ReviewChange, ReviewDifference } from "../../reports/review/review";
import { grouped } from "../../text/grouped";
import { asText, distinct } from "../values";
import { asPlainJson, type Difference, type PreviewRead, type PreviewStep } from "./preview-read";
import { relativeTo } from "./repository-root";

/** The same change to several resources, usually one in each zone, is one entry. */
export function changesOf(
  steps: readonly PreviewStep[],
  { positions }: Pick<PreviewRead, "positions">,
  root: string,
): ReviewChange[] {
  // The resources in this component of ours are listed, too.
  const listed = steps.filter((step) => !step.isComponent || step.type !== "page-guard:index:WafMigration");
  const entries = listed.map((step) => ({ step, differences: shownDifferences(step).map(asTexts) }));
  const groups = grouped(entries, ({ step: { op, kind, isProtected }, differences }) =>
    JSON.stringify([op, kind, isProtected, differences]),
  );
  return [...groups.values()].map((group) => {
    const [{ step: first, differences }] = group;
    const { op, kind, isOurs, isProtected, urn } = first;
    const position = positions.get(urn);
    return {
      ...{ op, isProtected, differences },
      kind: isOurs ? declaredKind(kind) : kind,
      names: group.map(({ step }) => (step.isOurs ? declaredName(step.kind, step.name) : step.name)),
      zones: distinct(group.map(({ step }) => step.zone)),
      file: position && relativeTo(root, position.file),
      line: position?.line,
    };
  });
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

function asTexts({ path, before, after }: Difference): ReviewDifference {
  const [was, becomes] = [before, after].map((one) => (one === undefined ? one : asText(asPlainJson(one))));
  if (typeof before !== "string" || typeof after !== "string") return { path, before: was, after: becomes };
  return { path, ...policyPieces(before, after) };
}

/** Of two long policies only the directives that differ. */
function policyPieces(before: string, after: string): { readonly before: string; readonly after: string } {
  if (before.length + after.length < 120 || !before.includes(";")) return { before, after };
  const pieces = (text: string): string[] => text.split(";").map((one) => one.trim());
  const was = pieces(before);
  const becomes = pieces(after);
  const gone = was.filter((one) => one !== "" && !becomes.includes(one));
  const come = becomes.filter((one) => one !== "" && !was.includes(one));
  if (gone.length + come.length === 0) return { before, after };
  return { before: ["…", gone.join("; ")].join(" ").trim(), after: ["…", come.join("; ")].join(" ").trim() };
}
