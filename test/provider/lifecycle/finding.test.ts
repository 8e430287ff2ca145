import assert from "node:assert/strict";
import { collectSecrets } from "../../../provider/src/lifecycle/secret-inputs";
import { findingText, selectErrors, selectWarnings } from "../../../provider/src/model/finding";

describe("Findings", () => {
  const finding = { severity: "warning", code: "csp-near-miss", property: "", message: "m" } as const;

  it("are reported with their code, and with their property if they have one", () => {
    assert.equal(findingText(finding), "m [csp-near-miss]");
    assert.equal(findingText({ ...finding, property: "a[0].b" }), "a[0].b: m [csp-near-miss]");
    const lint = { ...finding, code: "csp-lint-toy" } as const;
    const all = [finding, { ...lint, severity: "error" }, { ...lint, severity: "info" }] as const;
    assert.deepEqual([selectErrors(all), selectWarnings(all)], [[all[1]], [all[0]]]);
  });

  it("hide the longest secret first, and do not hide secrets of up to three letters", () => {
    const secrets = collectSecrets(["a", "b"], {
      a: ["hush", "hush-hush"],
      b: { c: "abc", d: "abcd", e: null, f: 3 },
    });
    assert.deepEqual(secrets, {
      names: ["a", "b"],
      texts: ["hush-hush", "hush", "abcd"],
    });
    assert.deepEqual(collectSecrets(undefined, {}), collectSecrets([], { a: "hush" }));
  });
});
