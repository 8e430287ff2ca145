import type { z } from "zod";
import type { Session } from "../session";
import type { ForgeClient } from "./client";
import type { Board, Written } from "./forge";

/** A comment or an issue, as a forge has it. */
export interface ForgeText {
  /** The id of a comment, the number of an issue. */
  readonly id: number;
  readonly body: string;
  readonly url?: string | undefined;
  /** Absent: nobody whose text it could be. */
  readonly author: string | number | undefined;
}

/** Where the texts of a board are, and how one is written. */
interface BoardPlace {
  /** For messages. */
  readonly name: string;
  readonly schema: z.ZodType<ForgeText>;
  /** New ones are sent to it. */
  readonly path: string;
  /** The order and choice of those that are listed. */
  readonly query?: string;
  /** Of one of them. */
  readonly pathOf: (id: number) => string;
  readonly edits: "PATCH" | "PUT";
  /** The field with the text. */
  readonly field: "body" | "description";
  /** Of an issue, and what closes it. */
  readonly title?: string;
  readonly closed?: object;
}

/**
 * Boards of one forge. The text of anyone else than the owner of this token is never edited: its author could change it
 * later. `ask`: who the owner is; if that is not known, nothing is ours.
 */
export function boardsOf(
  { err }: Session,
  client: ForgeClient,
  ask: () => Promise<ForgeText["author"]>,
): (place: BoardPlace) => Board {
  let owner: Promise<ForgeText["author"]> | undefined;
  const askOnce = async (): Promise<ForgeText["author"]> => {
    const found = await ask();
    if (found === undefined)
      err(
        "Failed to find out who owns this token, so existing texts with our marker are not edited: anyone may have written them.\n",
      );
    return found;
  };
  const written = ({ author, ...text }: ForgeText): Written => ({
    ...text,
    async isOurs() {
      owner ??= askOnce();
      return author !== undefined && (await owner) === author;
    },
  });
  return ({ name, schema, path, query, pathOf, edits, field, title, closed = {} }) => {
    const send = async (method: "POST" | "PATCH" | "PUT", to: string, body: object): Promise<Written> =>
      written((await client.ask({ method, path: to, body }, schema)).data);
    return {
      name,
      async *list() {
        for await (const one of client.pages(query ? `${path}?${query}` : path, schema)) yield written(one);
      },
      add: (text) => send("POST", path, { ...(title !== undefined && { title }), [field]: text }),
      edit: (id, text) => send(edits, pathOf(id), { [field]: text }),
      close: (id) => send(edits, pathOf(id), closed),
    };
  };
}
