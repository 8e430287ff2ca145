import type { Quota, RateHeaders } from "./rate-headers";
import { askedWord, isQuestion, question, type RateWord, type Told } from "./rate-word";
import { marginMs, RequestLog, roomAt } from "./request-window";
import type { Lesson } from "./service-block";
import { ShortWindow } from "./short-window";

/** What is known of the moment in which a request was let go. */
export interface Start {
  readonly at: number;
  /** Requests that were over by then. */
  readonly over: number;
  /** Whether it asks how things stand because the time of a reset has come. */
  readonly isAsk: boolean;
}

/** What is under way when an answer comes. */
export interface Moment {
  readonly now: number;
  readonly inFlight: number;
}

/** The documented limit: held as long as a service does not tell its own. */
export const DOCUMENTED: Quota = { limit: 1200, windowMs: 300_000 };
/**
 * In flight at most until the first answer has told whether the service counts, and how much is left: others may have
 * used it up. Not just one, which may hang.
 */
const FIRST_FLIGHT = 2;
/** Fewer requests than these before a refusal say nothing about the limit: somebody else has used it up. */
const LEAST_LEARNT = 10;
/** The most by which the service's times are taken to be too early. */
const MOST_LATE_MS = 2000;

/**
 * How many requests may be sent, learnt from the service.
 *
 * A service that tells what is left is believed: so many may go, less those that it may not have counted yet; when its
 * word is used up, a single request asks at the time of the reset before others follow. Where nothing is told, the own
 * requests are counted. `ceiling` is the user's own limit and holds whatever the service says.
 */
export class RateBudget {
  readonly #log = new RequestLog();
  readonly #ceiling: Quota | undefined;
  readonly #assumed: Quota;
  /** Further limits that the service names beside the one that it counts down. */
  #further: readonly Quota[] = [];
  /** What is held where the service does not tell what is left. */
  #own: Quota;
  #isLearnt = false;
  /** What a refusal has taught is tried with a single request when it holds for the first time. */
  #trial: "none" | "due" | "waiting" = "none";
  #namedMs: number | undefined;
  /** The longest time that a reset was ever away: the window is no shorter. */
  #longestResetMs = 0;
  #limit: number | undefined;
  #tells = false;
  #word: RateWord | undefined = question(FIRST_FLIGHT);
  #isAsking = false;
  #isShared = false;
  readonly #short = new ShortWindow();
  /** Added to the service's times, which it may round down. */
  #lateMs = 0;
  #over = 0;

  constructor(ceiling: Quota | undefined, assumed: Quota) {
    this.#ceiling = ceiling;
    this.#assumed = assumed;
    this.#own = assumed;
  }

