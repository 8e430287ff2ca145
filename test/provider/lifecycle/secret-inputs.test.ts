import assert from "node:assert/strict";
import {
  collectSecrets,
  textWithoutSecrets,
  withoutSecrets,
} from "../../../provider/src/lifecycle/secret-inputs";
import { findingText, makeWarning, selectErrors, selectWarnings } from "../../../provider/src/model/finding";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { each } from "../../support/each";
import { policy, useStories, zoneA } from "../small-engine/zones";

describe("Secret inputs are not quoted", () => {
  const beginPolicy = useStories(cspPolicy);
  const beginEntrypoint = useStories(managedWafEntrypoint);

  it("by findings that need no request, which report the property, the rule and the place", async () => {
    const { engine } = await beginPolicy();
    const value = "default-src 'self'; script-src *";
    const csp = policy({ value, lint: "error", __secrets: ["value"] });
    const text = await engine.previewFails({ csp });
    assert.match(text, /value: .* secret.* csp-lint-[\w-]+ is not shown \(character \d+ /);
    assert.doesNotMatch(text, /script-src|\*/);
    for (const [input, wrong] of Object.entries({ action: "hush-hush", expression: "", description: 17 })) {
      const told = await engine.previewFails({ csp: policy({ [input]: wrong, __secrets: [input] }) });
      assert.match(told, new RegExp(`^${input}: .* secret.* input-[\\w-]+ is not shown`));
    }
  });

  it("by findings about nested values, by refusals of the service, or in the state", async () => {
    const { sim, engine } = await beginEntrypoint();
    const expression = 'http.host eq "hush-1.example.com"';
    const rule = { action: "execute", expression, actionParameters: { id: "1".repeat(32) } };
    const declare = (more: object = {}) => ({
      waf: { zoneId: zoneA, rules: [rule, { ...rule, ref: "a", ...more }], __secrets: ["rules"] },
    });
    const told = await engine.previewFails(declare({ ref: "hush-2 \n", expression: "" }));
    assert.match(told, /rules\[1\]\.expression: this value is secret/);
    assert.doesNotMatch(told, /hush/);
    const message = `not a filter: ${expression}`;
    const fault = sim.faults.add({ method: "PUT", kind: "status", status: 400, message });
    const refusal = await engine.upFails(declare());
    sim.faults.remove(fault);
    assert.match(refusal, /not a filter: \[secret\]/);
    assert.doesNotMatch(refusal, /hush/);
    await engine.up(declare());
    assert.doesNotMatch(JSON.stringify(engine.outputs("waf")), /__secrets/);
  });

  it("but hiding them changes no counts: different texts stay different, and equal ones get numbers", () => {
    const inputs = { zoneId: zoneA, name: "hush", rules: ["one", "two"] };
    const found = ["one", "two"].map((name) =>
      makeWarning("rules", "waf-rules-overwritten", `${name} is deleted.`, { rules: [name, "one"], lost: 3 }),
    );
    for (const places of [[""], ["toString"], ["other"]])
      assert.deepEqual(withoutSecrets(found, collectSecrets(places, inputs)), found, JSON.stringify(places));
    const expected = { name: / is deleted\.$/, rules: /^\([12] of 2\) this value/ };
    for (const [name, said] of Object.entries(expected)) {
      const told = withoutSecrets(found, collectSecrets([name], inputs));
      assert.equal(new Set(told.map(({ message }) => message)).size, 2);
      for (const { message } of told) assert.match(message, said);
      assert.deepEqual(each(told, "data"), [
        { rules: ["[secret]", "[secret]"], lost: 3 },
        { rules: ["[secret 2]", "[secret]"], lost: 3 },
      ]);
    }
  });

  it("wherever a text repeats them, with or without JSON escapes", () => {
    const secrets = collectSecrets(["value", "rules"], {
      value: 'say "hush"',
      rules: [{ expression: "hush-2" }],
      other: "open",
    });
    const text = String.raw`refused: "say \"hush\"" and say "hush" and hush-2, not open`;
    const hidden = 'refused: "[secret]" and [secret] and [secret], not open';
    assert.equal(textWithoutSecrets(text, secrets.texts), hidden);
    const near = makeWarning("values", "csp-near-miss", "there is hush-2 already");
    const [finding] = withoutSecrets([near], secrets);
    assert.equal(finding?.message, "there is [secret] already");
  });
});

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
    const b = { c: "abc", d: "abcd", e: null, f: 3 };
    const secrets = collectSecrets(["a", "b"], { a: ["hush", "hush-hush"], b });
    assert.deepEqual(secrets, { names: ["a", "b"], texts: ["hush-hush", "hush", "abcd"] });
    assert.deepEqual(collectSecrets(undefined, {}), collectSecrets([], { a: "hush" }));
  });
});
