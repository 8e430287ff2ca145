import * as z from "zod";
import { CommandError } from "../command-error";
import { forTerminal } from "../reports/escape";
import { type ExitCode, exitCode, type Session } from "../session";
import { ask, type Board, type Forge } from "./forges";

const text = z.string().nullish();
const number = z.number().optional();
/** A comment or an issue, of either forge. */
const written = z
  .object({ id: z.number(), number, iid: number, title: z.string().optional() })
  .extend({ body: text, description: text, html_url: text, web_url: text })
  .extend({ user: z.object({ login: z.string() }).nullish(), pull_request: z.unknown().optional() })
  .extend({ author: z.object({ username: z.string() }).nullish() })
  .transform(({ title, ...one }) => ({
    ...{ id: one.number ?? one.iid ?? one.id, title, url: one.html_url ?? one.web_url ?? "" },
    author: one.user?.login ?? one.author?.username ?? "nobody",
    // GitHub's list of issues has pull requests, too.
    body: one.pull_request === undefined ? plain(one.body ?? one.description ?? "") : "",
  }));

type Written = z.output<typeof written>;

/**
 * Creates the one text of a board that begins with the marker, edits it, or closes it (no text): one listing, one request
 * to write. It is ours by its author and the marker: somebody else's text with our marker is neither edited nor taken for ours.
 *
 * @throws CommandError where what was created is not by `author`, for no later run would find it
 */
export async function keepOne(
  session: Session,
  forge: Forge,
  { name, path, each = path, query = "", field = "body" }: Board,
  given: { marker: string; author: string | undefined; text: { title?: string; body: string } | undefined },
): Promise<ExitCode> {
  const account = z.object({ username: z.string() });
  const login =
    given.author ?? forge.author ?? (await ask(session, forge, ["GET", "/user"], account)).data.username;
  let ours: Written | undefined;
  // Pages are asked for by number, so no URL of an answer is followed.
  for (let page = 1, hasNext = true; hasNext && ours === undefined; page += 1) {
    const at = `${path}?per_page=100&page=${page}${query}`;
    const listed = await ask(session, forge, ["GET", at], z.array(written));
    ours = listed.data.find(({ body, author }) => author === login && body.startsWith(given.marker));
    hasNext = listed.hasNext;
  }

  const say = (did: string, { id, url }: Written) => session.out(`${did} #${id} in ${name}.${link(url)}\n`);
  const write = async (did: string, fields: object) => {
    const to = ours ? ([forge.edits, `${each}/${ours.id}`] as const) : (["POST", path] as const);
    const { data } = await ask(session, forge, [...to, fields], written);
    say(did, data);
    if (data.author === login) return;
    const [found, expected] = [data.author, login].map((one) => forTerminal(one, 100));
    throw new CommandError(
      `#${data.id} in ${name} was written by ${found}, but this job looks for texts of ${expected}, so the next run would create another one. Pass --author ${found}.`,
    );
  };
  const { title = ours?.title, body: markdown = "" } = given.text ?? {};
  // GitLab executes a line that begins with a slash (`/merge`).
  const body = cut(forge.name === "GitLab" ? markdown.replace(/^\s*\/(?=\w)/gm, "&#47;") : markdown);
  if (ours && !given.text) await write("Closed", forge.closed);
  else if (ours?.body === plain(body) && ours.title === title) say("Unchanged:", ours);
  else if (ours) await write("Edited", { title, [field]: body });
  else if (given.text) await write("Created", { title, [field]: body });
  else session.out(`Nothing to close in ${name}.\n`);
  return exitCode.fine;
}

const link = (url: string) => (/^https?:\/\//.test(url) ? ` ${forTerminal(url, 300)}` : "");

/** Forges change line ends. */
const plain = (text: string) => text.replace(/\r\n?/g, "\n").trimEnd();

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
