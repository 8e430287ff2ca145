import type { CodeOf } from "../errors/finding-code";
import { MigrationError } from "../errors/migration-error";
import { PageGuardError } from "../errors/page-guard-error";
import { CodedError } from "./coded-error";

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : `an unexpected failure: ${String(error)}`;
}

/** The stable code of whatever was thrown: an error's own, or the finding's that it is. */
export function codeOf(error: unknown): CodeOf<"error"> {
  if (error instanceof MigrationError) return error.finding;
  if (error instanceof PageGuardError || error instanceof CodedError) return error.code;
  return "unexpected";
}
