import { ApiError } from "../errors/api-error";

/** Whether the service may have carried out a request although it failed here. */
export function mayHaveActed(error: unknown): error is Error {
  if (error instanceof ApiError) return error.outcome === "unknown";
  return error instanceof Error;
}
