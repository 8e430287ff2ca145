import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type RateHeaders,
  rateHeaders,
  retryAfterMs,
} from "../../../provider/src/api/rate-limit/rate-headers";
import { processorTime } from "../../virtual-time/processor-time";
import { check } from "../random-runs";

const now = Date.parse("2026-03-01T00:00:00.400Z");

/** What is said, without what is not. */
function said(headers: Record<string, string>): Partial<RateHeaders> {
  const isSaid = ([, value]: [string, unknown]) =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  const { isResetDate, ...rest } = rateHeaders(headers, now);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(isSaid)),
    ...(isResetDate && rest.resetMs !== undefined && { isResetDate }),
  };
}

describe("retry-after", () => {
  const rows: [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["0", 0],
    ["17", 17_000],
    ["1.5", 1500],
    ["Sun, 01 Mar 2026 00:00:30 GMT", 29_600],
    ["Sat, 28 Feb 2026 00:00:00 GMT", 0],
    ["Sun 01 Mar 2026 00:00:30 GMT", 29_600],
    ["2026-03-01T00:00:30Z", 29_600],
    // Years, as they look to `Date.parse` alone.
    ["2030 and later", undefined],
    ["6-03-01T00:00:30Z", undefined],
    ["17 apples", undefined],
    ["17x", undefined],
    ["x17", undefined],
    ["-1", undefined],
  ];
  for (const [text, expected] of rows) {
    it(`${text}`, () => assert.equal(retryAfterMs({ "retry-after": text }, now), expected));
  }

  it("goes by the service's clock where that differs", () => {
    const at = (date: string) =>
      retryAfterMs(
        { "retry-after": "Sun, 01 Mar 2026 01:00:30 GMT", date: `Sun, 01 Mar 2026 ${date} GMT` },
        now,
      );
    assert.equal(at("01:00:00"), 30_000);
    assert.equal(at("00:00:01"), 3_629_000, "600 ms ahead");
    assert.equal(at("00:00:00"), 3_629_600, "400 ms behind: the fraction that it has lost");
  });
});

