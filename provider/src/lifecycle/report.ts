import { type Finding, findingText, selectErrors } from "../model/finding";
import { ShownError } from "./failures";
import { type FindingPlace, tell } from "./findings-file";
import type { Run } from "./run";
import { type Secrets, withoutSecrets } from "./secret-inputs";

/** Shows findings on their resource, without secret values. Returns the messages of errors; with these, the caller must fail. */
export async function report(
  run: Run,
  found: readonly Finding[],
  secrets: Secrets,
  place: FindingPlace,
): Promise<readonly string[]> {
  const findings = withoutSecrets(found, secrets);
  for (const finding of findings) await tell(run, finding, place);
  return selectErrors(findings).map(findingText);
}

/** Shows the findings. @throws ShownError with the messages of errors */
export async function reportOrThrow(...found: Parameters<typeof report>): Promise<void> {
  const errors = await report(...found);
  if (errors.length > 0) throw new ShownError(errors.join("\n"));
}
