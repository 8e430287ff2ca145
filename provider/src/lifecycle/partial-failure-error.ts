import { ApiError } from "../errors/api-error";
import { readErrorCode } from "../errors/coded-error";
import type { Properties } from "../model/properties";
import { readMessage, withoutFields } from "../text/data";
import { message, withCode } from "../text/message";

/**
 * A create or update that failed but may have changed something. The engine writes `properties` to the state, so that the
 * values to restore on destroy are not lost, and updates the resource next time. A refresh would clear the engine's own note of
 * the failure, so the state also contains the marker `incomplete`.
 */
export class PartialFailureError extends Error {
  /** Messages that the engine shows instead of `message`. */
  reasons: readonly string[];
  properties: Properties;

  constructor(
    readonly id: string,
    state: Properties,
    cause: unknown,
  ) {
    super(message(readMessage(cause)), { cause });
    this.name = "PartialFailureError";
    this.reasons = [withCode(readMessage(cause), readErrorCode(cause))];
    this.properties = withoutFields({ ...state, incomplete: true }, undefined);
  }
}

/** Whether the service may have carried out a request although the call failed. */
export function mayHaveActed(error: unknown): error is Error {
  if (error instanceof ApiError) return error.outcome === "unknown";
  return error instanceof Error;
}
