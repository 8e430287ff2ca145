import assert from "node:assert/strict";
import fc from "fast-check";
import {
  build,
  compile,
  equalPolicies,
  hostsOf,
  impact,
  impossibleHosts,
  lint,
  normaliseExpression,
  onlyAllowsMore,
  parse,
  suggest,
  unseenKinds,
} from "../../csp/src";
import { CspError } from "../../csp/src/syntax/build";
import { processorTime } from "../provider/virtual-time/processor-time";
import { assertLinear } from "./growth";
import { connection, script } from "./items";
import { holds, hostileText } from "./random";

describe("hostile texts", () => {
  it("crash no function", () => {
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

  it("change no object except the results", () => {
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

  it("in one directive do not change the findings of lint about another", () => {
    holds(
      fc.property(
        hostileText.filter((text) => !/[;,]/.test(text)),
        (text) => {
          const found = lint(`font-src ${text}; script-src self`);
          const others = found.filter(({ directive }) => directive === "script-src");
          assert.ok(others.some(({ ruleId }) => ruleId === "unquoted-keyword"));
        },
      ),
    );
  });

  // Each text grows with its argument. Twice the length may take twice the time, but not four times.
  const grown: readonly [string, (size: number) => string][] = [
    ["white space inside", (size) => `script-src a${" ".repeat(size)}b`],
    ["semicolons", (size) => ";".repeat(size)],
    ["directives", (size) => numbered(size / 10, (at) => `d${at} a`).join(";")],
    ["duplicates", (size) => "img-src a;".repeat(size / 10)],
    ["sources", (size) => list(numbered(size / 12, (at) => `h${at}.example`))],
    ["paths of one host", (size) => list(numbered(size / 12, (at) => `a.b/${at}`))],
    ["one source", (size) => `script-src ${"a.b ".repeat(size / 4)}`],
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
      const work = (size: number) => {
        const text = make(size);
        lint(text);
        const compiled = compile(text);
        for (let at = 0; at < 50; at++)
          compiled.allows({ kind: "script", url: `https://h${at}.example/${at}`, pageUrl: "https://a.b/" });
        equalPolicies(text, `${text} x`);
      };
      assertLinear(work, { small: 5_000, factor: 16, tolerated: 6 });
    });
  }

  it("take linear time as URLs, by their length and by the number of items", () => {
    const compiled = compile("script-src *.example.com a.example/js/ *.test 'self'");
    for (const url of [`https://${"a.".repeat(50_000)}test/`, `https://a.example/${"/".repeat(100_000)}`]) {
      const request = { kind: "script", url, pageUrl: "https://a.example" } as const;
      assert.ok(processorTime(() => compiled.allows(request)) < 5000);
    }
    const items = (count: number) =>
      numbered(count, (index) => script({ url: `https://h${index % 500}.example/p/${index}.js` }));
    const use = (count: number) => {
      const { value } = suggest(items(count), [], { granularity: "url" });
      const seen = items(count).map((item) => ({ kind: "script" as const, item }));
      assert.equal(impact(value, seen, { hosts: hostsOf("true") }).blockedCount, 0);
    };
    assertLinear(use, { small: 1000, factor: 16, tolerated: 6 });
  });

  it("take linear time as expressions", () => {
    const repeated = ['"', "(", "r###", "a ", "{", 'http.host eq "a" or '];
    for (const text of repeated.map((part) => part.repeat(200_001 / part.length)))
      assert.ok(processorTime(() => [hostsOf(text), normaliseExpression(text)]) < 5000, text.slice(0, 10));
  });

  // Each named host is evaluated, within the 4,096 characters that the service accepts.
  const expressions: readonly [string, (size: number) => string][] = [
    ["hosts joined by or", (size) => tests(size).join(" or ")],
    ["hosts joined by xor", (size) => tests(size).join(" xor ")],
    ["ends joined by or", (size) => ends(size).join(" or ")],
    ["hosts within hosts", (size) => `${set(size)} and ${set(size)}`],
    ["hosts within ends", (size) => `${set(size)} and (${ends(size).join(" or ")})`],
    ["ends within ends", (size) => `(${ends(size).join(" or ")}) and (${ends(size).join(" or ")})`],
    ["a large set and many small ones", (size) => [set(size), ...ends(size)].join(" and ")],
    ["the shortest names", (size) => `http.host in {${"a ".repeat(size * 20)}b}`],
    ["different short names", (size) => `http.host in {${names(size * 4, "").join(" ")}}`],
    [
      "a set that each test adds to",
      (size) =>
        names(size)
          .map((name) => `(ends_with(http.host, "e") or http.host eq ${name})`)
          .join(" and "),
    ],
  ];
  for (const [what, make] of expressions) {
    it(`take linear time as expressions: ${what}`, () => {
      assertLinear((size) => hostsOf(make(size)), { small: 250, factor: 32, tolerated: 8 });
      const sizes = numbered(250, make).filter((text) => text.length <= 4096);
      const longest = sizes.at(-1) ?? "";
      assert.ok(longest.length > 3500, `${longest.length}`);
      assert.ok(processorTime(() => [hostsOf(longest), impossibleHosts(longest)]) < 1000);
    });
  }

  function numbered<Item>(size: number, make: (index: number) => Item): Item[] {
    return Array.from({ length: size }, (_, index) => make(index));
  }
  /** Returns names with different endings, so that no index helps by chance. */
  const names = (size: number, end = "example") => numbered(size, (index) => `h${index}.${end}`);
  const tests = (size: number) => names(size).map((name) => `http.host eq "${name}"`);
  const ends = (size: number) => names(size).map((name) => `ends_with(http.host, ".${name}")`);
  const set = (size: number) => `http.host in {${names(size).join(" ")}}`;
  const list = (sources: readonly string[]) => `script-src ${sources.join(" ")}`;
  const seenScripts = (size: number) =>
    names(size).map((host) => script({ url: `https://${host}/a.js`, host }));
  /** Finds out what a policy would block on these hosts. */
  const impactOn = (size: number, hosts: readonly string[]) =>
    impact(
      "script-src 'none'",
      seenScripts(size).map((item) => ({ kind: "script", item })),
      { hosts: hostsOf(hosts.join(" or ")) },
    );

  // Work that was quadratic, or could be. Each grows by 32, so quadratic work would grow by 1,024.
  const squares: readonly [string, (size: number) => unknown][] = [
    ["items on many selected hosts", (size) => impactOn(size, tests(100))],
    ["items below many selected ends", (size) => impactOn(size, ends(100))],
    ["many first parties", (size) => suggest(seenScripts(size), [], { firstParty: names(size, "test") })],
    [
      "good and malicious items in one folder",
      (size) => {
        const at = (name: string, score: number) =>
          script({ url: `https://cdn.example/x/${name}.js`, jsIntegrityScore: score });
        const scripts = [
          ...names(size).map((name) => at(name, 90)),
          ...names(size, "bad").map((name) => at(name, 1)),
        ];
        const { excluded } = suggest(scripts, []);
        assert.ok(excluded.every(({ allowedBy }) => allowedBy === undefined));
      },
    ],
    [
      "a malicious item among many URLs",
      (size) => {
        const seenOnce = (name: string, score: number) =>
          script({ url: `https://cdn.example/x.js?${name}`, jsIntegrityScore: score });
        const scripts = names(size).flatMap((name) => [seenOnce(name, 90), seenOnce(name, 1)]);
        suggest(scripts, []);
      },
    ],
    [
      "hosts that are known to bypass policies",
      (size) => {
        const known = names(size, "googleapis.com").map((name) => `https://${name.slice(2)}`);
        lint(list([...known, ...names(size).map((_, port) => `ajax.googleapis.com/${port}`)]));
      },
    ],
    ["sources on other hosts", (size) => onlyAllowsMore(list(names(size)), list(names(size, "test")))],
    [
      "sources with other paths",
      (size) => {
        const at = (end: string) => list(names(size).map((name) => `a.example/${name}/${end}`));
        onlyAllowsMore(at("x"), at(""));
      },
    ],
    [
      "schemes",
      (size) => {
        const all = (letter: string) => list(numbered(size, (index) => `${letter}${index}:`));
        onlyAllowsMore(all("s"), all("t"));
      },
    ],
    ["invalid sources", (size) => lint(list(names(size).map((name) => `a_${name}`)))],
    ["invalid keywords", (size) => lint(list(numbered(size, (index) => `'unsafe-inlin${index}'`)))],
    ["unknown directives", (size) => lint(numbered(size, (index) => `img-sr${index} a`).join(";"))],
    ["policies", (size) => unseenKinds(numbered(size, (index) => `img-src h${index}.example`).join(","))],
  ];
  for (const [what, work] of squares) {
    it(`do not take quadratic time in large numbers: ${what}`, () => {
      assertLinear(work, { small: 250, factor: 32, tolerated: 8 });
    });
  }

  const wideZones: readonly [string, (index: number) => string][] = [
    ["two hosts of a domain", (i) => `https://${i % 2 ? "a" : "b"}.vendor${i >> 1}.com/v${i % 7}/${i}.js`],
    ["ports of one host", (i) => `https://cdn.example:${1000 + i}/a.js`],
    ["numbered folders of one host", (i) => `https://cdn.example/lib/${i}/a.js`],
  ];
  for (const [what, url] of wideZones) {
    it(`take linear time in a suggestion of each kind: ${what}`, () => {
      const work = (size: number) => {
        const items = Array.from({ length: size }, (_, index) => script({ url: url(index) }));
        for (const granularity of ["host", "path", "url"] as const) suggest(items, [], { granularity });
      };
      assertLinear(work, { small: 2_500, factor: 8, tolerated: 2.5 });
    });
  }
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
