import assert from "node:assert/strict";
import fc from "fast-check";
import {
  build,
  compile,
  equalPolicies,
  hostsOf,
  impact,
  lint,
  normaliseExpression,
  onlyAllowsMore,
  parse,
  suggest,
} from "../../provider/src/csp/index";
import { CspError } from "../../provider/src/errors/csp-error";
import { connection, script } from "./items";
import { holds, hostileText } from "./random";

describe("hostile texts", function () {
  this.timeout(60_000);

  it("crash nothing, whatever they are used as", () => {
    holds(
      fc.property(hostileText, hostileText, hostileText, (text, other, third) => {
        lint(text);
        assert.ok(canBuild(text) || text.includes(","), "only a comma can be read and not be written");
        equalPolicies(text, other);
        onlyAllowsMore(text, other);
        const request = { url: other, pageUrl: third };
        for (const kind of ["script", "connection"] as const) compile(text).allows({ kind, ...request });
        const items = [
          { kind: "script" as const, item: script({ url: other, firstPageUrl: third, host: text }) },
        ];
        impact(text, items, { hosts: hostsOf(third) });
        suggest([items[0]?.item ?? script({ url: "" })], [connection({ url: third })]);
      }),
      2000,
    );
  });

  it("change no object but their own results", () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    for (const name of ["__proto__", "constructor", "prototype"]) {
      const text = `${name} 'unsafe-inline' *; script-src ${name} '${name}'`;
      lint(text);
      onlyAllowsMore(text, `${text} a`);
      compile(text).allows({ kind: "script", url: `https://${name}/`, pageUrl: `https://${name}/` });
      suggest([script({ url: `https://${name}/`, host: name })], []);
    }
    assert.deepEqual(Object.getOwnPropertyNames(Object.prototype).sort(), before);
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  });

  it("of one directive do not change what lint finds of another", () => {
    holds(
      fc.property(
        hostileText.filter((text) => !/[;,]/.test(text)),
        (text) => {
          const found = lint(`font-src ${text}; script-src self`).filter(
            ({ directive }) => directive === "script-src",
          );
          assert.ok(found.some(({ ruleId }) => ruleId === "unquoted-keyword"));
        },
      ),
    );
  });

  // Each grows with its argument; twice the length may take twice the time, and never its square.
  const grown: readonly [string, (size: number) => string][] = [
    ["white space inside", (size) => `script-src a${" ".repeat(size)}b`],
    ["semicolons", (size) => ";".repeat(size)],
    ["directives", (size) => Array.from({ length: size / 10 }, (_, index) => `d${index} a`).join(";")],
    ["duplicates", (size) => "img-src a;".repeat(size / 10)],
    [
      "sources",
      (size) => `script-src ${Array.from({ length: size / 12 }, (_, i) => `h${i}.example`).join(" ")}`,
    ],
    [
      "paths of one host",
      (size) => `script-src ${Array.from({ length: size / 12 }, (_, i) => `a.b/${i}`).join(" ")}`,
    ],
    ["quotes", (size) => `script-src a${"'".repeat(size)}b`],
    ["typographic quotes", (size) => `script-src “${"’".repeat(size)}b`],
    ["one long word", (size) => `script-src ${"a".repeat(size)}`],
    ["dots", (size) => `script-src ${"a.".repeat(size / 2)}b`],
    ["slashes", (size) => `script-src a${"/".repeat(size)}`],
    ["escapes", (size) => `script-src a/${"%e0%80".repeat(size / 6)}`],
    ["non-ASCII", (size) => `script-src ${"ü".repeat(size)}`],
    ["commas", (size) => `script-src a${",".repeat(size)}`],
    ["a bad name", (size) => `${"_".repeat(size)} a`],
    ["keywords", (size) => "script-src 'self' ".repeat(size / 18)],
  ];
  for (const [what, make] of grown) {
    it(`take linear time: ${what}`, () => {
      const small = 5_000;
      const factor = 16;
      const use = (text: string) => {
        lint(text);
        const compiled = compile(text);
        for (let index = 0; index < 50; index++) {
          compiled.allows({
            kind: "script",
            url: `https://h${index}.example/${index}`,
            pageUrl: "https://a.b/",
          });
        }
        equalPolicies(text, `${text} x`);
      };
      const texts = [make(small), make(small * factor)] as const;
      use(texts[0]);
      // The square would be 256 times; the floor keeps the clock's own noise out.
      const ratio =
        Math.max(
          5,
          timeOf(() => use(texts[1])),
        ) /
        Math.max(
          5,
          timeOf(() => use(texts[0])),
        );
      assert.ok(ratio < factor * 6, `${factor} times the text took ${ratio.toFixed(0)} times as long`);
    });
  }

  it("take linear time as URLs, in the length and in the number of items", () => {
    const policy = "script-src *.example.com a.example/js/ *.test 'self'";
    for (const url of [`https://${"a.".repeat(50_000)}test/`, `https://a.example/${"/".repeat(100_000)}`]) {
      assert.ok(
        timeOf(() => compile(policy).allows({ kind: "script", url, pageUrl: "https://a.example" })) < 5000,
      );
    }
    const items = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        script({ url: `https://h${index % 500}.example/p/${index}.js` }),
      );
    const use = (count: number) => {
      const { value } = suggest(items(count), [], { granularity: "url" });
      const seen = items(count).map((item) => ({ kind: "script" as const, item }));
      assert.equal(impact(value, seen, { hosts: hostsOf("true") }).blockedCount, 0);
    };
    use(1000);
    const ratio =
      Math.max(
        5,
        timeOf(() => use(16_000)),
      ) /
      Math.max(
        5,
        timeOf(() => use(1000)),
      );
    assert.ok(ratio < 16 * 6, `16 times the items took ${ratio.toFixed(0)} times as long`);
  });

  it("take linear time as expressions", () => {
    const texts = [
      '"'.repeat(200_001),
      "(".repeat(200_000),
      "r###".repeat(50_000),
      "a ".repeat(100_000),
      "{".repeat(200_000),
    ];
    for (const text of [...texts, 'http.host eq "a" or '.repeat(10_000)]) {
      assert.ok(timeOf(() => [hostsOf(text), normaliseExpression(text)]) < 5000, text.slice(0, 10));
    }
  });
});

function canBuild(text: string): boolean {
  try {
    build(parse(text));
    return true;
  } catch (error) {
    assert.ok(error instanceof CspError);
    return false;
  }
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
