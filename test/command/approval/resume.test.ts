import assert from "node:assert/strict";
import type { ZoneSeed } from "../../../simulator/src";
import { Approving } from "../support/approving";
import { useDesk, zoneId } from "../support/console";
import { type StepOptions, step, urnOf } from "../support/events";

const elsewhere = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";
const shop = { description: "shop", action: "log", expression: "true", value: "script-src 'self'" };
const other = { ...shop, description: "other" };
const block = { action: "block", expression: 'http.host eq "a.example.com"', description: "block" };
const skip = { action: "log", expression: "true", description: "log" };

/** The zone of each case: settings off, the policies `p` and `q`, the rules `r` and `s`. */
const zone: ZoneSeed = {
  plan: "enterprise",
  settings: { enabled: true },
  policies: [shop, other].map((one, at) => ({ ...one, id: "pq"[at] ?? "" })),
  entrypoint: { rules: [block, skip].map((one, at) => ({ ...one, id: "rs"[at] ?? "" })) },
};

type Values = Readonly<Record<string, unknown>>;
type Step = Omit<StepOptions, "name">;
const id = `${zoneId}/p`;
const set = (after: object | undefined, recorded: Values = {}, more: Partial<Step> = {}): Step => ({
  kind: "CspPolicySet",
  op: after ? "update" : "delete",
  id: zoneId,
  before: { zoneId, policies: {} },
  ...(after && { after: { zoneId, ...after } }),
  recorded,
  ...more,
});
const list = (after: object | undefined, recorded: Values = {}, before: object = {}): Step => ({
  kind: "ManagedWafEntrypoint",
  op: after ? "update" : "delete",
  id: zoneId,
  before: { zoneId, ...before },
  ...(after && { after: { zoneId, ...after } }),
  recorded,
});
const watch = (before: object, recorded: Values = {}, after?: object): Step => ({
  kind: "PageGuardSettings",
  op: after ? "update" : "delete",
  id: zoneId,
  before: { zoneId, ...before },
  ...(after && { after: { zoneId, ...after } }),
  recorded,
});
const policy = (op: string, more: Partial<Step> = {}): Step => ({
  op,
  id,
  before: { zoneId, ...shop },
  ...more,
});
const own = { rules: [{ ...block, id: "r" }] };

type Edit = Parameters<Awaited<ReturnType<ReturnType<typeof useDesk>>>["sim"]["edit"]>[1];

/** Differences of a zone, the plans that would have caused exactly them, and similar plans that would not. */
const cases: Readonly<Record<string, readonly [Edit, yes: readonly Step[], no: readonly Step[]]>> = {
  "a missing policy": [
    (live) => void live.policies.splice(0, 1),
    [
      policy("delete"),
      policy("delete", { id: id.replace(zoneId, zoneId.toUpperCase()) }),
      policy("replace", { after: { ...shop, zoneId: elsewhere } }),
      set(undefined, { policyIds: { k: "p" } }),
      set({ policies: { kept: other } }, { policyIds: { k: "p", kept: "q" } }),
      set({ others: "delete", policies: { other } }),
    ],
    [
      policy("delete", { id: `${zoneId}/q` }),
      policy("update", { after: { zoneId, ...shop, action: "allow" } }),
      policy("delete", { before: { zoneId, ...shop, onDestroy: "keep" } }),
      set(undefined, { policyIds: { k: "p" } }, { before: { zoneId, onDestroy: "keep" } }),
      set({ policies: { k: other } }, { policyIds: { k: "p" } }),
      set({ policies: {}, release: ["k"] }, { policyIds: { k: "p" } }),
      // The policy stays under another key.
      set({ policies: { new: shop } }, { policies: { k: shop }, policyIds: { k: "p" } }),
      set({ others: "keep", policies: { other } }),
      set({ others: "delete", policies: { k: other } }, { policyIds: { k: "p" } }),
      set({ others: "delete", policies: { new: shop } }),
    ],
  ],
  "a new policy": [
    (live) => void live.policies.push({ ...shop, id: "new", description: "new", enabled: true }),
    [
      { op: "create", after: { zoneId, ...shop, description: "new" } },
      set({ policies: { new: { ...shop, description: undefined } } }),
    ],
    [{ op: "create", after: { zoneId, ...shop, description: "new", action: "allow" } }],
  ],
  "a missing rule": [
    (live) => void live.entrypoint?.rules.splice(0, 1),
    [list({ rules: [skip] }, own), list(undefined, own), list({ rules: [skip], foreignRules: "overwrite" })],
    [
      list({ rules: [block] }, own),
      list({ rules: [skip], foreignRules: "keep" }, { rules: [{ ...skip, id: "s" }] }),
      list(undefined, own, { onDestroy: "keep" }),
      list(undefined, { ...own, initial: { rules: [{ ...block, id: "r" }], taken: ["r"] } }),
      list({ rules: [block], foreignRules: "overwrite" }),
    ],
  ],
  "rules in another order": [
    (live) => void live.entrypoint?.rules.reverse(),
    [],
    [list({ rules: [skip] }, own), list(undefined, own)],
  ],
  "settings that are switched": [
    (live) => void Object.assign(live.settings, { enabled: false }),
    [
      watch({ enabled: true }, { initial: { enabled: false } }),
      watch({ enabled: true, onDestroy: "disable" }),
      watch({ enabled: true }, {}, { enabled: false }),
    ],
    [
      watch({ enabled: true }, { initial: { enabled: true } }),
      watch({ enabled: true, onDestroy: "keep" }, { initial: { enabled: false } }),
      watch({}, {}, { enabled: true }),
    ],
  ],
};

