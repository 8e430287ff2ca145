import { CommandError } from "../command-error";
import { sameBody } from "./body";
import { type Board, UnclearError, type Written } from "./forge";

export type Kept = { readonly did: "created" | "edited" | "unchanged"; readonly written: Written };

/** Creates the one text with this marker, or edits it. After an unclear answer it lists again before the second attempt. */
export async function keepOne(board: Board, marker: string, body: string): Promise<Kept> {
  for (let isAgain = false; ; isAgain = true) {
    const [first, ...others] = await ours(board, marker);
    if (first !== undefined) {
      // Two pipelines at once may have created two. An old review must not look like the current one.
      for (const other of others) {
        await editIfDifferent(board, other, `${marker}\nThis is no longer updated: another one replaces it.`);
      }
      return editIfDifferent(board, first, body);
    }
    try {
      return { did: "created", written: await board.add(body) };
    } catch (error) {
      if (!(error instanceof UnclearError)) throw error;
      if (isAgain)
        throw new CommandError(
          `${error.message}, so it may or may not have been created. Check, then run the job again.`,
        );
    }
  }
}

/** Those with the marker that the owner of this token wrote, oldest first. */
export async function ours(board: Board, marker: string): Promise<readonly Written[]> {
  const found: Written[] = [];
  for await (const written of board.list()) {
    if (written.body.startsWith(marker) && (await written.isOurs())) found.push(written);
  }
  return found;
}

async function editIfDifferent(board: Board, written: Written, body: string): Promise<Kept> {
  if (sameBody(written.body, body)) return { did: "unchanged", written };
  return { did: "edited", written: await board.edit(written.id, body) };
}
