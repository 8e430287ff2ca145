import { errorOn, type Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import { messageOf } from "../text/data";
import { withCode } from "../text/message";
import { codeOf } from "./coded-error";
import { writeFinding } from "./findings-file";
import { withUrn } from "./hidden-inputs";
import { PartialFailureError } from "./partial-failure-error";
import type { Run } from "./run";
import { type SecretTexts, secretTextsFor, textWithoutSecrets } from "./secret-inputs";
import { withVersion } from "./state";

/** An error whose message the engine shows on the resource. */
export class ShownError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "pulumi-page-guard";
    // The SDK prints the stack trace too, as an error of the whole Pulumi stack.
    this.stack = "(shown with the resource)";
  }
}

/** Returns the findings of `work`, or its failure as a finding. The engine would print the stack trace of a thrown error. */
export async function asFindings(work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [errorOn("", codeOf(error), messageOf(error))];
  }
}

/** Runs `work` and shortens the stack traces of its errors, because the SDK prints each error a second time, with its trace. */
export async function asShownError<T>(work: () => Promise<T>, secretTexts: SecretTexts = []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw shownError(error, secretTexts);
  }
}

/** Runs a create or update and explains its failure. Rejects only with an `Error`, because any other value makes the SDK hang. */
export async function explained<T>(
  run: Run,
  urn: string,
  { __provider, zoneId }: Properties,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const secretTexts = secretTextsFor(run, urn);
    const message = textWithoutSecrets(messageOf(error), secretTexts);
    const code = codeOf(error instanceof PartialFailureError ? error.cause : error);
    writeFinding(errorOn("", code, message), { urn, zoneId });
    if (!(error instanceof PartialFailureError)) throw shownError(error, secretTexts);
    error.reasons = error.reasons.map((reason) => textWithoutSecrets(reason, secretTexts));
    // The SDK adds `__provider` only to results of successful calls. If the state did not contain `__provider`, no refresh or
    // destroy could load the provider.
    error.properties = {
      ...withUrn(withVersion(error.properties), urn),
      ...(__provider !== undefined && { __provider }),
    };
    throw error;
  }
}

function shownError(error: unknown, secretTexts: SecretTexts): ShownError {
  if (error instanceof ShownError) return error;
  return new ShownError(withCode(textWithoutSecrets(messageOf(error), secretTexts), codeOf(error)), error);
}
