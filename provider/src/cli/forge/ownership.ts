import type { Session } from "../session";

/**
 * Gives what decides whether this token's owner has written something: nobody else's text is edited, however it begins,
 * for its author could put words into our mouth later. `ask`: who the owner is; undefined where that cannot be asked. Then
 * nothing that is there is ours, and it says so.
 */
export function ownership<Id extends string | number>(
  { err }: Session,
  ask: () => Promise<Id | undefined>,
): (author: Id | undefined) => Promise<boolean> {
  let owner: Promise<Id | undefined> | undefined;
  const asked = async (): Promise<Id | undefined> => {
    const found = await ask();
    if (found === undefined) {
      err(
        "Who this token belongs to cannot be asked, so what has our marker already is left alone: anyone may have written it.\n",
      );
    }
    return found;
  };
  return async (author) => {
    owner ??= asked();
    const found = await owner;
    return found !== undefined && author === found;
  };
}
