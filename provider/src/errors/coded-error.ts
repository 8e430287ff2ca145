import type { CodeOf, NamedFinding } from "./findings";
import { PageGuardError } from "./page-guard-error";
import { MigrationError } from "./zone-error";

/** An error with the code of a finding. Its cause is neither a response of the service nor an invalid input. */
export class CodedError extends Error {
  constructor(
    readonly code: NamedFinding & CodeOf<"error">,
    message: string,
  ) {
    super(message);
    this.name = "pulumi-page-guard";
  }
}

/** Returns the stable code of a thrown value: its own code, or the code of the finding about it. */
export function readErrorCode(error: unknown): CodeOf<"error"> {
  if (error instanceof MigrationError) return error.finding;
  if (error instanceof PageGuardError || error instanceof CodedError) return error.code;
  // The CSP package does not know these classes, so its `CspError` is recognised by name.
  if (error instanceof Error && error.name === "CspError") return "PG_CSP";
  return "unexpected";
}
