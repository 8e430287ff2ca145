import { ASK_AFTER_MS } from "./ask-after";
import type { RateHeaders } from "./rate-headers";
import { marginMs } from "./request-window";

export type Told = RateHeaders & { readonly remaining: number };

/** What the service said last about the requests that are left, for all programs of the user together. */
export interface RateWord {
  /** Requests that may still be sent before the service has to be heard again. */
  left: number;
  /** When to ask again: a little after there is room. Infinite while it is asked. */
  readonly askAt: number;
  /** When there is room again, at the earliest and at the latest. */
  readonly from: number;
  readonly until: number;
  /** Since when, and how often in vain, a service is asked that tells what is left but not until when. */
  readonly vain?: Vain | undefined;
}

interface Vain {
  readonly since: number;
  readonly asked: number;
}

export interface Hearing {
  readonly remaining: number;
  readonly limit: number | undefined;
  readonly isShared: boolean;
  /** Requests that may have been counted after the answer was written. */
  readonly overlapping: number;
  readonly inFlight: number;
  readonly sentAt: number;
  readonly now: number;
  readonly resetMs: number | undefined;
  readonly slackMs: number;
  readonly lateMs: number;
  /** When there is room by the length of the window, where that is known. */
  readonly roomAt: number | undefined;
  readonly before: RateWord | undefined;
}

/** Kept to ask a service with that tells what is left, but not until when. */
const QUESTIONS = 2;
/** When to ask it once all times of ASK_AFTER_MS have passed in vain. */
const THEN_EVERY_MS = 300_000;

/** Leave for so many requests that ask how things stand. */
export function question(left: number, vain?: Vain): RateWord {
  const never = Number.POSITIVE_INFINITY;
  return { left, askAt: never, from: Number.NEGATIVE_INFINITY, until: never, vain };
}

/** What may be sent after an answer that tells what is left. */
export function askedWord(hearing: Hearing): RateWord {
  const { resetMs, now, lateMs, roomAt } = hearing;
  const left = leave(hearing);
  if (resetMs === undefined) return untimed(hearing, left);
  const { from, until } = reset({ ...hearing, resetMs });
  const at = roomAt === undefined ? until : Math.min(until, Math.max(from, roomAt));
  return { left, askAt: at + marginMs(at - now) + lateMs, from, until };
}

function leave({ remaining, limit = 0, resetMs, isShared, overlapping, inFlight, before }: Hearing): number {
  const reserve = resetMs === undefined ? QUESTIONS : isShared ? Math.ceil(limit / 50) : 0;
  const free = Math.floor(remaining) - reserve;
  if (isShared) {
    // Half of it: somebody else seems to do the same sum at this moment.
    return Math.max(Math.floor(free / 2) - overlapping, inFlight === 0 && free > overlapping ? 1 : 0);
  }
  // An answer that was overtaken by others tells less than they did; what they left is still there.
  const known = before !== undefined && !isQuestion(before) ? before.left : 0;
  return Math.min(free, Math.max(free - overlapping, known));
}

export function isQuestion({ askAt }: RateWord): boolean {
  return askAt === Number.POSITIVE_INFINITY;
}

/** The same moment told more than once, in whole seconds, is known better each time. */
function reset({ now, sentAt, slackMs, before, resetMs }: Hearing & { readonly resetMs: number }) {
  const until = now + resetMs;
  const from = Math.min(until, sentAt + resetMs - slackMs);
  // Before its earliest moment nothing can have been forgotten, so it is still the same one.
  if (before === undefined || now >= before.from) return { from, until };
  return { from: Math.max(from, before.from), until: Math.min(until, before.until) };
}

function untimed({ now, before }: Hearing, left: number): RateWord {
  const isAnswer = before !== undefined && isQuestion(before);
  const vain =
    left > 0
      ? undefined
      : before?.vain === undefined
        ? { since: now, asked: 0 }
        : { since: before.vain.since, asked: before.vain.asked + (isAnswer ? 1 : 0) };
  const after = ASK_AFTER_MS[vain?.asked ?? 0];
  const askAt = vain === undefined || after === undefined ? now + THEN_EVERY_MS : vain.since + after;
  return { left, askAt: Math.max(now, askAt), from: now, until: askAt, vain };
}
