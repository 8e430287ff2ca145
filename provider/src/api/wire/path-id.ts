import { InputError } from "../../errors/input-error";
import { shown } from "../../text/shown";

/**
 * An id as one step of a path. Ids come from the service and from state, and `..` would lead to another object.
 *
 * @throws InputError when it cannot be an id.
 */
export function pathId(id: string, what: string): string {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(id)) return id;
  throw new InputError(
    what,
    `${what} ${id === "" ? "is empty" : `cannot be an id: "${shown(id, { max: 40 })}"`}.`,
    "Ids are letters, digits, dashes and underscores, as the service gives them. If this one is in the state, find out how it got there.",
  );
}
