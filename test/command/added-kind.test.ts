import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { kinds } from "../../provider/src/resources/kinds";
import { managedWafEntrypoint } from "../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../provider/src/resources/page-guard-settings/lifecycle";
import type { Simulator } from "../../simulator/src";
import { Approving } from "./support/approving";
import { printed, useDesk, zoneId } from "./support/console";
import { step } from "./support/events";
import { stateText } from "./support/state-file";

const content = { description: "note", action: "log", expression: "true", value: "script-src 'self'" };
const rule = { action: "log", expression: "true", description: "note" };

interface Added {
  readonly kind: object & { readonly name: string };
  readonly args: object;
  /** Makes the declared change, like an update that was cut off. Returns the id and outputs for the state. */
  readonly does: (sim: Simulator) => { readonly id: string; readonly outputs: object };
  /** Makes another change to the zone. Returns a function that reverts it. */
  readonly meddles: (sim: Simulator) => () => void;
  readonly meddled: RegExp;
  readonly counted: string;
  readonly edits: (sim: Simulator, id: string) => void;
  readonly edited: RegExp;
}

const kindsLike: Readonly<Record<string, Added>> = {
  "a policy": {
    kind: cspPolicy,
    args: content,
    does: ({ dashboard }) => {
      const { id: policyId } = dashboard.putPolicy(zoneId, content);
      return { id: `${zoneId}/${policyId}`, outputs: { policyId } };
    },
    meddles: ({ dashboard }) => {
      const { id } = dashboard.putPolicy(zoneId, { ...content, action: "allow" });
      return () => dashboard.deletePolicy(zoneId, id);
    },
    meddled: /the policy "note" .* is new/,
    counted: "1 policy to create",
    edits: ({ dashboard }, id) => void dashboard.putPolicy(zoneId, { id, expression: "false" }),
    edited: /: changed: added expression: "true" => "false"$/m,
  },
  "the settings": {
    kind: pageGuardSettings,
    args: { enabled: true },
    does: ({ dashboard }) => {
      dashboard.setSettings(zoneId, { enabled: true });
      return { id: zoneId, outputs: {} };
    },
    meddles: ({ dashboard }) => {
      dashboard.setSettings(zoneId, { use_connection_url_path: true });
      return () => dashboard.setSettings(zoneId, { use_connection_url_path: false });
    },
    meddled: /settings: useConnectionUrlPath is true, was/,
    counted: "The settings of 1 zone to change",
    edits: ({ dashboard }) => dashboard.setSettings(zoneId, { enabled: false }),
    edited: /: changed: added enabled: true => false$/m,
  },
  "the list of rules": {
    kind: managedWafEntrypoint,
    args: { rules: [rule] },
    does: ({ dashboard }) => {
      const { id, ref } = dashboard.addRule(zoneId, rule);
      return { id: zoneId, outputs: { rules: [{ ...rule, id, ref }] } };
    },
    meddles: ({ dashboard }) => {
      const { id } = dashboard.addRule(zoneId, { ...rule, action: "block" });
      return () => dashboard.deleteRule(zoneId, id);
    },
    meddled: /the WAF rule "note" .* is new/,
    counted: "1 WAF rule to create",
    edits: (sim) => {
      const [rule] = sim.zone(zoneId).entrypoint?.rules ?? [];
      sim.dashboard.changeRule(zoneId, rule?.id ?? "", { expression: "false" });
    },
    edited: /: changed: added rules\[0\]\.expression: "true" => "false"$/m,
  },
};

describe("A kind that was only added to the table of kinds", () => {
  const atDesk = useDesk();

  for (const [like, added] of Object.entries(kindsLike))
    describe(`and manages objects like ${like}`, () => {
      const { kind, args, does, meddles, meddled, counted, edits, edited } = added;
      before(() => void Object.assign(kinds, { Added: () => ({ ...kind, name: "Added" }) }));
      after(() => void Reflect.deleteProperty(kinds, "Added"));

      it("is compared by apply, in the zone and after an apply that was cut off", async () => {
        const desk = await atDesk();
        desk.sim.zones.seed(zoneId, { entrypoint: { rules: [] } });
        const story = new Approving(desk);
        story.previews(step({ name: "added", kind: "Added", op: "create", after: { zoneId, ...args } }));
        const out = await printed(story.review(), 0);
        assert.ok(out.includes(counted), out);
        const revert = meddles(desk.sim);
        assert.match(await story.refuses("--allow", "no-change"), meddled);
        revert();
        does(desk.sim);
        await story.refuses();
        await story.applies("--allow", "no-change");
      });

      it("is compared by drift: its objects count as declared, and an edit counts as a change", async () => {
        const desk = await atDesk();
        desk.sim.zones.seed(zoneId, {});
        const inputs = { zoneId, ...args };
        const { id, outputs } = does(desk.sim);
        const state = new Map([
          ["added", { id, inputs, outputs: { ...inputs, ...outputs }, hasInitErrors: false }],
        ]);
        writeFileSync(join(desk.folder, "state.json"), stateText([{ kind: "Added", state }]));
        const drift = () => desk.pageGuard(["drift", "--state", "state.json"]);
        const before = await drift();
        assert.deepEqual([before.code, before.out.split("\n")[0]], [0, "No drift."], before.err);
        edits(desk.sim, id.split("/")[1] ?? "");
        const out = await printed(drift(), 2);
        assert.match(out, edited);
      });
    });
});
