import { ApiError } from "../../errors/api-error";
import { ReadBackError } from "../../errors/read-back-error";

/**
 * Reads the object after an accepted change whose answer does not show it. A refusal of the read says
 * nothing against the change.
 */
export async function readBack<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof ApiError ? new ReadBackError(error) : error;
  }
}
