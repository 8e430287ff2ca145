import { RequestRefusedError } from "../errors/request-refused-error";
import type { Page, ReadPage } from "./page";

/**
 * The document does not say how many items a page may have at most: a service that refuses the first page is asked once
 * more, for pages of the size that it likes, and then for all others so.
 */
export function orOwnPageSize<T>(
  read: (page: number, perPage: number | undefined) => Promise<Page<T>>,
): ReadPage<T> {
  let isRefused = false;
  return async (page, perPage) => {
    if (isRefused) return read(page, undefined);
    try {
      return await read(page, perPage);
    } catch (error) {
      if (page !== 1 || !isBadRequest(error)) throw error;
      const first = await read(1, undefined).catch(() => {
        // It was about something else.
        throw error;
      });
      isRefused = true;
      return first;
    }
  };
}

function isBadRequest(error: unknown): boolean {
  return error instanceof RequestRefusedError && error.facts.httpStatus === 400;
}
