import { z } from "zod";
import { type Clock, sleep, systemClock } from "../../api/clock";
import { isLoopback } from "../../api/http/loopback";
import { sharedAgent } from "../../api/http/shared-resources";
import { type TransportFailure, undiciTransport } from "../../api/http/transport";
import { withoutToken } from "../../api/http/without-token";
import { retryAfterMs } from "../../api/rate-limit/rate-headers";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { parseUrl } from "../../text/parse-url";
import { CommandError } from "../command-error";
import { packageVersion, type Session } from "../session";
import { type Answer, type Question, UnclearError } from "./forge";

interface ForgeClientOptions {
  readonly session: Session;
  /** For messages: `GitHub`. */
  readonly name: string;
  /** Name of its variable, for messages. */
  readonly urlFrom: string;
  readonly baseUrl: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What a status means, and what to do. */
  readonly meanings: Readonly<Record<number, string>>;
  /** For all rate limits together. */
  readonly mostWaitMs: number;
}

/** GitLab has either. */
const failureSchema = z.object({ message: z.unknown(), error: z.unknown() }).partial();

const timeoutMs = 30_000;
const perPage = 100;
/** More than a person reads. */
const mostPages = 400;
/** Of one command, repeated ones included: a list that never ends would take thousands. */
const mostRequests = 480;
/** Before reads and edits are repeated. */
const pausesMs = [1000, 3000];

/** Calls GitHub or GitLab. Waits for rate limits, repeats what may be repeated, follows no redirect. */
export class ForgeClient {
  readonly #options: ForgeClientOptions;
  readonly #base: string;
  readonly #clock: Clock;
  /** What the command has left, of all its clients together. */
  readonly #left: { waitMs: number; requests: number };

  constructor(options: ForgeClientOptions, left = { waitMs: options.mostWaitMs, requests: mostRequests }) {
    this.#options = options;
    this.#base = baseOf(options);
    this.#clock = options.session.clock ?? systemClock;
    this.#left = left;
  }

