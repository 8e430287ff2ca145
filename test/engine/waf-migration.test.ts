import assert from "node:assert/strict";
import { each } from "../support/each";
import { entrypoint, migration, outputOf } from "./real-engine/declaration";
import type { Preview } from "./real-engine/preview";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

const managed = "efb7b8c949ac4650a09736fc376e9aee";
const noisyRule = "0123456789abcdef0123456789abcdef";
const override = { rulesetId: managed, ruleId: noisyRule, action: "log" };
const rulesOfMigration = {
  name: outputOf("waf", "configuration", "name"),
  rules: outputOf("waf", "configuration", "rules"),
};

const textOf = ({ messages }: Preview): string => messages.map(({ text }) => text).join("\n");

describe("On the engine: a zone moves to the new WAF", function () {
  const begin = useStories(this);

  it("given an Enterprise zone, when it is validated, finished and destroyed, then each preview says what happens, the destroy is refused, and the program can edit the rules afterwards", async () => {
    const { sim, stack } = await begin({
      [zoneA]: { ...zoneWithPolicy, waf: { firewallRules: 1, owasp: true } },
    });
    const program = (stage: string, rules: object = rulesOfMigration) => ({
      waf: migration({ zoneId: zoneA, stage, ruleOverrides: [override] }),
      rules: entrypoint({ zoneId: zoneA, ...rules }),
    });
    const waf = () => sim.zone(zoneA).waf;

    // 1. Into validation.
    stack.declare(program("validation"));
    const first = textOf(await stack.preview());
    assert.match(first, /Starts or adjusts WAF validation of zone .*\[migration-validates\]/s);
    assert.match(first, /"default", 3 rules:\s+1\. "bypass 1" skip, if ip\.src eq 192\.0\.2\.0/);
    assert.match(first, new RegExp(`rule ${noisyRule}: action log`));
    assert.equal(sim.changing().length, 0);
    await stack.up();
    assert.deepEqual([waf().stage, waf().acceptedValidation, waf().acceptedPending], ["validation", 1, 0]);
    assert.equal(sim.changing().length, 1, "the rules of the migration need no request of their own");

    // 2. The finish, once.
    stack.declare(program("finished"));
    assert.match(textOf(await stack.preview()), /FINISHES the WAF migration of zone .*This cannot be undone/);
    assert.equal(waf().acceptedPending, 0);
    await stack.up();
    assert.deepEqual([waf().stage, waf().acceptedPending, sim.changing().length], ["new", 1, 2]);
    await stack.expectEmptyPreview();

    // 3. A finished migration cannot be destroyed.
    assert.match(await stack.fails("destroy", "--yes"), /protect/);
    assert.deepEqual([waf().stage, sim.changing().length], ["new", 2]);

    // 4. The program can now edit the rules like any others, although the finish gave them new ids.
    const execute = { action: "execute", expression: "true", description: "just this" };
    stack.declare(program("finished", { rules: [{ ...execute, actionParameters: { id: managed } }] }));
    await stack.up();
    assert.deepEqual(each(sim.zone(zoneA).entrypoint?.rules, "description"), ["just this"]);
    assert.deepEqual([waf().acceptedPending, sim.changing().length], [1, 3]);
    await stack.expectEmptyPreview();
  });
});
