import type { CodeOf, NamedFinding } from "../errors/findings";
import { PageGuardError } from "../errors/page-guard-error";
import { MigrationError } from "../errors/zone-error";

/** A failure that is no error of the service's or of its inputs: it has a code as a finding has. */
export class CodedError extends Error {
  constructor(
    readonly code: NamedFinding & CodeOf<"error">,
    message: string,
  ) {
    super(message);
    this.name = "pulumi-page-guard";
  }
}

/** The stable code of whatever was thrown: an error's own, or the finding's that it is. */
export function codeOf(error: unknown): CodeOf<"error"> {
  if (error instanceof MigrationError) return error.finding;
  if (error instanceof PageGuardError || error instanceof CodedError) return error.code;
  // The CSP package does not know this one: its error is recognised by its name.
  if (error instanceof Error && error.name === "CspError") return "PG_CSP";
  return "unexpected";
}
