import type { CodeOf, NamedFinding } from "../errors/findings";
import { PageGuardError } from "../errors/page-guard-error";
import { MigrationError } from "../errors/zone-error";

/** An error whose cause is neither a response from the service nor an invalid input. It has the code of a finding. */
export class CodedError extends Error {
  constructor(
    readonly code: NamedFinding & CodeOf<"error">,
    message: string,
  ) {
    super(message);
    this.name = "pulumi-page-guard";
  }
}

/** Returns the stable code of any thrown value: the code of the error itself, or the code of the finding about it. */
export function readErrorCode(error: unknown): CodeOf<"error"> {
  if (error instanceof MigrationError) return error.finding;
  if (error instanceof PageGuardError || error instanceof CodedError) return error.code;
  // The CSP package does not import this package, so a `CspError` is recognised by name.
  if (error instanceof Error && error.name === "CspError") return "PG_CSP";
  return "unexpected";
}
