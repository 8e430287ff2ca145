import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { kinds } from "../../provider/src/resources/kinds";
import { Approving } from "./support/approving";
import { useDesk } from "./support/console";
import { step } from "./support/events";
import { stateText } from "./support/state-file";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const content = { description: "note", action: "log", expression: "true", value: "script-src 'self'" };

describe("A kind that was added to the table of kinds, and to nothing else", () => {
  const atDesk = useDesk();

  before(() => void Object.assign(kinds, { CspNote: () => ({ ...cspPolicy, name: "CspNote" }) }));
  after(() => void Reflect.deleteProperty(kinds, "CspNote"));

  it("is compared by apply: its zone, and what an apply that was cut off has done", async () => {
    const desk = await atDesk();
    desk.sim.zones.seed(zoneId, {});
    const story = new Approving(desk);
    const create = step({ name: "note", kind: "CspNote", op: "create", after: { zoneId, ...content } });
    await story.approves(create);
    const other = desk.sim.dashboard.putPolicy(zoneId, { ...content, action: "allow" });
    assert.match(await story.refuses("--allow", "no-change"), /the policy "note" .* is new/);
    desk.sim.dashboard.deletePolicy(zoneId, other.id);
    desk.sim.dashboard.putPolicy(zoneId, content);
    await story.refuses();
    await story.applies("--allow", "no-change");
  });

  it("is seen by drift: what it declares is its own, and an edit of it is a change", async () => {
    const desk = await atDesk();
    desk.sim.zones.seed(zoneId, {});
    const { id } = desk.sim.dashboard.putPolicy(zoneId, content);
    const inputs = { zoneId, ...content };
    const recorded = {
      id: `${zoneId}/${id}`,
      inputs,
      outputs: { ...inputs, policyId: id },
      hasInitErrors: false,
    };
    writeFileSync(
      join(desk.folder, "state.json"),
      stateText([{ kind: "CspNote", state: new Map([["note", recorded]]) }]),
    );
    const drift = () => desk.pageGuard(["drift", "--state", "state.json"]);
    const before = await drift();
    assert.deepEqual([before.code, before.out.split("\n")[0]], [0, "No drift."], before.err);
    desk.sim.dashboard.putPolicy(zoneId, { ...content, id, expression: "false" });
    const { code, out } = await drift();
    assert.equal(code, 2);
    assert.match(out, /: changed: note expression: "true" => "false"$/m);
  });
});
