import * as z from "zod";
import { escapeForForge } from "../documents/blocks/markdown";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import type { Session } from "../shared/session";
import { cut, normaliseLines } from "./fit-text";
import { ask, type Board, type Forge } from "./forges";
import { cutWithMarks, findNews } from "./news";

const text = z.string().nullish();
const number = z.number().optional();
/** A comment or an issue of either forge. */
const written = z
  .object({ id: z.number(), number, iid: number, title: z.string().optional() })
  .extend({ body: text, description: text, html_url: text, web_url: text })
  .extend({ user: z.object({ login: z.string() }).nullish(), pull_request: z.unknown().optional() })
  .extend({ author: z.object({ username: z.string() }).nullish() })
  .transform(({ title, ...one }) => ({
    id: one.number ?? one.iid ?? one.id,
    title,
    url: one.html_url ?? one.web_url ?? "",
    author: one.user?.login ?? one.author?.username ?? "nobody",
    // GitHub's list of issues also contains pull requests. Their `body` is set to "", so that it never begins with our marker.
    body: one.pull_request === undefined ? normaliseLines(one.body ?? one.description ?? "") : "",
  }));

type Written = z.output<typeof written>;

export interface Done {
  readonly did: "Created" | "Edited" | "Commented on" | "Closed" | "Unchanged";
  readonly url: string;
}

/**
 * Keeps one comment or issue up to date on a board: creates it, edits it or, if `text` is undefined, closes it. On boards with
 * `talk`, news is posted as a reply before an edit, because nobody is notified of an edit. A comment or issue is ours only if it
 * begins with our marker and our account posted it. All others are left alone.
 *
 * @throws CommandError if the comment or issue that was just created is by another account than ours: no later run would find it
 */
export async function keepOne(
  session: Session,
  forge: Forge,
  { name, path, each = path, query = "", field = "body", talk }: Board,
  given: { marker: string; author: string | undefined; text: { title?: string; body: string } | undefined },
): Promise<Done> {
  const account = z.object({ username: z.string() });
  const login =
    given.author ?? forge.author ?? (await ask(session, forge, ["GET", "/user"], account)).data.username;
  let ours: Written | undefined;
  // The pages of the list are requested by number, so that no URL from a response is ever followed.
  for (let page = 1, hasNext = true; hasNext && ours === undefined; page += 1) {
    const at = `${path}?per_page=100&page=${page}${query}`;
    const listed = await ask(session, forge, ["GET", at], z.array(written));
    ours = listed.data.find(({ body, author }) => author === login && body.startsWith(given.marker));
    hasNext = listed.hasNext;
  }

  const say = (did: Done["did"], { id, url }: Written): Done => {
    const outcome = did === "Unchanged" ? "Unchanged:" : did;
    session.out(`${outcome} #${id} in ${name}.${link(url)}\n`);
    return { did, url };
  };
  const write = async (did: Done["did"], fields: object): Promise<Done> => {
    const to = ours ? ([forge.edits, `${each}/${ours.id}`] as const) : (["POST", path] as const);
    const { data } = await ask(session, forge, [...to, fields], written);
    const done = say(did, data);
    if (data.author === login) return done;
    const [found, expected] = [data.author, login].map((one) => forTerminal(one, 100));
    throw new CommandError(
      `#${data.id} in ${name} was written by ${found}, but this job looks only for comments and issues by ${expected}, so the next run would create a duplicate. Pass --author ${found}.`,
    );
  };
  const { title = ours?.title, body: markdown = "" } = given.text ?? {};
  // GitLab executes a line that begins with a slash (`/merge`).
  const whole = forge.name === "GitLab" ? markdown.replace(/^\s*\/(?=\w)/gm, "&#47;") : markdown;
  const body = talk === undefined ? cut(whole) : cutWithMarks(normaliseLines(whole));
  if (ours && !given.text) return write("Closed", forge.closed);
  if (ours?.body === normaliseLines(body) && ours.title === title) return say("Unchanged", ours);
  if (ours) {
    const news = talk === undefined ? "" : findNews(ours.body, normaliseLines(whole));
    if (news === "") return write("Edited", { title, [field]: body });
    // Post the news before the edit. If the edit then fails, the next run posts the news again instead of losing it.
    const comment = { body: cut(`**${escapeForForge(title ?? "")}**\n\n${news}`) };
    await ask(session, forge, ["POST", `${each}/${ours.id}/${talk}`, comment], z.unknown());
    await write("Edited", { title, [field]: body });
    return say("Commented on", ours);
  }
  if (given.text) return write("Created", { title, [field]: body });
  session.out(`Nothing to close in ${name}.\n`);
  return { did: "Unchanged", url: "" };
}

const link = (url: string) => (/^https?:\/\//.test(url) ? ` ${forTerminal(url, 300)}` : "");
