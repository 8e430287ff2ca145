import { ApiError } from "../errors/api-error";
import type { Properties } from "../model/properties";
import { readMessage } from "../text/data";
import { message, withCode } from "../text/message";
import { readErrorCode } from "./coded-error";
import { withoutUndefined } from "./state";

/**
 * A create or update that failed but may have changed something. The engine writes `properties` to the state, so that the
 * values to restore on destroy are not lost, and updates the resource next time.
 *
 * The marker `incomplete` is needed too, because a refresh in between clears the engine's own note of the failure.
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
    this.properties = Object(withoutUndefined({ ...state, incomplete: true })) as Properties;
  }
}

/** Whether the service may have carried out a request although the call failed. */
export function mayHaveActed(error: unknown): error is Error {
  if (error instanceof ApiError) return error.outcome === "unknown";
  return error instanceof Error;
}