describe("An apply that was cut off, run again with --allow no-change", () => {
  const atDesk = useDesk();

  it("accepts a list of rules in a zone that had none, with the declared name or, without one, the service's", async () => {
    const desk = await atDesk();
    const story = new Approving(desk);
    for (const name of [undefined, "ours"]) {
      desk.sim.zones.seed(zoneId, { plan: "enterprise" });
      const after = { zoneId, rules: [block], name };
      await story.approves(step({ name: "one", kind: "ManagedWafEntrypoint", op: "create", after }));
      desk.sim.dashboard.putEntrypoint(zoneId, { rules: [block] });
      const { code, out } = await story.apply(["--allow", "no-change"]);
      assert.equal(code, name ? 2 : 0, out);
    }
  });

  for (const [code, listName, created, edit] of [
    [
      "csp-near-miss",
      "policyIds",
      { op: "create", after: { zoneId, ...shop, description: "new" } },
      (live) => void live.policies.push({ ...shop, id: "new", description: "new", enabled: true }),
    ],
    [
      "waf-rule-near-miss",
      "ruleIds",
      list({ rules: [block, { ...block, expression: "true" }], foreignRules: "keep" }, own),
      (live) => {
        const [first = assert.fail()] = live.entrypoint?.rules ?? [];
        live.entrypoint?.rules.splice(1, 0, { ...first, id: "new", ref: "new", expression: "true" });
      },
    ],
  ] as const satisfies readonly (readonly [code: string, listName: string, created: Step, edit: Edit])[]) {
    it(`accepts ${code} only if it names what the approved plan has created`, async () => {
      const desk = await atDesk();
      const story = new Approving(desk);
      desk.sim.zones.seed(zoneId, zone);
      const later = step({ name: "later", op: "create", after: { zoneId, ...shop, description: "later" } });
      await story.approves(step({ name: "one", ...created }), later);
      desk.sim.edit(zoneId, edit);
      const finds = (...ids: readonly string[]) =>
        story.pulumi.finds({
          code,
          severity: "warning",
          urn: urnOf("later"),
          property: "",
          text: "near",
          data: { [listName]: ids },
        });
      finds("new");
      await story.applies("--allow", "no-change");
      finds("new", "another");
      assert.match(await story.refuses("--allow", "no-change,adopted"), /later: this was not shown .*near/);
    });
  }

  for (const [what, [edit, yes, no]] of Object.entries(cases)) {
    it(`accepts ${what} only if the approved plan would have caused exactly that`, async () => {
      const desk = await atDesk();
      desk.sim.zones.seed(elsewhere, {});
      const story = new Approving(desk);
      for (const [index, one] of [...yes, ...no].entries()) {
        desk.sim.zones.seed(zoneId, structuredClone(zone));
        const line = step({ name: "one", ...one });
        await story.approves(line);
        desk.sim.edit(zoneId, edit);
        const { code, out } = await story.apply(["--allow", "no-change"]);
        assert.equal(code, index < yes.length ? 0 : 2, `${line}\n${out}`);
        assert.equal((await story.apply()).code, 2);
      }
    });
  }

  it("accepts a state that contains a part of the update, and no other state", async () => {
    const desk = await atDesk();
    desk.sim.zones.seed(zoneId, zone);
    const story = new Approving(desk);
    const update = (before: object, recorded: Values = {}, of = id) =>
      step({
        name: "one",
        op: "update",
        id: of,
        before: { zoneId, ...shop, ...before },
        after: { zoneId, ...shop, action: "allow", enabled: true },
        recorded,
      });
    await story.approves(update({ enabled: false }));
    for (const [line, isNearer] of [
      [update({ enabled: true }), true],
      [update({ enabled: false }, { incomplete: true, value: "x" }), true],
      [update({ enabled: false }, { value: "x" }), false],
      [update({ enabled: false, expression: "false" }), false],
      [update({ enabled: false }, {}, `${zoneId}/q`), false],
    ] as const) {
      story.previews(line);
      assert.match(await story.refuses(), /update one \(CspPolicy\): the state (differs in|now refers to)/);
      if (isNearer) await story.applies("--allow", "no-change");
      else await story.refuses("--allow", "no-change");
    }
  });
});
