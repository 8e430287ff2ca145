import assert from "node:assert/strict";
import { actionFindings, declarationFindings, settingFindings } from "../../provider/src/policies/findings";
import type { Properties } from "../small-engine/checkpoint";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

describe("What is reported of a policy without a request", () => {
  it("is that it has no text, or two", () => {
    const said = (args: Properties) => declarationFindings(args, { lint: "off" }, "all");
    const none = said({});
    assert.deepEqual(
      none.map(({ property, code }) => [property, code]),
      [["", "csp-value-or-directives"]],
    );
    const both = said({ value: "script-src 'self'", directives: { "script-src": ["'self'"] } });
    assert.deepEqual(
      both.map(({ property, code }) => [property, code]),
      [["directives", "csp-value-or-directives"]],
    );
    assert.deepEqual(said({ value: "script-src 'self'" }), []);
    assert.deepEqual(said({ value: 7 }), []);
  });

  it("is what the lint finds, with its place; as errors only where they can fail; nothing of what is not known yet", () => {
    const wild = { value: "script-src *" };
    const [found] = declarationFindings(wild, { lint: "warn" }, "all");
    assert.deepEqual([found?.severity, found?.property], ["warning", "value"]);
    assert.match(found?.place ?? "", /^character \d+ of the text$/);
    assert.match(found?.code ?? "", /^csp-lint-/);
    assert.deepEqual(declarationFindings(wild, { lint: "warn" }, "errors"), []);
    assert.deepEqual(declarationFindings(wild, { lint: { level: "warn" } }, "errors"), []);
    assert.ok(
      declarationFindings(wild, { lint: "error" }, "errors").some(({ severity }) => severity === "error"),
    );
    assert.ok(declarationFindings(wild, { lint: { level: "error" } }, "errors").length > 0);
    for (const [args, setting] of [
      [{ value: unknown }, "error"],
      [wild, unknown],
      [wild, { off: [unknown] }],
      [{ directives: { "script-src": [unknown] } }, "error"],
    ] as const) {
      assert.deepEqual(declarationFindings(args, { lint: setting }, "all"), []);
    }
    const [inDirectives] = declarationFindings(
      { directives: { "script-src": ["*"] } },
      { lint: "warn" },
      "all",
    );
    assert.equal(inDirectives?.property, "directives");
    const [unwritable] = declarationFindings(
      { directives: { "script-src": ["a;b"] } },
      { lint: "off" },
      "all",
    );
    assert.deepEqual([unwritable?.code, unwritable?.severity], ["csp-not-writable", "error"]);
  });

  it("is a lint rule that there is not, and an action that the service's name does not know", () => {
    const said = (setting: unknown) => settingFindings(setting);
    const unknownRule = said({ off: ["zzzzzzzzzzzzzzzzzzzzzzzz"] });
    assert.deepEqual(
      unknownRule.map(({ property, code }) => [property, code]),
      [["lint.off[0]", "csp-no-such-lint-rule"]],
    );
    assert.deepEqual([said("warn"), said(undefined), said({ off: [unknown] }), said(7)], [[], [], [], []]);
    const services = ["page_guard", "page_shield", undefined] as const;
    assert.deepEqual(
      services.map((service) => actionFindings("add_reporting_directives", () => service).length),
      [1, 0, 0],
    );
    assert.deepEqual(
      actionFindings("log", () => "page_guard"),
      [],
    );
  });
});
