import type { ReviewDifference } from "../../reports/review/review";
import type { Difference } from "./preview-read";

/** Differences as a person reads them, each side short. */
export function differencesAsText(differences: readonly Difference[]): ReviewDifference[] {
  return differences.map(({ path, before, after }) => {
    const [was, becomes] = shortened(before, after);
    return { path, before: was, after: becomes };
  });
}

function shortened(before: unknown, after: unknown): [string | undefined, string | undefined] {
  if (typeof before === "string" && typeof after === "string") return policyPieces(before, after);
  return [asText(before), asText(after)];
}

/** Of two long texts of policies only the directives that differ. */
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

function asText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