  /** A client of another path on the same host: the token is sent to no other. */
  at(baseUrl: string): ForgeClient {
    return new ForgeClient({ ...this.#options, baseUrl }, this.#left);
  }

  /** @throws CommandError for a failure, UnclearError for a POST that may have been carried out. */
  async ask<T>(question: Question, schema: z.ZodType<T>): Promise<{ data: T; headers: Answer["headers"] }> {
    return this.#read(await this.send(question), question, schema);
  }

  /** What is at a path, or the text that stands for its status. @throws CommandError for another failure. */
  async find<T extends object>(
    path: string,
    schema: z.ZodType<T>,
    texts: Readonly<Record<number, string>>,
  ): Promise<T | string> {
    const question = { method: "GET", path } as const;
    const answer = await this.send(question);
    return texts[answer.status] ?? this.#read(answer, question, schema).data;
  }

  #read<T>({ status, headers, body }: Answer, question: Question, schema: z.ZodType<T>) {
    const { name, meanings, urlFrom } = this.#options;
    if (status < 200 || status > 299) {
      const { message, error } = failureSchema.safeParse(jsonOf(body)).data ?? {};
      const text = message ?? error;
      const said = typeof text === "string" ? ` (${forTerminal(text)})` : "";
      const answered = `Failed to ${this.#what(question)}: ${name} answered ${status}${said}`;
      throw new CommandError(`${answered}. ${meanings[status] ?? ""}`.trimEnd());
    }
    const parsed = schema.safeParse(jsonOf(body));
    if (parsed.success) return { data: parsed.data, headers };
    throw new CommandError(
      `Failed to ${this.#what(question)}: the answer ${status} is undocumented. Check that ${urlFrom} is the URL of the API.`,
    );
  }

  /** All items of a list. Pages are asked for by number, so no URL of an answer is followed. */
  async *pages<T>(path: string, schema: z.ZodType<T>): AsyncIterable<T> {
    const list = `${path}${path.includes("?") ? "&" : "?"}per_page=${perPage}`;
    for (let page = 1; page <= mostPages; page += 1) {
      const question = { method: "GET", path: `${list}&page=${page}` } as const;
      const { data, headers } = await this.ask(question, z.array(schema));
      yield* data;
      if (data.length === 0 || !hasNext(headers, data.length)) return;
    }
  }

  /** Returns the answer, whatever its status, after waiting for rate limits. */
  async send(question: Question): Promise<Answer> {
    for (let limited = 0, failed = 0; ; ) {
      const answer = await this.#once(question);
      if (typeof answer === "string" || answer.status >= 500) {
        const why = `Failed to ${this.#what(question)}: ${typeof answer === "string" ? answer : `HTTP ${answer.status}`}`;
        if (question.method === "POST" && !question.isRead) throw new UnclearError(why);
        const pause = pausesMs[failed];
        if (pause === undefined) throw new CommandError(`${why}. Run the job again later.`);
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
    const limited = `${new URL(this.#base).host} reached its rate limit`;
    if (waitMs > this.#left.waitMs) {
      throw new CommandError(
        `${limited} and asks to wait ${seconds} s, longer than --wait allows. Nothing more was sent. Run the job again later.`,
      );
    }
    this.#left.waitMs -= waitMs;
    this.#options.session.err(`${limited}: waiting ${seconds} s.\n`);
    await sleep(this.#clock, waitMs);
  }

  /** One attempt. A string says why there is no answer. */
  async #once({ method, path, body }: Question): Promise<Answer | string> {
    const { session, token, headers } = this.#options;
    if (this.#left.requests === 0) {
      throw new CommandError(
        `${new URL(this.#base).host} was sent ${mostRequests} requests without coming to an end. Nothing more was sent. Check that ${this.#options.urlFrom} is the URL of the API.`,
      );
    }
    this.#left.requests -= 1;
    const send = undiciTransport(sharedAgent(session.env, this.#base));
    const request = {
      method,
      url: `${this.#base}${path}`,
      headers: {
        "user-agent": `page-guard/${packageVersion()}`,
        ...headers,
        ...(body && { "content-type": "application/json" }),
      },
      body: body && JSON.stringify(body),
    };
    const { answer, failure } = await send(request, AbortSignal.timeout(timeoutMs));
    return answer ? withoutToken(answer, token) : reasonOf(failure);
  }

  #what({ method, path }: Question): string {
    return `${method} ${forTerminal(path.replace(/\?.*$/, ""))} at ${new URL(this.#base).host}`;
  }
}

/** GitLab counts pages, GitHub links to them. */
function hasNext(headers: Answer["headers"], count: number): boolean {
  const next = headers["x-next-page"];
  if (next !== undefined) return next !== "";
  return headers["link"] === undefined ? count === perPage : /rel="?next/.test(headers["link"]);
}

function baseOf({ baseUrl, urlFrom }: ForgeClientOptions): string {
  const url = parseUrl(baseUrl);
  const isFit =
    url !== undefined &&
    url.username === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
  // Not shown: it may contain a password.
  if (!isFit) throw new CommandError(`${urlFrom} is not an https URL of an API.`);
  return baseUrl.replace(/\/+$/, "");
}

function reasonOf({ reason }: TransportFailure): string {
  if (reason === "ABORTED") return `no answer within ${timeoutMs / 1000} s`;
  return reason === "TOO_LARGE" ? "an answer that is too large" : reason;
}

/** The wait if GitHub does not say how long. */
const usualMs = 60_000;

/** Against a forge that always asks to retry at once. */
const leastMs = 1000;

/**
 * How long a rate limit asks to wait, in milliseconds; undefined for other answers. GitHub uses 403 as well as 429, for its
 * secondary limits sometimes only with a sentence; then each wait doubles.
 */
export function limitedForMs(
  { status, headers, body }: Answer,
  nowMs: number,
  before: number,
): number | undefined {
  if (status !== 429 && status !== 403) return undefined;
  const afterMs = retryAfterMs(headers, nowMs);
  if (afterMs !== undefined) return Math.max(afterMs, leastMs * 2 ** before);
  const isSpent = headers["x-ratelimit-remaining"] === "0" || headers["ratelimit-remaining"] === "0";
  // Seconds since 1970, also in GitLab's `ratelimit-reset`, which the standard counts from now.
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]);
  if (isSpent && Number.isFinite(reset)) return Math.max(1000, reset * 1000 - nowMs + 1000);
  if (status === 429 || /secondary rate limit|abuse detection/i.test(body.slice(0, 5000))) {
    return usualMs * 2 ** before;
  }
  return undefined;
}
