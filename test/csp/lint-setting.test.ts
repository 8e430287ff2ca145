import assert from "node:assert/strict";
import { lintBy, unknownRules } from "../../csp/src/lint/lint";

/** Policy with findings of different severity, with and without syntax faults. */
const POLICY = "script-src 'unsafe-inline' self; img-src a/b?c; font-src";
const told = (...[text, setting]: Parameters<typeof lintBy>) =>
  lintBy(text, setting).map(({ ruleId, fails }) => (fails ? `${ruleId} fails` : ruleId));

describe("lintBy", () => {
  it("by default shows findings of severity high and medium, and fails nothing", () => {
    const found = told(POLICY);
    for (const rule of ["security-unsafe-inline", "unquoted-keyword", "query-in-source"])
      assert.ok(found.includes(rule), `${rule} in ${found.join()}`);
    assert.ok(!found.includes("empty-source-list"), "advice of low severity is not shown");
    assert.ok(found.every((one) => !one.endsWith("fails")));
    assert.deepEqual(told(POLICY, "warn"), found);
    assert.deepEqual(told(POLICY, {}), found);
    assert.deepEqual(told(POLICY, { level: undefined, off: undefined }), found);
  });

  it("by default shows a medium finding that is no syntax fault, but not at level off", () => {
    const policy = "script-src 'self' 'wasm-unsafe-eval'";
    assert.deepEqual(told(policy), ["unlisted-keyword"]);
    assert.deepEqual(told(policy, "off"), []);
  });

  it("at level error fails findings of severity high, and no others", () => {
    const found = told(POLICY, "error");
    assert.ok(found.includes("security-unsafe-inline fails") && found.includes("unquoted-keyword fails"));
    assert.ok(found.includes("query-in-source"));
    assert.deepEqual(told(POLICY, { level: "error" }), found);
  });

  it("at every level fails a misspelt directive, which restricts nothing, unless that rule is off", () => {
    for (const level of ["warn", "error", "off"] as const) {
      assert.ok(told("scrip-src 'self'", level).includes("unknown-directive fails"), level);
      assert.ok(told("script-scr 'self'; img-src 'self'", level).includes("unknown-directive fails"), level);
      // A name that differs in three letters may be another directive.
      for (const other of ["x-our-own 'self'", "script-xyz 'self'"])
        assert.doesNotMatch(told(other, level === "error" ? "warn" : level).join(), /fails/, other);
    }
    const policy = "scrip-src 'self'; img-src 'self'; default-src 'self'";
    assert.deepEqual(told(policy, { off: ["unknown-directive"] }), ["unknown-directive"]);
  });

  it("at level off shows syntax faults only", () => {
    assert.deepEqual(told(POLICY, "off").sort(), ["query-in-source", "unquoted-keyword"]);
    assert.deepEqual(told(POLICY, { level: "off" }), told(POLICY, "off"));
  });

  it("does not report a rule that is off, but still warns of a syntax rule that is off", () => {
    const off = ["security-unsafe-inline", { rule: "unquoted-keyword", reason: "it is a host of ours" }];
    const found = told(POLICY, { level: "error", off });
    assert.ok(!found.join().includes("security-unsafe-inline"));
    assert.ok(found.includes("unquoted-keyword"));
    assert.ok(!told(POLICY, { off }).includes("security-unsafe-inline"));
  });
});

describe("unknownRules", () => {
  it("returns names that are not rules, their places, and the rules that were probably meant", () => {
    const off = ["security-bypass", "securty-bypass", { rule: "what is this" }];
    assert.deepEqual(unknownRules({ off }), [
      { index: 1, rule: "securty-bypass", guess: "security-bypass" },
      { index: 2, rule: "what is this" },
    ]);
  });

  it("returns nothing if no rule is off", () => {
    for (const setting of ["warn", "off", {}, { level: "error" }] as const)
      assert.deepEqual(unknownRules(setting), []);
  });
});
