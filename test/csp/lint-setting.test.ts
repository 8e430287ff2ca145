import assert from "node:assert/strict";
import { lintBy, unknownRules } from "../../csp/src/lint/lint";

/** High and no syntax, high and syntax, low and syntax-free, medium and syntax. */
const POLICY = "script-src 'unsafe-inline' self; img-src a/b?c; font-src";
const told = (...[text, setting]: Parameters<typeof lintBy>) =>
  lintBy(text, setting).map(({ ruleId, fails }) => (fails ? `${ruleId} fails` : ruleId));

describe("lintBy", () => {
  it("shows by itself what is of weight, and fails nothing", () => {
    const found = told(POLICY);
    for (const rule of ["security-unsafe-inline", "unquoted-keyword", "query-in-source"])
      assert.ok(found.includes(rule), `${rule} in ${found.join()}`);
    assert.ok(!found.includes("empty-source-list"), "advice of low severity is not told");
    assert.ok(found.every((one) => !one.endsWith("fails")));
    assert.deepEqual(told(POLICY, "warn"), found);
    assert.deepEqual(told(POLICY, {}), found);
    assert.deepEqual(told(POLICY, { level: undefined, off: undefined }), found);
  });

  it("shows by itself what is medium and no fault of syntax, and not where it is off", () => {
    const policy = "script-src 'self' 'wasm-unsafe-eval'";
    assert.deepEqual(told(policy), ["unlisted-keyword"]);
    assert.deepEqual(told(policy, "off"), []);
  });

  it("lets what is high fail with error, and nothing less", () => {
    const found = told(POLICY, "error");
    assert.ok(found.includes("security-unsafe-inline fails") && found.includes("unquoted-keyword fails"));
    assert.ok(found.includes("query-in-source"));
    assert.deepEqual(told(POLICY, { level: "error" }), found);
  });

  it("lets a misspelt directive, which restricts nothing, fail at every level, unless that rule is off", () => {
    for (const level of ["warn", "error", "off"] as const) {
      assert.ok(told("scrip-src 'self'", level).includes("unknown-directive fails"), level);
      assert.ok(told("script-scr 'self'; img-src 'self'", level).includes("unknown-directive fails"), level);
      // Three letters away, it may well be another directive.
      for (const other of ["x-our-own 'self'", "script-xyz 'self'"])
        assert.doesNotMatch(told(other, level === "error" ? "warn" : level).join(), /fails/, other);
    }
    assert.deepEqual(
      told("scrip-src 'self'; img-src 'self'; default-src 'self'", { off: ["unknown-directive"] }),
      ["unknown-directive"],
    );
  });

  it("shows faults of syntax only when it is off", () => {
    assert.deepEqual(told(POLICY, "off").sort(), ["query-in-source", "unquoted-keyword"]);
    assert.deepEqual(told(POLICY, { level: "off" }), told(POLICY, "off"));
  });

  it("is silent about a rule that is off; about syntax it still warns, and fails nothing", () => {
    const off = ["security-unsafe-inline", { rule: "unquoted-keyword", reason: "it is a host of ours" }];
    const found = told(POLICY, { level: "error", off });
    assert.ok(!found.join().includes("security-unsafe-inline"));
    assert.ok(found.includes("unquoted-keyword"));
    assert.ok(!told(POLICY, { off }).includes("security-unsafe-inline"));
  });
});

describe("unknownRules", () => {
  it("names what is no rule, its place, and what was most likely meant", () => {
    const off = ["security-bypass", "securty-bypass", { rule: "what is this" }];
    assert.deepEqual(unknownRules({ off }), [
      { index: 1, rule: "securty-bypass", guess: "security-bypass" },
      { index: 2, rule: "what is this" },
    ]);
  });

  it("has nothing to say where nothing is off", () => {
    for (const setting of ["warn", "off", {}, { level: "error" }] as const)
      assert.deepEqual(unknownRules(setting), []);
  });
});
