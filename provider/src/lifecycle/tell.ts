import { type Finding, findingText } from "../model/finding";
import { type FindingPlace, writeFinding } from "./findings-file";
import type { Run } from "./run";

/** Shows it on the resource, and appends it to the file for machines where there is one. Errors are for the caller. */
export async function tell(run: Run, finding: Finding, place: FindingPlace): Promise<void> {
  writeFinding(finding, place);
  if (finding.severity === "warning") await run.warn(place.urn, findingText(finding));
  if (finding.severity === "info") await run.progress(place.urn, findingText(finding));
}
