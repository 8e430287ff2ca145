import { readErrorCode } from "../errors/coded-error";
import { type Finding, findingText, makeError, selectErrors } from "../model/finding";
import type { Properties } from "../model/properties";
import { readMessage } from "../text/data";
import { withCode } from "../text/message";
import { type FindingPlace, tell, writeFinding } from "./findings-file";
import { withUrn } from "./hidden-inputs";
import { PartialFailureError } from "./partial-failure-error";
import type { Run } from "./run";
import {
  recallSecretTexts,
  type Secrets,
  type SecretTexts,
  textWithoutSecrets,
  withoutSecrets,
} from "./secret-inputs";
import { withVersion } from "./state";

/** An error whose message the engine shows on the resource. */
class ShownError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "pulumi-page-guard";
    // The SDK also prints the stack trace, as an error of the whole Pulumi stack.
    this.stack = "(shown with the resource)";
  }
}

/** Shows findings on their resource, without secret values. Returns the messages of the errors, with which the caller must fail. */
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

/** Returns the findings of `work`. A failure becomes a finding, because the engine would print the stack trace of an error. */
export async function asFindings(work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [makeError("", readErrorCode(error), readMessage(error))];
  }
}

/** Runs `work` and shortens the stack trace of its error, because the SDK prints each error a second time, with its trace. */
export async function shortenTraces<T>(work: () => Promise<T>, secretTexts: SecretTexts = []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw shownError(error, secretTexts);
  }
}

/** Runs a create or update and explains its failure. Rejects only with an `Error`, because any other value makes the SDK hang. */
export async function explainFailure<T>(
  run: Run,
  urn: string,
  { __provider, zoneId }: Properties,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const secretTexts = recallSecretTexts(run, urn);
    const message = textWithoutSecrets(readMessage(error), secretTexts);
    const code = readErrorCode(error instanceof PartialFailureError ? error.cause : error);
    writeFinding(makeError("", code, message), { urn, zoneId });
    if (!(error instanceof PartialFailureError)) throw shownError(error, secretTexts);
    error.reasons = error.reasons.map((reason) => textWithoutSecrets(reason, secretTexts));
    // A refresh or destroy loads the provider from `__provider` in the state. The SDK adds it only if the call succeeds.
    error.properties = {
      ...withUrn(withVersion(error.properties), urn),
      ...(__provider !== undefined && { __provider }),
    };
    throw error;
  }
}

function shownError(error: unknown, secretTexts: SecretTexts): ShownError {
  if (error instanceof ShownError) return error;
  return new ShownError(
    withCode(textWithoutSecrets(readMessage(error), secretTexts), readErrorCode(error)),
    error,
  );
}
