import { ZodError } from "zod";
import { shown } from "../text/shown";
import { pathText } from "./check-inputs";
import { CodedError } from "./coded-error";

/** How many places of a damaged state a message names. */
const mostPlaces = 5;

/**
 * Reads something of the state with a schema.
 *
 * @throws CodedError for what no version of this package writes. It quotes no value: one may be secret.
 */
export function asRecorded<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const places = error.issues.map(({ path }) => shown(pathText(path), { max: 80 }));
    const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : "";
    throw new CodedError(
      "state-unreadable",
      `Failed to read the state of ${what}: this is not what pulumi-page-guard writes: ${places.slice(0, mostPlaces).join(", ")}${more}. It was edited or damaged. Put an earlier checkpoint back (pulumi stack import), or take the resource out of the state (pulumi state delete) and import it again.`,
    );
  }
}
