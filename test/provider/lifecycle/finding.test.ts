import assert from "node:assert/strict";
import { secretsOf, withoutSecrets } from "../../../provider/src/lifecycle/secret-inputs";
import { errorsOf, findingText, warningsOf } from "../../../provider/src/model/finding";

describe("Findings", () => {
  const finding = { severity: "warning", code: "csp-near-miss", property: "", message: "m" } as const;

  it("are reported with their code, and with their place where they have one", () => {
    assert.equal(findingText(finding), "m [csp-near-miss]");
    assert.equal(findingText({ ...finding, property: "a[0].b" }), "a[0].b: m [csp-near-miss]");
    const lint = { ...finding, code: "csp-lint-toy" } as const;
    const all = [finding, { ...lint, severity: "error" }, { ...lint, severity: "info" }] as const;
    assert.deepEqual([errorsOf(all), warningsOf(all)], [[all[1]], [all[0]]]);
  });

  it("keep of what machines read the numbers alone where something is secret, and say of a secret input just where and what", () => {
    const data = { hosts: ["hush.example"], blocked: 2 };
    const numbers = { hosts: ["[secret]"], blocked: 2 };
    const secrets = secretsOf(["value"], { value: "hush.example", size: 17 });
    const told = { ...finding, message: "blocks hush.example", data };
    assert.deepEqual(withoutSecrets(told, secretsOf([], {})), told);
    assert.deepEqual(withoutSecrets(told, secrets), {
      ...finding,
      ...{ message: "blocks [secret]", data: numbers },
    });
    const hidden = withoutSecrets({ ...told, property: "value.x" }, secrets);
    assert.deepEqual(
      { ...hidden, message: "" },
      {
        ...finding,
        ...{ property: "value.x", message: "", data: numbers },
      },
    );
    const placed = withoutSecrets({ ...told, property: "value", place: "character 3" }, secrets);
    assert.match(placed.message, / csp-near-miss .* \(character 3\)\. /);
    for (const { message } of [hidden, placed]) assert.doesNotMatch(message, /hush|blocks/);
    assert.equal(withoutSecrets({ ...told, property: "values" }, secrets).message, "blocks [secret]");
  });

  it("hide the longest secret first, and leave words of up to three letters alone", () => {
    const secrets = secretsOf(["a", "b"], {
      a: ["hush", "hush-hush"],
      b: { c: "abc", d: "abcd", e: null, f: 3 },
    });
    assert.deepEqual(secrets, {
      names: ["a", "b"],
      texts: ["hush-hush", "hush", "abcd"],
    });
    assert.deepEqual(secretsOf(undefined, {}), secretsOf([], { a: "hush" }));
  });
});
