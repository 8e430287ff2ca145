import assert from "node:assert/strict";
import { readEvents } from "../../command/src/preview/read-events";
import { makeReview } from "../../command/src/review/make-review";
import { diagnostic, stackStep, step, summary, urnOf } from "./support/events";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const policy = { zoneId, description: "shop", action: "log", expression: "true", value: "script-src 'self'" };

function alerts(lines: readonly string[]): readonly string[] {
  const read = readEvents([stackStep(), ...lines, summary()]);
  return makeReview(read, undefined, { version: "0", exitCode: 0, root: "/shop" }).alerts;
}

const update = (before: object, after: object) =>
  step({ name: "p", op: "update", before: { ...policy, ...before }, after: { ...policy, ...after } });

const guards = "Guards are removed or weakened: ";

describe("The first lines of a review", () => {
  for (const [before, after, expected] of [
    [{ minimumLogDays: 7 }, {}, "minimumLogDays is not set, was 7"],
    [{ minimumLogDays: 7 }, { minimumLogDays: 1 }, "minimumLogDays is 1, was 7"],
    [{ impact: "error" }, {}, "impact is not set, was error"],
    [{ impact: "error" }, { impact: "off" }, "impact is off, was error"],
    [{ lint: { level: "error" } }, { lint: "warn" }, "lint is warn, was {"],
    [{ lint: { off: [] } }, { lint: { off: ["http-source"] } }, "lint is {"],
    [{ onDestroy: "keep" }, {}, "onDestroy is not set, was keep"],
  ] as const)
    it(`name a guard that is removed: ${expected}`, () => {
      const found = (line: string) => alerts([line]).filter((one) => one.startsWith(guards));
      const [only, ...others] = found(update(before, after));
      assert.ok(only?.includes(`CspPolicy p: ${expected}`), only);
      assert.deepEqual([others, found(update(after, before))], [[], []]);
    });

  it("leave out a level that is not known yet, because it cannot be compared", () => {
    const later = { lint: { level: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" } };
    for (const lines of [[update({ lint: "warn" }, later)], [update(later, { lint: "off" })]])
      assert.deepEqual(
        alerts(lines).filter((one) => one.startsWith(guards)),
        [],
      );
  });

  it("name a lint rule that is switched off in place of another one", () => {
    const [before, after] = [{ lint: { off: ["http-source"] } }, { lint: { off: ["wildcard"] } }];
    const found = alerts([update(before, after)]);
    assert.ok(found.some((one) => one.startsWith(`${guards}CspPolicy p: lint is`)));
  });

  it("name an option protect that is removed, although nothing else changes", () => {
    const line = step({ name: "p", op: "same", before: policy, after: policy });
    const { resourcePreEvent: event } = JSON.parse(line);
    event.metadata.old.protect = true;
    assert.ok(
      alerts([JSON.stringify({ resourcePreEvent: event })]).includes(`${guards}CspPolicy p: protect.`),
    );
  });

  it("name a policy that begins to enforce in several zones once, with their names", () => {
    const zones = ["1", "2", "3"].map((digit) => digit.repeat(32));
    const lines = zones.map((id, at) =>
      step({
        name: `p${at}`,
        op: "update",
        before: { ...policy, zoneId: id },
        after: { ...policy, zoneId: id, action: "allow", ...(at === 2 && { impact: "off" }) },
      }),
    );
    const [one, other, ...more] = alerts(lines).filter((text) => /begins/.test(text));
    const checked = "The impact on scripts and connections in use was checked.";
    assert.equal(one, `In 2 zones the policy "shop" begins to block: ${zones[0]}, ${zones[1]}. ${checked}`);
    assert.equal(
      other,
      `In 1 zone the policy "shop" begins to block: ${zones[2]}. The impact was not checked.`,
    );
    assert.deepEqual(more, []);
  });

  it("name only the policies that begin to enforce although lint warns with high severity", () => {
    const warned = (severity: string) =>
      diagnostic("warning", `value: anyone may publish there (${severity}) [csp-lint-anyone]`, urnOf("p"));
    const found = (...lines: readonly string[]) => alerts(lines).filter((one) => /high-severity/.test(one));
    const begins = update({}, { action: "allow" });
    const said = "1 policy that begins to enforce has high-severity lint findings: shop (csp-lint-anyone).";
    assert.deepEqual(found(begins, warned("high")), [said]);
    assert.deepEqual(found(begins, warned("medium")), []);
    assert.deepEqual(found(update({ impact: "warn" }, {}), warned("high")), []);
  });
});
