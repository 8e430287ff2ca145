import type { CodeOf, NamedFinding } from "../errors/finding-code";

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
