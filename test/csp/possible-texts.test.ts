import assert from "node:assert/strict";
import fc from "fast-check";
import { build, lintBy } from "../../csp/src";
import { possibleTexts } from "../../csp/src/expression/possible-texts";
import { holds, source } from "./random";

const names = [
  "script-src",
  "default-src",
  "img-src",
  "base-uri",
  "frame-ancestors",
  "object-src",
  "scrpt-src",
];

/** Findings that hold in all of the texts, as what a person reads. */
function ofAll(texts: readonly string[]): string[] {
  const [first = [], ...others] = texts.map((text) =>
    lintBy(text).map(({ ruleId, message }) => `${ruleId}: ${message}`),
  );
  return first.filter((one) => others.every((found) => found.includes(one)));
}

describe("Texts that a policy of which not all is known may have", () => {
  const later = fc.array(fc.constantFrom(undefined), { minLength: 1, maxLength: 2 });
  const list = fc.array(source, { maxLength: 3 });
  const partly = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(
      list,
      fc.tuple(list, later).map((parts) => parts.flat()),
      fc.constant(undefined),
    ),
    { minKeys: 1, maxKeys: 4 },
  );

  it("report nothing that is not true for the real values", () => {
    holds(
      fc.property(partly, fc.array(source, { minLength: 20, maxLength: 20 }), (policy, sources) => {
        const told = ofAll(possibleTexts(policy));
        const left = [...sources];
        const turnedOut = Object.entries(policy).map(([name, known]): [string, string[]] => [
          name,
          known?.map((one) => one ?? left.pop() ?? "'self'") ?? left.splice(0, 2),
        ]);
        const text = build(Object.fromEntries(turnedOut));
        const found = lintBy(text).map(({ ruleId, message }) => `${ruleId}: ${message}`);
        for (const one of told) assert.ok(found.includes(one), `${one}\nis not reported for ${text}`);
      }),
    );
  });

  const said: readonly [string, Parameters<typeof possibleTexts>[0], readonly string[]][] = [
    ["a known source beside one that is not", { "script-src": ["self", undefined] }, ["unquoted-keyword"]],
    [
      "a directive of which nothing is known but its name",
      { "script-src": ["'self'"], imgsrc: undefined },
      ["unknown-directive"],
    ],
    [
      "a value that may be any, where there can be none",
      { "script-src": ["'self'"], "upgrade-insecure-requests": [undefined] },
      ["value-not-allowed"],
    ],
    [
      "a list that may be empty, where there can be no value",
      { "script-src": ["'self'"], "upgrade-insecure-requests": undefined },
      [],
    ],
    ["a source that some others make void", { "script-src": ["'unsafe-inline'", undefined] }, []],
    ["'none', which may stay alone", { "script-src": ["'none'", undefined] }, []],
  ];
  for (const [what, policy, rules] of said) {
    it(`report for ${what}: ${rules.join() || "nothing"}`, () => {
      assert.deepEqual(
        ofAll(possibleTexts(policy)).map((one) => one.split(":")[0]),
        rules,
      );
    });
  }
});
