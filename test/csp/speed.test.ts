import assert from "node:assert/strict";
import { compile, lint, matches, suggest } from "../../provider/src/csp/index";
import { processorTime } from "../virtual-time/processor-time";

const SOURCES =
  "'self' https://cdn.example https://www.tags.example js.pay.example *.shop.example https://static.example/lib/ b.example c.example";
const SMALL = `script-src ${SOURCES}; connect-src 'self' api.example/v1/; object-src 'none'; base-uri 'self'`;
const MANY = `script-src ${Array.from({ length: 300 }, (_, index) => `*.h${index}.example/lib/`).join(" ")}`;
const requests = Array.from({ length: 1000 }, (_, index) => ({
  kind: "script" as const,
  url: `https://${["cdn.example", "a.shop.example", "static.example", "nowhere.example", "a.h9.example"][index % 5]}/lib/${index}.js?v=1`,
  pageUrl: "https://www.shop.example/cart",
}));

const at = (index: number) => requests[index] ?? assert.fail();

function compiled(policy: string): (index: number) => boolean {
  const { allows } = compile(policy);
  return (index) => allows(at(index));
}

/** The least of several runs: what else the process does only adds. */
function leastTime(work: () => void, runs = 15): number {
  return Math.min(...Array.from({ length: runs }, () => processorTime(work)));
}

// What a machine takes to read a URL is the measure: twice as slow a one takes twice as long for both.
describe("Speed, beside reading the URLs of the requests with URL", function () {
  this.timeout(60_000);
  let reading: number;

  before(() => {
    reading = leastTime(() => {
      for (const { url, pageUrl } of requests) new URL(url, pageUrl);
    });
  });

  const cases: readonly (readonly [what: string, most: number, prepare: () => (index: number) => boolean])[] =
    [
      ["a compiled policy of a few sources", 2, () => compiled(SMALL)],
      ["a compiled policy of 300 sources", 2, () => compiled(MANY)],
      [
        "the text of one policy, for one request after the other",
        2,
        () => (index) => matches(SMALL, at(index)),
      ],
      [
        "the texts of ten policies in turn",
        3,
        () => {
          const texts = Array.from({ length: 10 }, (_, index) => `${SMALL}; img-src i${index}.example`);
          return (index) => matches(texts[index % texts.length] ?? "", at(index));
        },
      ],
      [
        "a text that is another one for each request",
        30,
        () => {
          const texts = requests.map((_, index) => `${SMALL}; img-src i${index}.example`);
          return (index) => matches(texts[index] ?? "", at(index));
        },
      ],
    ];
  for (const [what, most, prepare] of cases) {
    it(`${what} takes at most ${most} times as long`, () => {
      const isAllowed = prepare();
      let allowed = 0;
      const time = leastTime(() => {
        for (const index of requests.keys()) allowed += Number(isAllowed(index));
      });
      const ratio = time / reading;
      assert.notEqual(allowed, 0);
      assert.ok(ratio <= most, `it took ${ratio.toFixed(1)} times as long`);
    });
  }

  it("suggest of 10,000 items takes at most as long as 45 URLs do for each item", () => {
    const items = (kind: string, hosts: number) =>
      Array.from({ length: 5000 }, (_, index) => ({
        id: `${kind}${index}`,
        url: `https://${kind}${index % hosts}.example.net/lib/v${index % 7}/${index}.js?x=1`,
        host: "shop.example.com",
        firstPageUrl: `https://shop.example.com/page-${index % 50}`,
        status: "active" as const,
        jsIntegrityScore: index % 500 === 0 ? 10 : 90,
      }));
    const [scripts, connections] = [items("s", 300), items("c", 120)];
    let value = "";
    const time = leastTime(() => {
      value = suggest(scripts, connections).value;
    });
    const ratio = time / (reading * 10);
    assert.ok(ratio <= 45, `it took ${ratio.toFixed(1)} times as long as their URLs`);
    assert.notEqual(value, "");
  });

  // On a machine that reads a URL in a third of a microsecond, a second for a megabyte.
  for (const [what, source] of [
    ["hosts", (index: number) => `h${index}.example`],
    ["paths", (index: number) => `https://cdn-${index}.example/lib/`],
    ["one host again and again", () => "h.example"],
  ] as const) {
    it(`lint of a megabyte of ${what} takes at most as long as 3000 URLs do for each kilobyte`, () => {
      const sources: string[] = [];
      for (let length = 0, index = 0; length < 1_000_000; index++) {
        const next = source(index);
        sources.push(next);
        length += next.length + 1;
      }
      const text = `script-src ${sources.join(" ")}`;
      let found = 0;
      const time = leastTime(() => {
        found = lint(text).length;
      }, 4);
      const ratio = time / (reading * 1000);
      assert.ok(ratio <= 3, `it took ${ratio.toFixed(2)} times as long as 1000 URLs for each kilobyte`);
      assert.notEqual(found, 0);
    });
  }
});