  /** The limit that is held at the moment. */
  get quota(): Quota {
    const main = { limit: this.#limit ?? this.#own.limit, windowMs: this.windowMs };
    const ceiling = this.#ceiling;
    return ceiling !== undefined && ceiling.limit / ceiling.windowMs < main.limit / main.windowMs
      ? ceiling
      : main;
  }

  /** The length of the service's window, as far as it is known. */
  get windowMs(): number {
    return this.#namedMs ?? (this.#longestResetMs > 0 ? this.#longestResetMs : this.#own.windowMs);
  }

  /** A reset that is further away than the window is no answer: it counts as the window. */
  withinWindow(resetMs: number | undefined): number | undefined {
    return resetMs === undefined ? undefined : Math.min(resetMs, this.#namedMs ?? this.#assumed.windowMs);
  }

  /** Whether others use the same budget, as far as the service's last word shows. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** Goes on to a later time. */
  pass({ now, inFlight }: Moment): void {
    if (this.#trial === "waiting" && roomAt(this.#log, this.#own, inFlight, now) <= now) {
      this.#trial = "none";
      this.ask();
    }
    // What the service said is over: it is asked with a single request instead of a burst.
    if (this.#word !== undefined && this.#word.askAt <= now) {
      this.ask();
      this.#isAsking = true;
    }
  }

  /** When the next request may be sent if nothing else happens; infinite when only an answer can tell. */
  nextChance({ now, inFlight }: Moment): number {
    const quotas = [this.#ceiling, ...this.#further].filter((quota) => quota !== undefined);
    const byOthers = Math.max(now, ...quotas.map((quota) => roomAt(this.#log, quota, inFlight, now)));
    const word = this.#word;
    if (word !== undefined && word.left <= 0) return Math.max(byOthers, word.askAt);
    if (this.#tells) return byOthers;
    const byOwn = roomAt(this.#log, this.#own, inFlight, now);
    if (byOwn > now && this.#trial === "due") this.#trial = "waiting";
    return Math.max(byOthers, byOwn);
  }

  /** One request is let go. */
  start(now: number): Start {
    if (this.#word !== undefined) this.#word.left -= 1;
    const isAsk = this.#isAsking;
    this.#isAsking = false;
    return { at: now, over: this.#over, isAsk };
  }

  /** The answer has come, other than a refusal for the limit; without headers: the request failed. */
  end(start: Start, headers: RateHeaders | undefined, moment: Moment): void {
    this.#over += 1;
    this.#log.add(moment.now);
    if (headers !== undefined) this.#takeLimits(headers, moment.now);
    if (headers?.remaining !== undefined) {
      this.#tells = true;
      this.#hear({ ...headers, remaining: headers.remaining }, start, moment);
    } else if (this.#word !== undefined && isQuestion(this.#word)) {
      // A failure has told nothing: the next one may ask. An answer without a count: the service does not tell.
      if (headers === undefined) this.#word.left += 1;
      else this.#stopHearing();
    }
  }

  /** The service has refused a request for the limit. */
  refuse({ isAsk }: Start): void {
    this.#over += 1;
    // Others may have used the room.
    if (!isAsk || this.#isShared || this.#short.refute()) return;
    // The time of its reset was a little too early: it rounds down, or its clock goes differently.
    this.#lateMs = Math.min(MOST_LATE_MS, this.#lateMs + 1000);
  }

  /** Leave for a single request, which asks how things stand: also after a block. Those under way ask as well, but may hang. */
  ask(): void {
    this.#word = question(1, this.#word?.vain);
  }

  /** Where a service tells nothing, its refusal does: so many were let through before, and after so long it was ready again. */
  learn({ since, waitMs }: Lesson): void {
    if (this.#tells || this.#limit !== undefined || waitMs >= this.#assumed.windowMs) return;
    const known = this.#isLearnt ? this.#own : undefined;
    // Refused although the limit was kept that an earlier refusal has taught: its window was too short.
    const oldest = known && this.#log.fromEnd(this.#log.countAfter(since) + known.limit);
    const lengthMs = waitMs + (oldest === undefined ? 0 : since - oldest);
    const windowMs = Math.min(this.#assumed.windowMs, Math.max(known?.windowMs ?? 0, lengthMs));
    // Without the request that found it ready.
    const passed = this.#log.countAfter(since - windowMs) - 1;
    if (passed < LEAST_LEARNT) return;
    this.#own = { limit: Math.min(known?.limit ?? passed, passed), windowMs };
    this.#isLearnt = true;
    this.#trial = "due";
  }

  #stopHearing(): void {
    this.#word = undefined;
    this.#tells = false;
  }

  #takeLimits({ limit, windowMs, resetMs, further = [] }: RateHeaders, now: number): void {
    if (windowMs !== undefined) this.#namedMs = windowMs;
    this.#longestResetMs = Math.max(this.#longestResetMs, this.withinWindow(resetMs) ?? 0);
    if (limit !== undefined) {
      this.#limit = limit;
      this.#own = { limit, windowMs: this.windowMs };
    }
    this.#further = further;
    const lengths = [this.#own, this.#assumed, this.#ceiling, ...further].map(
      (quota) => quota?.windowMs ?? 0,
    );
    this.#log.forgetBefore(now - 2 * Math.max(...lengths));
  }

  #hear(told: Told, start: Start, { now, inFlight }: Moment): void {
    const { limit, remaining } = told;
    const counted = limit === undefined ? Number.POSITIVE_INFINITY : limit - remaining;
    const windowMs = this.windowMs;
    const own = this.#log.countAfter(now - windowMs - marginMs(windowMs)) + inFlight;
    const resetMs = this.withinWindow(told.resetMs);
    const slackMs = told.resetSlackMs ?? 0;
    if (resetMs !== undefined && counted === 1) {
      this.#short.take(resetMs - slackMs, now + resetMs - start.at);
    }
    this.#isAsking = false;
    this.#isShared = counted > own;
    this.#word = askedWord({
      remaining,
      limit,
      isShared: this.#isShared,
      // Answers overtake each other. Whatever was under way together with this request may have been counted after
      // its answer was written.
      overlapping: this.#over - start.over - 1 + inFlight,
      inFlight,
      sentAt: start.at,
      now,
      resetMs,
      slackMs,
      lateMs: this.#lateMs,
      roomAt: this.#roomInShort(counted, own, inFlight),
      before: this.#word,
    });
  }

  /** When the oldest request that the service counts is forgotten, where that is known better than it tells. */
  #roomInShort(counted: number, own: number, inFlight: number): number | undefined {
    const lengthMs = this.#short.lengthMs;
    if (lengthMs === undefined || counted > own) return undefined;
    const oldest = this.#log.fromEnd(Math.max(1, counted - inFlight));
    return oldest === undefined ? undefined : oldest + lengthMs;
  }
}
