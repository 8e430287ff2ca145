import assert from "node:assert/strict";
import { wrongInputs } from "../../../../provider/src/lifecycle/wrong-inputs";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { cspPolicy } from "../../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../../provider/src/resources/csp-policy-set/lifecycle";
import { each } from "../../../support/each";
import type { Properties } from "../../small-engine/checkpoint";
import { policy, useStories } from "../../small-engine/zones";
import { inspected } from "../support/asked-kind";

/** Returns `warning (rule, severity)` for each finding about the text. */
function found(args: Properties): string[] {
  return inspected(cspPolicy, policy(args)).map(({ severity, code, message }) => {
    const [, ofRule = message] = /\((\w+)\)$/.exec(message) ?? [];
    const rule = code.replace("csp-lint-", "");
    assert.ok(!message.includes(rule), "the code at the end of the line is the rule's name");
    return `${severity} (${rule}, ${ofRule})`;
  });
}

describe("CspPolicy: findings about its text", () => {
  const begin = useStories(cspPolicy);
  /** A text with an unquoted keyword, which browsers ignore, and a text with a source that allows everything. */
  const syntax = { value: "script-src self; object-src 'none'; base-uri 'self'" };
  const danger = { value: "script-src 'unsafe-inline' *; object-src 'none'; base-uri 'self'" };

  it("given a fault, when it is reported, then the finding gives its place in the text, counted from one", () => {
    const [finding] = inspected(cspPolicy, policy(syntax));
    assert.equal(finding?.place, "character 12 of the text");
  });

  it("given lint off, when the text is dangerous, then nothing is reported; when its syntax is wrong, then that is", () => {
    assert.deepEqual(found({ ...danger, lint: "off" }), []);
    assert.notDeepEqual(found({ ...syntax, lint: "off" }), []);
  });

  it("given an unknown rule name in lint.off, then that is an error, with the nearest name and its place", () => {
    for (const wanted of ["all", "errors"] as const) {
      const lint = { level: "warn", off: ["http-source", { rule: "security-unsave-inline" }] };
      const { message = "", ...finding } = inspected(cspPolicy, policy({ ...syntax, lint }), wanted)[0] ?? {};
      assert.deepEqual(Object.values(finding), ["error", "csp-no-such-lint-rule", "lint.off[1]"]);
      assert.match(message, /Did you mean "security-unsafe-inline"\?/);
    }
    const long = policy({ ...syntax, lint: { off: [`${"x".repeat(58)}😀${"y".repeat(9)}`] } });
    assert.match(inspected(cspPolicy, long)[0]?.message ?? "", /the name "x{58}…"\./);
  });

  it("given an expression that cannot be parsed, when it is checked, then it is refused with its place, whatever lint says", () => {
    const of = (expression: unknown, wanted: "all" | "errors" = "all") =>
      inspected(cspPolicy, policy({ expression, lint: "off" }), wanted);
    const told = (expression: unknown) =>
      of(expression).map(({ message: _, ...finding }) => Object.values(finding).join());
    assert.deepEqual(told("http.host = x"), ["error,expression-unreadable,expression,character 11"]);
    assert.match(of("http.host = x", "errors")[0]?.message ?? "", / = at character 11 .* eq or ==/);
    assert.deepEqual([told("http.host eq x"), told(unknownValue)], [[], []]);
    const impossible = "warning,expression-impossible-host,expression,character 14";
    assert.deepEqual(told('http.host eq "Shop.example"'), [impossible]);
    const set = { policies: { "a b": { ...policy(), expression: "(ssl" } } };
    const [{ code, property } = assert.fail(), ...others] = inspected(cspPolicySet, set);
    const place = 'policies["a b"].expression';
    assert.deepEqual([code, property, others], ["expression-unreadable", place, []]);
  });

  it("given a malformed lint, when it is checked, then it is refused with the expected form", () => {
    const lists = [{ off: "http-source" }, { off: [null] }, { off: [{ name: "http-source" }] }];
    for (const lint of ["loud", 7, { level: "loud" }, { levels: "warn" }, ...lists]) {
      const found = wrongInputs(cspPolicy.shape, policy({ lint })).map(({ finding }) => finding);
      assert.deepEqual(each(found, "property"), ["lint"]);
      assert.match(found[0]?.message ?? "", /^expected "warn", "error", "off" or \{ level: "error", off: \[/);
    }
  });

  it("given a lint with rules switched off, when it is applied, refreshed and applied again, then nothing changes", async () => {
    const { sim, engine } = await begin();
    const csp = policy({ lint: { level: "warn", off: [{ rule: "http-source", reason: "old shop" }] } });
    await engine.up({ csp });
    await engine.refresh();
    sim.journal.clear();
    await engine.up({ csp });
    assert.deepEqual(sim.changing(), []);
  });

  it("given directives with an unknown source, when they are checked, then only findings that hold for any source are reported", () => {
    const late = (directives: object, more: Properties = {}) => found({ directives, ...more });
    const base = { "base-uri": ["'self'"] };
    const typo = { ...base, "script-src": ["'self'", unknownValue], imgsrc: ["'self'"] };
    assert.deepEqual(late(typo), ["error (unknown-directive, high)"]);
    const unquoted = { ...base, "script-src": ["self", unknownValue] };
    assert.deepEqual(late(unquoted), ["warning (unquoted-keyword, high)"]);
    // The unknown source may be a hash, which disables 'unsafe-inline', or another source that disables 'none'.
    assert.deepEqual(late({ ...base, "script-src": ["'unsafe-inline'", unknownValue] }), []);
    assert.deepEqual(late({ ...base, "script-src": ["'self'"], "img-src": ["'none'", unknownValue] }), []);
    assert.match(late({ "script-src": [unknownValue, "a;b"] }).join(), /^error \(csp-not-writable/);
    const notWritable = policy({ directives: { "script-src": ["'self'; object-src"] } });
    assert.deepEqual(each(inspected(cspPolicy, notWritable), "property"), ["directives"]);
    assert.deepEqual(found({ directives: unknownValue }), []);
    assert.deepEqual(late(typo, { lint: unknownValue }), []);
    const inBoth = [undefined, "errors" as const].map((wanted) =>
      inspected(cspPolicy, policy({ directives: typo }), wanted),
    );
    const places = inBoth.map((findings) => findings.map(({ place }) => place));
    assert.deepEqual(places, [[undefined], [undefined]], "the text does not exist yet");
  });

  it("given a lint error that only the provider sees, when it is previewed, then it fails before any request", async () => {
    const { sim, engine } = await begin();
    const told = await engine.previewFails({ csp: policy({ ...danger, lint: "error" }) });
    assert.match(told, /^value: .*high\)/);
    assert.equal(sim.journal.length, 0);
  });

  it("given neither or both of value and directives, when they are checked, then that is the only finding", () => {
    const { value: _, ...neither } = policy();
    const both = { ...policy(), directives: { "script-src": ["'self'"] } };
    for (const [inputs, expected] of [
      [neither, /neither value nor directives/],
      [both, /both value and directives/],
    ] as const)
      assert.match(
        inspected(cspPolicy, inputs)
          .map(({ message }) => message)
          .join("\n"),
        expected,
      );
  });
});
