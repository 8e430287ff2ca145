import assert from "node:assert/strict";
import fc from "fast-check";
import type { Browser } from "playwright-core";
import { compile, unseenKinds } from "../../csp/src";
import { howMany, seed } from "../support/random-runs";
import { findChromium, INSTALL_HINT, isBrowserRequired, launchChromium } from "./browser/chromium";
import { Judge } from "./browser/judge";
import { explainedAsBlocked, KindJudge, SEEN_KINDS } from "./browser/kinds";
import { type PageCase, pageCase, REQUESTS_A_PAGE } from "./browser/pairs";
import { differences, shrink } from "./browser/shrink";
import { type Site, startSite } from "./browser/site";

const policies = howMany("POLICIES", 6, 15);
const pairs = howMany("PAIRS", 500, 1500);

describe("matches gives the same answer as a real browser", () => {
  let site: Site;
  let browser: Browser | undefined;
  let judge: Judge;

  before(async function () {
    const executable = findChromium();
    if (executable === undefined) {
      if (isBrowserRequired()) throw new Error(`This test needs Chromium. ${INSTALL_HINT}`);
      console.warn(`\n  !! SKIPPED: nothing was compared with a browser, none was found. ${INSTALL_HINT}\n`);
      this.skip();
    }
    site = await startSite();
    browser = await launchChromium(executable, site);
    judge = await Judge.open(browser, site);
  });

  after(async () => {
    await browser?.close();
    await site?.close();
  });

  it("keeps a blocked request away from the server, and lets an allowed one arrive", async () => {
    const verdicts = await judge.judge({
      policy: "script-src b.a.example; connect-src 'self'",
      pageUrl: "http://a.example",
      requests: [
        { kind: "script", url: "http://b.a.example/a.js" },
        { kind: "script", url: "http://other.test/a.js" },
        { kind: "script", url: "data:text/javascript,0" },
        { kind: "connection", url: "http://a.example/api" },
        { kind: "connection", url: "http://other.test/api" },
        { kind: "connection", url: "ws://a.example/socket" },
        { kind: "connection", url: "ws://other.test/socket" },
      ],
    });
    assert.deepEqual(
      verdicts.map(({ isBlocked, hasArrived }) => [isBlocked, hasArrived]),
      [
        [false, true],
        [true, false],
        [true, false],
        [false, true],
        [true, false],
        [false, true],
        [true, false],
      ],
    );
  });

  it("distinguishes a written port from the default port of another scheme", async () => {
    const cases: readonly PageCase[] = [
      {
        policy: "script-src 'self'; connect-src 'self'",
        pageUrl: "http://plain.example:443",
        requests: [
          { kind: "script", url: "https://plain.example/a.js" },
          { kind: "script", url: "http://plain.example:443/a.js" },
          { kind: "script", url: "http://plain.example/a.js" },
          { kind: "connection", url: "wss://plain.example/live" },
          { kind: "connection", url: "ws://plain.example:443/live" },
        ],
      },
      {
        policy: "script-src 'self'",
        pageUrl: "https://tls.example:80",
        requests: [
          { kind: "script", url: "https://tls.example:80/a.js" },
          { kind: "script", url: "https://tls.example/a.js" },
        ],
      },
    ];
    for (const one of cases) assert.deepEqual(await differences(judge, one), []);
    const verdicts = await judge.judge(cases[0] ?? assert.fail());
    assert.deepEqual(
      verdicts.map(({ isBlocked }) => isBlocked),
      [true, false, true, true, false],
    );
  });

  it(`agrees with Chromium on ${pairs} random pairs of policy and request`, async () => {
    console.log(`      SEED=${seed} PAIRS=${pairs}`);
    const cases = fc.sample(pageCase, { seed, numRuns: Math.ceil(pairs / REQUESTS_A_PAGE) });
    // Load the pages of each site one after the other, because the browser starts a process for each change of site.
    cases.sort((one, other) => (one.pageUrl < other.pageUrl ? -1 : 1));
    const counts = { pairs: 0, blocked: 0 };
    for (const one of cases) {
      const [found] = await differences(judge, one);
      if (found !== undefined) {
        const smallest = await shrink(judge, found);
        assert.fail(`SEED=${seed}: the browser and matches disagree:\n${JSON.stringify(smallest, null, 2)}`);
      }
      counts.pairs += one.requests.length;
      counts.blocked += countBlocked(one);
    }
    console.log(`      ${counts.pairs} pairs, ${counts.blocked} of them blocked`);
    // Random policies that allow everything, or nothing, would prove little.
    assert.ok(counts.blocked > counts.pairs / 5 && counts.blocked < (counts.pairs * 9) / 10);
  });

  it(`names and explains exactly the kinds of content that Chromium blocks under ${policies} random policies`, async () => {
    console.log(`      SEED=${seed} POLICIES=${policies}`);
    const kindJudge = await KindJudge.open(browser ?? assert.fail(), site);
    const names = [
      ...[
        "default-src",
        "script-src",
        "style-src",
        "img-src",
        "font-src",
        "media-src",
        "frame-src",
        "child-src",
      ],
      ...[
        "worker-src",
        "object-src",
        "form-action",
        "base-uri",
        "connect-src",
        "script-src-elem",
        "style-src-attr",
      ],
    ];
    const sources = [
      ...["*", "*", "https:", "http:", "data:", "blob:", "data:", "blob:", "*:*", "https://*:*", "https://*"],
      ...[
        "'self'",
        "'none'",
        "cdn.test",
        "'unsafe-inline'",
        "'unsafe-inline'",
        "'unsafe-eval'",
        "'wasm-unsafe-eval'",
      ],
      ...["'strict-dynamic'", "'report-sample'", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"],
      ...["'unsafe-hashes'", "'url-sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"],
    ];
    const directive = fc
      .tuple(fc.constantFrom(...names), fc.uniqueArray(fc.constantFrom(...sources), { maxLength: 8 }))
      .map(([name, values]) => [name, ...values].join(" "));
    const policy = fc.array(directive, { minLength: 1, maxLength: 3 }).map((all) => all.join("; "));
    for (const text of fc.sample(policy, { seed, numRuns: policies })) {
      const expected = unseenKinds(text).filter((kind) => SEEN_KINDS.has(kind));
      const isAll = (kinds: ReadonlySet<string>) => expected.every((kind) => kinds.has(kind));
      const found = await kindJudge.blocked(text, isAll);
      assert.deepEqual([...found].sort(), [...expected].sort(), `SEED=${seed}: ${text}`);
      assert.deepEqual([...explainedAsBlocked(text)].sort(), [...found].sort(), `SEED=${seed}: ${text}`);
    }
  });
});

/** Counts the requests that `matches` blocks. The browser has just confirmed it. */
function countBlocked({ policy, pageUrl, requests }: PageCase): number {
  const compiled = compile(policy);
  return requests.filter((request) => !compiled.allows({ ...request, pageUrl })).length;
}
