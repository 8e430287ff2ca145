import assert from "node:assert/strict";
import { TextEnds } from "../../csp/src/expression/host-set";
import { HostIndex, type Origins, type Written } from "../../csp/src/match/host-index";

const source = (host: string, rest: Partial<Written> = {}): Written => ({
  kind: "host",
  text: host,
  isWildcard: false,
  host,
  ...rest,
});
/** Behind so many, those of other hosts, and of other paths of one host, are no longer compared one by one. */
const others = Array.from({ length: 8 }, (_, index) => source(`other-${index}`));
/** The places of the sources that are found, the same ones however many others there are. */
const found = (
  sources: readonly Written[],
  host: string,
  path = "/",
  { schemes = [undefined], ports = [undefined] }: Partial<Origins> = {},
) => {
  const ofOrigin = ({ scheme, port }: Written) => schemes.includes(scheme) && ports.includes(port);
  const beside = sources.flatMap(({ host: name, isWildcard }) =>
    others.map(({ host: path }) => source(name, { isWildcard, path: `/${path}` })),
  );
  const [few, many, manyOfHost] = [sources, [...others, ...sources], [...others, ...beside, ...sources]].map(
    (all) => {
      const index = new HostIndex();
      for (const one of all) index.add(one);
      const tested: number[] = [];
      index.some(
        host,
        path,
        () => ({ schemes, ports }),
        (one) => {
          if (ofOrigin(one)) tested.push(sources.indexOf(one));
          return false;
        },
      );
      return tested.sort();
    },
  );
  assert.deepEqual(few, many);
  assert.deepEqual(few, manyOfHost);
  return few ?? [];
};
const long = (length: number) => "a".repeat(length);

describe("HostIndex", () => {
  it("finds the host itself, and wildcards above it, each label of them", () => {
    const wildcard = { isWildcard: true };
    const sources = [
      source("a.b.example"),
      ...["a.b.example", "b.example", "example", ""].map((host) => source(host, wildcard)),
    ];
    assert.deepEqual(found(sources, "a.b.example"), [0, 2, 3, 4]);
    assert.deepEqual(found(sources, "example"), [4]);
    assert.deepEqual(found(sources, "x.a.b.example"), [1, 2, 3, 4]);
    assert.deepEqual(found(sources, "ab.example"), [3, 4]);
  });

  it("finds wildcards longer than a name may be, by their dot", () => {
    const wide = source(long(256), { isWildcard: true });
    assert.deepEqual(found([wide], `x.${long(256)}`), [0]);
    assert.deepEqual(found([wide], `x${long(256)}`), []);
    assert.deepEqual(found([wide], long(256)), []);
    const just = source(long(255), { isWildcard: true });
    assert.deepEqual(found([just], `x.${long(255)}`), [0]);
    assert.deepEqual(found([just], `y.x.${long(255)}`), [0]);
  });

  it("finds no host by a dot at the end", () => {
    assert.deepEqual(found([source("", { isWildcard: true })], "example."), [0], "that is *, and once");
  });

  const paths: readonly [string, string, boolean][] = [
    ["", "/a/b", true],
    ["/a/", "/a/b", true],
    ["/a/", "/a/b/c/d", true],
    ["/a/", "/a/", true],
    ["/", "/a", true],
    ["/a", "/a", true],
    ["/a", "/a/", false],
    ["/a", "/a/b", false],
    ["/a/", "/a", false],
    ["/b/", "/a/b/", false],
    ["/a/b", "/a/", false],
  ];
  for (const [prefix, path, isFound] of paths) {
    it(`${isFound ? "finds" : "does not find"} ${path} by ${prefix || "a source without a path"}`, () => {
      const sources = [source("h", prefix === "" ? {} : { path: prefix })];
      assert.equal(found(sources, "h", path).length, isFound ? 1 : 0);
      // Behind a folder so long that folders are no longer looked up one by one.
      const far = `/${long(4096)}`;
      const farSources = [source("h", prefix === "" ? {} : { path: far + prefix })];
      assert.equal(found(farSources, "h", far + path).length, isFound ? 1 : 0);
    });
  }

  it("finds each of several paths, and a path beside none", () => {
    const sources = [source("h"), source("h", { path: "/a/" }), source("h", { path: "/a/b" })];
    assert.deepEqual(found(sources, "h", "/a/b"), [0, 1, 2]);
    assert.deepEqual(found(sources.slice(1), "h", "/a/b"), [0, 1]);
    assert.deepEqual(found(sources, "h", "/x"), [0]);
    assert.deepEqual(found(sources, "h", ""), [0]);
  });

  it("finds by the requested scheme and port", () => {
    const sources = [
      source("h", { scheme: "https" }),
      source("h", { port: 8080 }),
      source("h", { port: "*" }),
      source("h", { scheme: "https", port: 8080 }),
    ];
    assert.deepEqual(found(sources, "h"), []);
    assert.deepEqual(found(sources, "h", "/", { schemes: ["https"] }), [0]);
    assert.deepEqual(found(sources, "h", "/", { schemes: ["http"] }), []);
    assert.deepEqual(found(sources, "h", "/", { ports: [8080, "*"] }), [1, 2]);
    assert.deepEqual(found(sources, "h", "/", { schemes: ["https", undefined], ports: [8080] }), [1, 3]);
  });
});

describe("TextEnds", () => {
  const cases: readonly [readonly string[], string, boolean][] = [
    [[".b.example"], "a.b.example", true],
    [[".b.example"], "b.example", false],
    [[".b.example", "example"], "x.example", true],
    [["example", ".b.example"], "b.example", true],
    [["aa", "ba", "ca"], "xba", true],
    [["aa", "ba", "ca"], "xda", false],
    [["aa", "ca"], "xba", false],
    [["abc"], "bc", false],
    [["abc"], "abc", true],
    [[], "a", false],
    [[""], "a", true],
    [[""], "", true],
  ];
  for (const [ends, text, expected] of cases) {
    it(`${JSON.stringify(text)} ${expected ? "has" : "has not"} one of ${JSON.stringify(ends)}`, () => {
      assert.equal(new TextEnds(ends).areOf(text), expected);
    });
  }
});
