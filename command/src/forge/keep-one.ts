import { z } from "zod";
import { CommandError } from "../command-error";
import { forTerminal } from "../reports/escape";
import { type ExitCode, exitCode, type Session } from "../session";
import { ask, askAll } from "./ask";
import type { Board, Forge } from "./forges";

/** A comment or an issue, of either forge. */
const written = z
  .object({ id: z.number(), number: z.number(), iid: z.number(), title: z.string() })
  .partial()
  .extend({ body: z.string().nullish(), description: z.string().nullish(), pull_request: z.unknown() })
  .extend({ html_url: z.string().optional(), web_url: z.string().optional() })
  .extend({ user: z.object({ login: z.string() }).nullish() })
  .extend({ author: z.object({ username: z.string() }).nullish() })
  .partial()
  .transform(({ id = 0, number, iid, title, ...one }) => ({
    ...{ id: number ?? iid ?? id, title, url: one.html_url ?? one.web_url ?? "" },
    author: one.user?.login ?? one.author?.username ?? "nobody",
    // GitHub's list of issues has pull requests, too.
    body: one.pull_request === undefined ? plain(one.body ?? one.description ?? "") : "",
  }));

type Written = z.output<typeof written>;

/**
 * Creates the one text of a board that begins with the marker, edits it, or closes it (no text): one listing, one request
 * to write. A text of anyone else is never edited: its author could change it later.
 */
export async function keepOne(
  session: Session,
  forge: Forge,
  board: Board,
  given: { marker: string; author: string | undefined; text?: { title?: string; body: string } },
): Promise<ExitCode> {
  const login =
    given.author ??
    forge.author ??
    (await ask(session, forge, ["GET", "/user"], z.object({ username: z.string() }))).data.username;
  const all = await askAll(session, forge, board, written);
  const marked = all.filter(({ body }) => body.startsWith(given.marker));
  const ours = marked.find(({ author }) => author === login);
  const other = marked.find(({ author }) => author !== login);
  // Ours is kept up to date beside another one: a stranger's text must not silence an alarm.
  if (ours !== undefined || other === undefined)
    session.out(`${await write(session, forge, board, ours, given.text)}\n`);
  if (other === undefined) return exitCode.fine;
  throw new CommandError(
    `${board.name} has a text with our marker, #${other.id}${link(other.url)}, which ${forTerminal(other.author, 100)} wrote, not ${forTerminal(login, 100)}. If that is the account of this job, pass --author; else delete that text.`,
  );
}

async function write(
  session: Session,
  forge: Forge,
  { name, path, each = path, field = "body" }: Board,
  ours: Written | undefined,
  text: { title?: string; body: string } | undefined,
): Promise<string> {
  const said = (did: string, { id, url }: Written) => `${did} #${id} in ${name}.${link(url)}`;
  const edit = (fields: object) => ask(session, forge, [forge.edits, `${each}/${ours?.id}`, fields], written);
  if (text === undefined) {
    if (ours === undefined) return `Nothing to close in ${name}.`;
    await edit(forge.closed);
    return said("Closed", ours);
  }
  // GitLab executes a line that begins with a slash (`/merge`).
  const body = cut(forge.name === "GitLab" ? text.body.replace(/^\s*\/(?=\w)/gm, "&#47;") : text.body);
  if (ours && ours.body === plain(body) && (text.title ?? ours.title) === ours.title)
    return said("Unchanged:", ours);
  const fields = { ...text, body: undefined, [field]: body };
  if (ours) return said("Edited", (await edit(fields)).data);
  return said("Created", (await ask(session, forge, ["POST", path, fields], written)).data);
}

const link = (url: string) => (/^https?:\/\//.test(url) ? ` ${forTerminal(url, 300)}` : "");

/** Forges change line ends. */
function plain(text: string): string {
  return text.replace(/\r\n?/g, "\n").trimEnd();
}

/** A block of code, so that nothing in it is a mention, a link or a command. */
export function asCode(text: string): string {
  const lines = cut(plain(text), 63_000);
  const fence = "`".repeat(Math.max(2, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return `${fence}text\n${lines}\n${fence}`;
}

/** Cuts at the end of a line what GitHub would refuse: it takes 65,536 characters and counts some differently. */
function cut(text: string, most = 64_000): string {
  if (text.length <= most) return text;
  const shown = text.slice(0, Math.max(text.lastIndexOf("\n", most), 0) || most);
  return `${shown}\n\n(${text.slice(shown.length).trim().split("\n").length} more lines are left out.)`;
}
