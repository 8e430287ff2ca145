import { jsonOf, sendOnce } from "pulumi-page-guard/tools";
import { z } from "zod";
import { CommandError } from "../command-error";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import type { Forge } from "./forges";

/** A whole answer that is no success. */
export class ForgeRefusal extends CommandError {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** GitLab has either. */
const failureSchema = z.object({ message: z.unknown(), error: z.unknown() }).partial();

/** Sends one request, once; follows no redirect. @throws ForgeRefusal; CommandError if no whole answer came. */
export async function ask<T>(
  { env }: Session,
  { name, baseUrl, token, headers, meanings }: Forge,
  [method, path, body]: readonly ["GET" | "POST" | "PATCH" | "PUT", string, object?],
  schema: z.ZodType<T>,
): Promise<{ readonly data: T; readonly hasNext: boolean }> {
  const sent = await sendOnce(env, token, {
    ...{ method, url: baseUrl.replace(/\/+$/, "") + path, body: body && JSON.stringify(body) },
    headers: { "user-agent": "page-guard", "content-type": "application/json", ...headers },
  });
  // Not shown: it may contain a password.
  if (!sent)
    throw new CommandError(`The API URL of ${name} in the environment is not an https URL of an API.`);
  const { answer, failure } = sent;
  const failed = `Failed to ${method} ${forTerminal(path.replace(/\?.*$/, ""))} at ${new URL(baseUrl).host}`;
  if (failure) throw new CommandError(`${failed}: ${failure.reason}. Run the job again.`);
  const json = jsonOf(answer.body);
  if (answer.status < 200 || answer.status > 299) {
    const { message, error } = failureSchema.safeParse(json).data ?? {};
    const said = typeof (message ?? error) === "string" ? ` (${forTerminal(String(message ?? error))})` : "";
    const isLater = answer.status === 429 || answer.status >= 500 || /rate limit/i.test(said);
    const todo = isLater ? "Run the job again later." : (meanings[answer.status] ?? "");
    throw new ForgeRefusal(`${failed}: ${name} answered ${answer.status}${said}. ${todo}`, answer.status);
  }
  const { data } = schema.safeParse(json);
  if (data === undefined)
    throw new CommandError(`${failed}: the answer is undocumented. Check that this is the URL of the API.`);
  // GitLab counts pages, GitHub links to them.
  const hasNext = Boolean(answer.headers["x-next-page"]) || /rel="next"/.test(answer.headers["link"] ?? "");
  return { data, hasNext };
}

/** All items of a list. Pages are asked for by number, so no URL of an answer is followed. */
export async function askAll<T>(
  session: Session,
  forge: Forge,
  { path, query = "" }: { readonly path: string; readonly query?: string },
  schema: z.ZodType<T>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let page = 1; ; page += 1) {
    const at = `${path}?per_page=100&page=${page}${query}`;
    const { data, hasNext } = await ask(session, forge, ["GET", at], z.array(schema));
    found.push(...data);
    if (!hasNext) return found;
  }
}
