import assert from "node:assert/strict";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import type { Properties } from "../small-engine/small-engine";
import { policy, useStories } from "../small-engine/zones";

/** `warning (rule)` for each finding on the text. */
function found(args: Properties): string[] {
  return (cspPolicy.inspect?.(policy(args), "all") ?? []).map(({ severity, message }) => {
    const [, rule = message] = /\(([\w-]+, \w+)\)$/.exec(message) ?? [];
    return `${severity} (${rule})`;
  });
}

describe("CspPolicy: what is said of its text", () => {
  const begin = useStories(cspPolicy);
  /** A keyword without quotes: no browser reads it as one. Then a source that opens all doors. */
  const syntax = { value: "script-src self; object-src 'none'; base-uri 'self'" };
  const danger = { value: "script-src 'unsafe-inline' *; object-src 'none'; base-uri 'self'" };

  it("given a sound policy, when it is looked at, then nothing is said", () => {
    assert.deepEqual(found({ value: "script-src 'self'; object-src 'none'; base-uri 'self'" }), []);
  });

  it("given faults of all severities, when lint is warn or absent, then high and medium ones and all syntax are shown, as warnings", () => {
    for (const level of [{}, { lint: "warn" }]) {
      const shown = [...found({ ...syntax, ...level }), ...found({ ...danger, ...level })];
      assert.ok(shown.length >= 2, shown.join());
      for (const finding of shown) assert.match(finding, /^warning \(.+, (high|medium)\)$/);
    }
  });

  it("given lint off, when the text is dangerous, then nothing is said; when the service cannot mean it, then it is", () => {
    assert.deepEqual(found({ ...danger, lint: "off" }), []);
    assert.notDeepEqual(found({ ...syntax, lint: "off" }), []);
  });

  it("given lint error, when there is a finding of high severity, then it is an error and others stay warnings", () => {
    const shown = found({ ...danger, lint: "error" });
    assert.ok(
      shown.some((finding) => finding.startsWith("error")),
      shown.join(),
    );
    for (const finding of shown) {
      assert.equal(finding.startsWith("error"), finding.endsWith("high)"), finding);
    }
    const off = new Set(found({ ...syntax, lint: "error" }).map((finding) => finding.split(" ")[0]));
    assert.ok(off.size > 0);
  });

  it("given directives, when one cannot be written as a policy, then it is an error on directives", () => {
    const findings =
      cspPolicy.inspect?.(policy({ directives: { "script-src": ["'self'; object-src"] } }), "all") ?? [];
    assert.deepEqual(
      findings.map(({ severity, property }) => [severity, property]),
      [["error", "directives"]],
    );
  });

  it("given an error of lint that only the provider sees, when it is previewed, then it fails before anything is asked", async () => {
    const { sim, engine } = await begin();
    assert.match(
      await engine.previewFails({ csp: policy({ ...danger, lint: "error" }) }),
      /^value: .*high\)/,
    );
    assert.equal(sim.journal.length, 0);
  });

  it("given neither or both of value and directives, when it is looked at, then that is the only thing said", () => {
    const { value: _, ...neither } = policy();
    assert.match(cspPolicy.inspect?.(neither, "all")[0]?.message ?? "", /neither value nor directives/);
    assert.match(
      cspPolicy.inspect?.({ ...policy(), directives: { "script-src": ["'self'"] } }, "all")[0]?.message ?? "",
      /both value and directives/,
    );
  });
});
