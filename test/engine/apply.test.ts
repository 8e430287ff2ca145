import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { policy, settings } from "../real-engine/declaration";
import { useStories, zoneA, zoneB } from "../real-engine/story";
import { Pipeline } from "./support/pipeline";

describe("On the engine: an apply of what was approved, or of nothing", function () {
  const begin = useStories(this);
  const value = "script-src 'self'; object-src 'none'; base-uri 'self'";
  const quiet = { scripts: 0, connections: 0, cookies: 0 };

  it("given an approval, when zone, program or state are others by then, then nothing is changed and it says what; when they are not, then it is applied", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet, [zoneB]: quiet });
    const pipeline = new Pipeline(stack);
    const declared = {
      watch: settings({ zoneId: zoneA, enabled: true }),
      csp: policy({ zoneId: zoneB, value }),
    };
    stack.declare(declared);
    await pipeline.approve();
    const requests = sim.changing().length;

    // A colleague edits a zone between approval and apply.
    const added = sim.dashboard.putPolicy(zoneB, { description: "by a colleague", expression: "true" });
    assert.match(
      await pipeline.refuses(),
      new RegExp(`zone ${zoneB}: the policy "by a colleague" \\(${added.id}\\) is new`),
    );
    sim.dashboard.deletePolicy(zoneB, added.id);

    // The program becomes another one.
    stack.declare({
      ...declared,
      csp: policy({ zoneId: zoneB, value, action: "allow", impact: "off" }),
      more: policy({ zoneId: zoneA, value }),
    });
    const other = await pipeline.refuses();
    assert.match(other, /to create csp \(CspPolicy\): the program declares action "allow" in place of "log"/);
    assert.match(other, /to create more \(CspPolicy\) was not approved/);
    stack.declare(declared);
    assert.equal(sim.changing().length, requests);

    // All is as it was.
    const said = await pipeline.applies();
    assert.match(said, /As approved \(.*\): 2 to create; 2 zones hold what was approved/);
    await stack.expectEmptyPreview();

    // A second apply of the same file: done already.
    assert.match(await pipeline.refuses(), /to create csp \(CspPolicy\) has become needless/);
    await pipeline.applies("--allow", "no-change");

    // An update is approved, and the state gets lost.
    stack.declare({ ...declared, csp: policy({ zoneId: zoneB, value: `${value}; form-action 'self'` }) });
    await pipeline.approve();
    rmSync(join(stack.place.backend, ".pulumi/stacks/story"), { recursive: true });
    await stack.run("stack", "init");
    assert.match(await pipeline.refuses(), /to create csp \(CspPolicy\), approved was to update it/);
  });
});
