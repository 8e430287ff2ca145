import { CommandError } from "../command-error";
import { sameBody } from "./body";
import { type Board, UnclearError, type Written } from "./forge";

export type Kept = { readonly did: "made" | "edited" | "left"; readonly written: Written };

/**
 * Sees to it that one text with this marker stands on the board, with this body. Looks first; edits what is there; makes
 * it once. When nobody knows whether it was made, it looks again before it tries a second time.
 */
export async function keepOne(board: Board, marker: string, body: string): Promise<Kept> {
  for (let isAgain = false; ; isAgain = true) {
    const [first, ...others] = await ours(board, marker);
    if (first !== undefined) {
      // Two pipelines at once can have made two. An old review must not look like the one that counts.
      for (const other of others) {
        await editIfDifferent(
          board,
          other,
          `${marker}\nAnother one of these is kept up to date in place of this one.`,
        );
      }
      return editIfDifferent(board, first, body);
    }
    try {
      return { did: "made", written: await board.add(body) };
    } catch (error) {
      if (!(error instanceof UnclearError)) throw error;
      if (isAgain) throw new CommandError(`It is not known whether it was written: ${error.message}.`);
    }
  }
}

/** Those with the marker that this token has written, oldest first. */
export async function ours(board: Board, marker: string): Promise<readonly Written[]> {
  const found: Written[] = [];
  for await (const written of board.list()) {
    if (written.body.startsWith(marker) && (await written.isOurs())) found.push(written);
  }
  return found;
}

async function editIfDifferent(board: Board, written: Written, body: string): Promise<Kept> {
  if (sameBody(written.body, body)) return { did: "left", written };
  return { did: "edited", written: await board.edit(written.id, body) };
}
