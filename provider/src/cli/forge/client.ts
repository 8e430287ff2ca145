import type { z } from "zod";
import { type Clock, sleep, systemClock } from "../../api/clock";
import { isLoopback } from "../../api/http/loopback";
import { sharedAgent } from "../../api/http/shared-resources";
import { type TransportFailure, undiciTransport } from "../../api/http/transport";
import { withoutToken } from "../../api/http/without-token";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
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
    return this.accept(await this.send(question), question, schema);
  }

  /** What an answer to `send` says. @throws CommandError for one that is no success. */
  accept<T>(
    answer: Answer,
    question: Question,
    schema: z.ZodType<T>,
  ): { data: T; headers: Answer["headers"] } {
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
        if (question.method === "POST" && !question.isRead)
          throw new UnclearError(`${this.#where(question)}: ${why}`);
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
    const { session, token, headers } = this.#options;
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

/** A code where there are no better words: it holds nothing of what was sent. */
function reasonOf({ reason }: TransportFailure): string {
  if (reason === "ABORTED") return `no answer within ${timeoutMs / 1000} s`;
  return reason === "TOO_LARGE" ? "an answer that is too large" : reason;
}
