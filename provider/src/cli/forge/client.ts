import type { Dispatcher } from "undici";
import type { z } from "zod";
import { type Clock, sleep, systemClock } from "../../api/clock";
import { isLoopback } from "../../api/loopback";
import { sharedAgent } from "../../api/shared-resources";
import { withoutToken } from "../../api/without-token";
import { forTerminal } from "../../reports/escape";
import { parseUrl } from "../../text/parse-url";
import { CommandError } from "../command-error";
import { packageVersion, type Session } from "../session";
import type { Answer, Question } from "./exchange";
import { UnclearError } from "./forge";
import { limitedForMs } from "./limited";

export interface ForgeClientOptions {
  readonly session: Session;
  /** Name of the variable that holds it, for messages. */
  readonly urlFrom: string;
  readonly baseUrl: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Says what an answer that is no success means and what to do. */
  readonly explain: (answer: Answer, question: Question) => string;
  /** All waits for a rate limit together. */
  readonly mostWaitMs: number;
}

const timeoutMs = 30_000;
/** A page of a hundred long comments is some megabytes. */
const mostBytes = 32 * 1024 * 1024;
/** Reads and edits may be sent again. */
const pausesMs = [1000, 3000];

/** Asks GitHub or GitLab. Waits out rate limits; repeats what may be repeated; follows no redirect. */
export class ForgeClient {
  readonly #options: ForgeClientOptions;
  readonly #base: string;
  readonly #clock: Clock;
  #waitLeftMs: number;

  constructor(options: ForgeClientOptions) {
    this.#options = options;
    this.#base = baseOf(options);
    this.#clock = options.session.clock ?? systemClock;
    this.#waitLeftMs = options.mostWaitMs;
  }

  /** @throws CommandError for an answer that is no success, UnclearError for a POST that may have been carried out. */
  async ask<T>(question: Question, schema: z.ZodType<T>): Promise<{ data: T; headers: Answer["headers"] }> {
    const answer = await this.send(question);
    if (answer.status < 200 || answer.status > 299) {
      throw new CommandError(this.#options.explain(answer, question));
    }
    const parsed = schema.safeParse(jsonOf(answer.body));
    if (parsed.success) return { data: parsed.data, headers: answer.headers };
    throw new CommandError(
      `${this.#where(question)} answered ${answer.status} with something that is not what its documentation says. Is ${this.#options.urlFrom} the URL of the API?`,
    );
  }

  /** The answer, whatever its status, once no rate limit is in the way. */
  async send(question: Question): Promise<Answer> {
    for (let limited = 0, failed = 0; ; ) {
      const answer = await this.#once(question);
      const isBroken = typeof answer === "string" || answer.status >= 500;
      if (isBroken) {
        const pause = pausesMs[failed];
        const why = typeof answer === "string" ? answer : `HTTP ${answer.status}`;
        if (question.method === "POST") throw new UnclearError(`${this.#where(question)}: ${why}`);
        if (pause === undefined) throw new CommandError(`${this.#where(question)} does not answer: ${why}.`);
        failed += 1;
        await sleep(this.#clock, pause);
        continue;
      }
      const waitMs = limitedForMs(answer, this.#options.session.now(), limited);
      if (waitMs === undefined) return answer;
      limited += 1;
      await this.#waitForLimit(waitMs);
    }
  }

  async #waitForLimit(waitMs: number): Promise<void> {
    const seconds = Math.ceil(waitMs / 1000);
    if (waitMs > this.#waitLeftMs) {
      throw new CommandError(
        `The rate limit of ${new URL(this.#base).host} is reached; it asks to wait ${seconds} s, which is longer than --wait allows. Nothing more was sent. Run the job again later.`,
      );
    }
    this.#waitLeftMs -= waitMs;
    this.#options.session.err(
      `The rate limit of ${new URL(this.#base).host} is reached: waiting ${seconds} s.\n`,
    );
    await sleep(this.#clock, waitMs);
  }

  /** One attempt: an answer, or why there is none. */
  async #once({ method, path, body }: Question): Promise<Answer | string> {
    const { request } = require("undici") as typeof import("undici");
    const { session, token, headers } = this.#options;
    try {
      const response = await request(`${this.#base}${path}`, {
        method,
        dispatcher: sharedAgent(session.env, this.#base),
        headers: {
          "user-agent": `page-guard/${packageVersion()}`,
          ...headers,
          ...(body && { "content-type": "application/json" }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const answer = { status: response.statusCode, headers: flat(response.headers), body: "" };
      return withoutToken({ ...answer, body: await textOf(response.body) }, token);
    } catch (error) {
      return reasonOf(error);
    }
  }

  #where({ method, path }: Question): string {
    return `${new URL(this.#base).host} (${method} ${forTerminal(path.replace(/\?.*$/, ""))})`;
  }
}

function baseOf({ baseUrl, urlFrom }: ForgeClientOptions): string {
  const url = parseUrl(baseUrl);
  const isFit =
    url !== undefined &&
    url.username === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
  // Not shown: it may hold a password.
  if (!isFit) throw new CommandError(`${urlFrom} is not the https URL of an API.`);
  return baseUrl.replace(/\/+$/, "");
}

async function textOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > mostBytes) throw new Error("TOO_LARGE");
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Answer["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A code and nothing else: messages of libraries may hold what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.message === "TOO_LARGE" ? "an answer that is too large" : error.name;
}