describe("what an answer says about the limit", () => {
  it("is not a quota of nothing, in no time, or in an unknown form", () => {
    for (const policy of [
      '"a";q=0;w=10',
      '"a";q=60;w=0',
      '"a";q=60',
      '"a";w=10',
      '"a";q=60x;w=10',
      '"a";q=60;w=10s',
      '"a";q=sixty;w=10',
      '"a";q=6.5;w=10',
      '"60;w=10"',
      "",
    ]) {
      assert.deepEqual(said({ "ratelimit-policy": policy }), {}, policy);
    }
  });

  it("is a quota with or without a name, also one that holds what parts items", () => {
    for (const policy of ["60;w=10", ' "a" ; q=60 ; w=10 ', '"a;b,c";q=60;w=10', "a;Q=60;W=10;pk=:YQ==:"]) {
      assert.deepEqual(
        said({ "ratelimit-policy": policy }),
        { quotas: [{ limit: 60, windowMs: 10_000 }] },
        policy,
      );
    }
  });

  const seconds = Math.ceil(now / 1000);
  const quotas = [{ limit: 60, windowMs: 10_000 }];
  const draft = { limit: 100, remaining: 50, resetMs: 5000, windowMs: 60_000 };
  const rows: [string, Record<string, string>, Partial<RateHeaders>][] = [
    ["nothing", {}, {}],
    [
      "x-ratelimit, seconds from now",
      { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "3.7", "x-ratelimit-reset": "12" },
      { limit: 60, remaining: 3, resetMs: 12_000 },
    ],
    [
      "nothing left, and a reset that is now",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0" },
      { remaining: 0, resetMs: 0 },
    ],
    ["seconds since 1970, rounded up", { "x-ratelimit-reset": String(seconds + 10) }, { resetMs: 10_600 }],
    ["milliseconds since 1970", { "x-ratelimit-reset": String(now + 9000) }, { resetMs: 9000 }],
    [
      "a date, without its fraction",
      { "x-ratelimit-reset": "Sun, 01 Mar 2026 00:00:10 GMT" },
      { resetMs: 10_600, isResetDate: true },
    ],
    [
      "a date by a clock that is an hour ahead",
      { "x-ratelimit-reset": "Sun, 01 Mar 2026 01:00:10 GMT", date: "Sun, 01 Mar 2026 01:00:00 GMT" },
      { resetMs: 11_000, isResetDate: true },
    ],
    [
      "a reset beyond any window, which counts as the window",
      { "x-ratelimit-reset": "9000" },
      { resetMs: 300_000 },
    ],
    [
      "a reset beyond the window that is named",
      { "ratelimit-policy": "60;w=10", ratelimit: '"a";r=5;t=900' },
      { limit: 60, remaining: 5, resetMs: 10_000, windowMs: 10_000, quotas },
    ],
    ["some of it", { "x-ratelimit-remaining": "3" }, { remaining: 3 }],
    ["a limit of none, which is no limit", { "x-ratelimit-limit": "0" }, {}],
    ["nonsense", { "x-ratelimit-limit": "lots", "x-ratelimit-remaining": "", "x-ratelimit-reset": "-4" }, {}],
    [
      "the standard fields",
      { "ratelimit-policy": '"default";q=60;w=10', ratelimit: '"default";r=5;t=8' },
      { limit: 60, remaining: 5, resetMs: 8000, windowMs: 10_000, quotas },
    ],
    [
      "several policies: all hold, and the tightest is counted down",
      {
        "ratelimit-policy": '"daily";q=10000;w=86400, "bu;r,st";q=20;w=2;pk=:YQ==:',
        ratelimit: '"daily";r=900;t=5000, "bu;r,st";r=4;t=2',
      },
      {
        remaining: 4,
        resetMs: 2000,
        quotas: [
          { limit: 10_000, windowMs: 86_400_000 },
          { limit: 20, windowMs: 2000 },
        ],
      },
    ],
    [
      "the standard fields before x-ratelimit",
      { "ratelimit-policy": '"a";q=60;w=10', ratelimit: '"a";r=5;t=8', "x-ratelimit-limit": "1" },
      { limit: 60, remaining: 5, resetMs: 8000, windowMs: 10_000, quotas },
    ],
    [
      "the policy beside x-ratelimit, which counts down",
      {
        "ratelimit-policy": '"a";q=60;w=10',
        "x-ratelimit-limit": "1200",
        "x-ratelimit-remaining": "7",
        "x-ratelimit-reset": "1.5",
      },
      { limit: 1200, remaining: 7, resetMs: 1500, quotas },
    ],
    [
      "draft 7",
      { "ratelimit-policy": "100;w=60", ratelimit: "limit=100, remaining=50, reset=5" },
      { ...draft, quotas: [{ limit: 100, windowMs: 60_000 }] },
    ],
    [
      "draft 7 with several policies",
      { "ratelimit-policy": "1000;w=3600, 100;w=60", ratelimit: "limit=100, remaining=50, reset=5" },
      {
        ...draft,
        quotas: [
          { limit: 1000, windowMs: 3_600_000 },
          { limit: 100, windowMs: 60_000 },
        ],
      },
    ],
    [
      "draft 6",
      {
        "ratelimit-limit": "100",
        "ratelimit-remaining": "50",
        "ratelimit-reset": "5",
        "ratelimit-policy": "100;w=60",
      },
      { ...draft, quotas: [{ limit: 100, windowMs: 60_000 }] },
    ],
    [
      "draft 3, with the policy behind the limit",
      { "ratelimit-limit": "100, 100;w=60", "ratelimit-remaining": "50", "ratelimit-reset": "5" },
      { ...draft, quotas: [{ limit: 100, windowMs: 60_000 }] },
    ],
  ];
  for (const [name, headers, expected] of rows) {
    it(name, () => assert.deepEqual(said(headers), expected));
  }

  it("reads whatever comes, in no time", async () => {
    const names = ["ratelimit", "ratelimit-policy", "ratelimit-limit", "x-ratelimit-reset", "date"] as const;
    const piece = fc.constantFrom('"', ";", ",", "=", "q", "w", "r", "t", "9", " ", "\\", "limit", "a");
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 3000 }).map((parts) => parts.join("")),
      piece.map((part) => part.repeat(16_000)),
    );
    await check(
      fc.property(fc.constantFrom(...names), text, (name, value) => {
        let read: RateHeaders = {};
        assert.ok(processorTime(() => (read = rateHeaders({ [name]: value }, now))) < 200);
        for (const part of [read.limit, read.remaining, read.resetMs, read.windowMs]) {
          assert.ok(part === undefined || (Number.isFinite(part) && part >= 0));
        }
      }),
    );
  });
});
