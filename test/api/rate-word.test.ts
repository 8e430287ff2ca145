import assert from "node:assert/strict";
import { ASK_AFTER_MS } from "../../provider/src/api/ask-after";
import { askedWord, type Hearing, question, type RateWord } from "../../provider/src/api/rate-word";

const now = 1000;

/** An answer to a request that nothing else was under way with, by the only program of the user. */
const heard = (more: Partial<Hearing> = {}): Hearing => ({
  remaining: 10,
  limit: 100,
  isShared: false,
  overlapping: 0,
  inFlight: 0,
  sentAt: 900,
  now,
  resetMs: 5000,
  slackMs: 0,
  lateMs: 0,
  roomAt: undefined,
  before: undefined,
  ...more,
});
const word = (more: Partial<RateWord> = {}): RateWord => ({
  left: 5,
  askAt: 9000,
  from: 0,
  until: 9000,
  ...more,
});

describe("What may be sent after an answer that tells what is left", () => {
  const rows: readonly [string, Partial<Hearing>, number][] = [
    ["what is left", {}, 10],
    ["whole requests", { remaining: 10.9 }, 10],
    ["nothing where nothing is left", { remaining: 0 }, 0],
    ["without those that may be counted later", { overlapping: 3 }, 7],
    ["what an answer left that this one has overtaken", { overlapping: 3, before: word({ left: 9 }) }, 9],
    ["no more than what this one tells", { overlapping: 3, before: word({ left: 20 }) }, 10],
    ["nothing of a question: it left nothing", { overlapping: 3, before: question(9) }, 7],
    ["all but two, which ask, where no reset is told", { resetMs: undefined }, 8],
    ["nothing where just the two are left", { resetMs: undefined, remaining: 2 }, 0],
    ["half of it less a fiftieth of the limit, where others send too", { isShared: true }, 4],
    ["a fiftieth is rounded up", { isShared: true, limit: 101, remaining: 11 }, 4],
    ["half of it, where no limit is told", { isShared: true, limit: undefined }, 5],
    ["less those that may be counted later, where others send too", { isShared: true, overlapping: 1 }, 3],
    ["one of one that is left, so that somebody goes on", { isShared: true, remaining: 3 }, 1],
    ["none of it while one is under way", { isShared: true, remaining: 3, inFlight: 1 }, 0],
    ["none of it that may be counted already", { isShared: true, remaining: 3, overlapping: 1 }, 0],
    ["none of nothing", { isShared: true, remaining: 2 }, 0],
  ];
  for (const [what, more, left] of rows) {
    it(`is ${what}`, () => assert.equal(askedWord(heard(more)).left, left));
  }
});

describe("When a service is asked again that tells its reset", () => {
  const rows: readonly [string, Partial<Hearing>, { from: number; until: number; askAt: number }][] = [
    ["a hundredth after it", {}, { from: 5900, until: 6000, askAt: 6050 }],
    ["later, as its clock goes", { lateMs: 1000 }, { from: 5900, until: 6000, askAt: 7050 }],
    [
      "where it rounds, its reset may be earlier",
      { slackMs: 1000 },
      { from: 4900, until: 6000, askAt: 6050 },
    ],
    [
      "when there is room by the length of the window",
      { slackMs: 1000, roomAt: 5500 },
      { from: 4900, until: 6000, askAt: 5545 },
    ],
    ["not before there can be", { roomAt: 4000 }, { from: 5900, until: 6000, askAt: 5949 }],
    ["not after it says", { roomAt: 9000 }, { from: 5900, until: 6000, askAt: 6050 }],
    [
      "the same moment told twice is known better: it is not later than either says",
      { sentAt: 100, before: word({ from: 4000, until: 5500 }) },
      { from: 5100, until: 5500, askAt: 5545 },
    ],
    [
      "nor earlier",
      { sentAt: 100, slackMs: 2000, before: word({ from: 4000, until: 7000 }) },
      { from: 4000, until: 6000, askAt: 6050 },
    ],
    [
      "once its earliest time has come it is another moment",
      { sentAt: 100, before: word({ from: now, until: 5500 }) },
      { from: 5100, until: 6000, askAt: 6050 },
    ],
    ["a reset of now is now", { resetMs: 0, sentAt: 1000 }, { from: 1000, until: 1000, askAt: 1020 }],
  ];
  for (const [what, more, expected] of rows) {
    it(what, () => {
      const { from, until, askAt } = askedWord(heard(more));
      assert.deepEqual({ from, until, askAt }, expected);
    });
  }
});

describe("When a service is asked again that tells what is left, but not until when", () => {
  const untimed = (more: Partial<Hearing>) => askedWord(heard({ resetMs: undefined, ...more }));

  it("after five minutes, while something is left", () => {
    assert.deepEqual(untimed({}), { left: 8, askAt: 301_000, from: now, until: 301_000, vain: undefined });
  });

  it("ever later, counted from when nothing was left, and only for answers to a question", () => {
    const first = untimed({ remaining: 0 });
    assert.deepEqual(first.vain, { since: now, asked: 0 });
    assert.equal(first.askAt, now + (ASK_AFTER_MS[0] ?? 0));
    const since = { since: 500, asked: 1 };
    const answered = untimed({ remaining: 0, before: question(1, since) });
    assert.deepEqual(answered.vain, { since: 500, asked: 2 });
    assert.equal(answered.askAt, 500 + (ASK_AFTER_MS[2] ?? 0));
    const another = untimed({ remaining: 0, before: word({ vain: since }) });
    assert.deepEqual(another.vain, since);
    assert.equal(another.askAt, 500 + (ASK_AFTER_MS[1] ?? 0));
    assert.deepEqual(untimed({ remaining: 0, before: question(1) }).vain, { since: now, asked: 0 });
  });

  it("never before now, and every five minutes when all has been in vain", () => {
    const late = untimed({ remaining: 0, now: 90_000, before: word({ vain: { since: 500, asked: 0 } }) });
    assert.equal(late.askAt, 90_000);
    const asked = ASK_AFTER_MS.length;
    const vain = untimed({ remaining: 0, before: word({ vain: { since: 500, asked } }) });
    assert.equal(vain.askAt, 301_000);
  });

  it("anew from the start, once something was left in between", () => {
    assert.equal(untimed({ before: question(1, { since: 500, asked: 3 }) }).vain, undefined);
  });
});
