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
import { words } from "./random";

const policies = howMany("POLICIES", 6, 15);
const pairs = howMany("PAIRS", 500, 1500);
const HASH = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
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

  for (const [pageUrl, policy, table] of [
    [
      "http://a.example",
      "script-src b.a.example; connect-src 'self'",
      `allows script http://b.a.example/a.js
      blocks script http://other.test/a.js
      blocks script data:text/javascript,0
      allows connection http://a.example/api
      blocks connection http://other.test/api
      allows connection ws://a.example/socket
      blocks connection ws://other.test/socket`,
    ],
    // A written port is not the default port of another scheme.
    [
      "http://plain.example:443",
      "script-src 'self'; connect-src 'self'",
      `blocks script https://plain.example/a.js
      allows script http://plain.example:443/a.js
      blocks script http://plain.example/a.js
      blocks connection wss://plain.example/live
      allows connection ws://plain.example:443/live`,
    ],
    [
      "https://tls.example:80",
      "script-src 'self'",
      `allows script https://tls.example:80/a.js
      blocks script https://tls.example/a.js`,
    ],
  ] as const)
    it(`keeps what ${policy} blocks on ${pageUrl} away from the server, and lets the rest arrive`, async () => {
      const rows = table.split("\n").map(words);
      const requests = rows.map(([, kind, url = ""]) => ({
        kind: kind === "script" ? ("script" as const) : ("connection" as const),
        url,
      }));
      const verdicts = await judge.judge({ policy, pageUrl, requests });
      assert.deepEqual(
        verdicts.map(({ isBlocked, hasArrived }) => [isBlocked, hasArrived]),
        rows.map(([verdict]) => [verdict === "blocks", verdict === "allows"]),
      );
      assert.deepEqual(await differences(judge, { policy, pageUrl, requests }), []);
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
    const names = words(
      `default-src script-src style-src img-src font-src media-src frame-src child-src worker-src object-src
      form-action base-uri connect-src script-src-elem style-src-attr`,
    );
    const sources = words(
      `* * https: http: data: blob: data: blob: *:* https://*:* https://* 'self' 'none' cdn.test
      'unsafe-inline' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' 'strict-dynamic' 'report-sample'
      'sha256-${HASH}' 'unsafe-hashes' 'url-sha256-${HASH}'`,
    );
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
