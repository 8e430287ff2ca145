import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ZoneSeed } from "../../simulator/src";
import { each } from "../support/each";
import { type Desk, useDesk, zoneId } from "./support/console";
import {
  diagnostic,
  type StepOptions,
  secretInEvent,
  stackStep,
  step,
  summary,
  urnOf,
} from "./support/events";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const quiet = { scripts: 0, connections: 0, cookies: 0 };
const policyOf = (description: string, action = "allow") => ({
  description,
  action,
  expression: `http.host eq "${description}.example"`,
  value: `script-src 'self' https://cdn.${description}.example`,
});
const managed = {
  action: "execute",
  expression: "true",
  description: "managed",
  actionParameters: { id: "e".repeat(32) },
};
const skip = { description: "health check", action: "skip", expression: "ip.src eq 192.0.2.9" };
const colleagues = { ...skip, action_parameters: { ruleset: "current" } };

/** Tests that review recorded events of a preview with the current zones. */
describe("page-guard review reads the zones that the plan changes", () => {
  const open = useDesk();

  async function begin(zone: ZoneSeed = {}): Promise<Desk> {
    const desk = await open();
    desk.sim.zones.seed(zoneId, { ...quiet, ...zone });
    return desk;
  }

  async function review(
    desk: Desk,
    steps: readonly StepOptions[],
    given: { env?: NodeJS.ProcessEnv; flags?: readonly string[]; said?: readonly string[] } = {},
  ) {
    const lines = [stackStep(), ...steps.map(step), ...(given.said ?? []), summary()];
    writeFileSync(join(desk.folder, "events.jsonl"), lines.join("\n"));
    const args = ["review", "--events", "events.jsonl", "--markdown", "-", ...(given.flags ?? [])];
    const ended = await desk.pageGuard(args, { env: given.env ?? {} });
    return { ...ended, out: ended.out.replaceAll("&#8203;", "") };
  }

  const create = (name: string, kind: string, after: object): StepOptions => ({
    name,
    kind,
    op: "create",
    after: { zoneId, ...after },
  });
  /** Returns a step for a resource of the zone in the state. */
  const known = (kind: string, op: string, was: object, more: Partial<StepOptions> = {}): StepOptions => {
    const side = { zoneId, ...was };
    return { name: "look", kind, op, id: zoneId, before: side, recorded: side, ...more };
  };
  /** Returns a step that changes the zone's policy with this id. */
  const changed = (id: string, was: object, after: object): StepOptions => ({
    ...known("CspPolicy", "update", was, { name: "shop", id: `${zoneId}/${id}` }),
    recorded: { zoneId, ...was, policyId: id },
    after: { zoneId, ...was, ...after },
    diff: Object.fromEntries(Object.keys(after).map((field) => [field, "update"])),
  });
  const idsIn = (desk: Desk) => desk.sim.zone(zoneId).policies.map(({ id }) => id);

  it("given a secret zone id, then uses the id in the state to find unmanaged objects that are lost, and says so if there is none", async () => {
    const ours = policyOf("ours");
    const desk = await begin({ policies: [policyOf("theirs"), ours, ours] });
    const [theirs, twin, newest] = idsIn(desk);
    const was = { zoneId: secretInEvent, policies: { ours }, policyIds: { ours: newest } };
    const after = { ...was, others: "delete" };
    const set = { ...known("CspPolicySet", "update", was, { after }), diff: { others: "add" } };
    const urn = urnOf("look", "CspPolicySet");
    const text = "nothing declares it. [csp-undeclared-deleted]";
    const { out } = await review(desk, [set], { said: [diagnostic("warning", text, urn)] });
    assert.match(out, /^- \*\*2 unmanaged policies will be deleted or overwritten\.\*\*$/m);
    const twins = await begin({ policies: [ours, ours] });
    const exact = create("set", "CspPolicySet", { policies: {}, others: "delete" });
    assert.match((await review(twins, [exact])).out, /deleted by CspPolicySet set, 2 in 1 zone: /);
    const requests = twins.sim.journal.length;
    const offline = await review(twins, [exact], { env: { PAGE_GUARD_OFFLINE: "1" } });
    assert.match(offline.out, /because no zone was read/);
    assert.equal(twins.sim.journal.length, requests);
    const twice = await review(twins, [exact], { said: [summary()] });
    assert.match(twice.err, /they are from more than one preview/);
    for (const id of [theirs, twin])
      assert.match(out, new RegExp(`deleted by CspPolicySet look, zone \`${zoneId}\`, id \`${id}\``));
    assert.doesNotMatch(out, /weaker|to create|to delete/);
    const created = { ...create("set", "CspPolicySet", after), id: "" };
    assert.match(
      (await review(desk, [created])).out,
      /^- \*\*In 1 zone, this review may not list every unmanaged object .*, because reading failed: CspPolicySet set: its zone is secret or not known yet/m,
    );
    // The update adopts the newest of several equal policies.
    const adopting = { ...after, zoneId };
    const adopted = await review(desk, [create("set", "CspPolicySet", adopting)]);
    assert.doesNotMatch(adopted.out, new RegExp(`id \`${newest}\``));
    assert.match(adopted.out, new RegExp(`id \`${twin}\``));
  });

  it("given a read with made-up state, then names unmanaged rules that the list would delete, although the preview does not", async () => {
    const desk = await begin({ entrypoint: { rules: [colleagues] } });
    const [rule] = desk.sim.zone(zoneId).entrypoint?.rules ?? [];
    const made = { rules: [{ id: rule?.id, action: "block", expression: "true" }] };
    const look = (op: string, after?: object): StepOptions =>
      known("ManagedWafEntrypoint", op, made, after && { after: { zoneId, ...after } });
    const steps = [look("read", made), create("waf", "ManagedWafEntrypoint", { rules: [managed] })];
    const { out } = await review(desk, steps);
    assert.match(out, /Unmanaged policies or rules may be deleted/);
    assert.match(out, new RegExp(`WAF rule "health check"\\*\\* may be deleted by .*id \`${rule?.id}\``));
    const overwrites = { rules: [managed], foreignRules: "overwrite" };
    const taking2 = create("waf", "ManagedWafEntrypoint", overwrites);
    for (const taking of [
      [taking2],
      // A resource that the last update read, and one that is read again, own nothing.
      [look("create-replacement", overwrites), look("replace", overwrites), look("discard-replaced")],
      [look("read-replacement", made), look("replace", made), look("discard-replaced"), taking2],
    ]) {
      const taken = await review(desk, taking);
      assert.match(taken.out, /1 unmanaged WAF rule will be deleted or overwritten/);
      assert.match(taken.out, /1 unmanaged object that will or may be lost/);
      assert.match(taken.out, /WAF rule "health check"\*\* deleted by/);
    }
    for (const rules of [unknown, secretInEvent]) {
      const hidden = await review(desk, [create("waf", "ManagedWafEntrypoint", { ...overwrites, rules })]);
      assert.match(hidden.out, new RegExp(`"health check"\\*\\* may be deleted by .*id \`${rule?.id}\``));
    }
    const keep = { rules: [managed], foreignRules: "keep" };
    const keeping = await review(desk, [create("waf", "ManagedWafEntrypoint", keep)]);
    assert.doesNotMatch(keeping.out, /unmanaged/i);
    const dark = { rules: secretInEvent };
    const change = { after: { zoneId, ...keep }, diff: { rules: "update" } } as const;
    for (const [op, more] of Object.entries({ update: change, delete: {} })) {
      const { out: gone } = await review(desk, [known("ManagedWafEntrypoint", op, dark, more)]);
      assert.match(gone, /\| rule: rules that cannot be shown \|/);
      assert.doesNotMatch(gone, /Removed from the state only/);
    }
  });

  it("given deleted resources, then tells rules that stay in the zone from lists without objects", async () => {
    const block = { action: "block", expression: "true", description: "mine" };
    const desk = await begin({ entrypoint: { rules: [block] } });
    const id = desk.sim.zone(zoneId).entrypoint?.rules[0]?.id;
    const rule = { ...block, id };
    const was = { rules: [rule], initial: { rules: [rule], taken: [id] } };
    const { out } = await review(desk, [known("ManagedWafEntrypoint", "delete", was)]);
    assert.match(out, /1 WAF rule to leave unmanaged in the zone/);
    assert.match(out, /Left in the zone, no longer managed/);
    for (const [kind, list] of Object.entries({ ManagedWafEntrypoint: "rules", CspPolicySet: "policies" })) {
      const empty = await review(desk, [known(kind, "delete", { [list]: list === "rules" ? [] : {} })]);
      assert.match(empty.out, /Removed from the state only: had no objects/);
    }
  });

  it("given objects that the zone has already, then reports them as adopted without warnings; --expect adopt-only refuses anything else", async () => {
    const theirs = ["one", "two"].map((name) => policyOf(name));
    const { actionParameters: action_parameters, ...runs } = managed;
    const entrypoint = { rules: [{ ...runs, action_parameters }, colleagues] };
    const desk = await begin({ settings: { enabled: true }, policies: theirs, entrypoint });
    const [one, two] = theirs;
    const rules = [managed, { ...skip, actionParameters: { extra: { ruleset: "current" } } }];
    const steps = [
      create("settings", "PageGuardSettings", { enabled: true }),
      create("one", "CspPolicy", one ?? {}),
      create("set", "CspPolicySet", { policies: { two } }),
      create("waf", "ManagedWafEntrypoint", { rules, foreignRules: "overwrite" }),
    ];
    const said = [diagnostic("warning", "the zone has it already. [csp-adopted]", urnOf("one"))];
    const { out, code, err } = await review(desk, steps, { said, flags: ["--expect", "adopt-only"] });
    assert.equal(code, 0, `${err}${out}`);
    assert.match(
      out,
      /\*\*5 to adopt, 0 to create, 0 to change: 2 policies, 2 WAF rules, the settings of 1 zone/,
    );
    assert.match(out, /of 1 zone\.\*\*\n\n<details>/, "the rest is in collapsed details");
    for (const more of [
      create("three", "CspPolicy", policyOf("three")),
      create("settings", "PageGuardSettings", { enabled: false }),
      // In this order, the skip rule would run first.
      create("waf", "ManagedWafEntrypoint", { rules: rules.toReversed() }),
      { name: "gone", op: "delete", id: `${zoneId}/x`, before: { zoneId, ...policyOf("gone") } },
      { name: "kept", op: "same", before: { zoneId, impact: "error" }, after: { zoneId } },
    ] satisfies StepOptions[]) {
      const all = [...steps.filter(({ name }) => name !== more.name), more];
      const ended = await review(desk, all, { flags: ["--expect", "adopt-only"] });
      assert.equal(ended.code, 2, `${more.name}: ${ended.out}`);
    }
    const keeping = { rules: [managed], foreignRules: "keep" };
    const kept = await review(desk, [create("waf", "ManagedWafEntrypoint", keeping)]);
    assert.doesNotMatch(kept.out, /will run before/);
    const reversed = { rules: rules.toReversed() };
    const moved = await review(desk, [create("waf", "ManagedWafEntrypoint", reversed)]);
    assert.match(moved.out, /The order of WAF rules changes in 1 zone, so a different rule may decide what /);
    assert.match(moved.out, /health check: will run before "managed"|managed: will run before "health/);
    const env = { PAGE_GUARD_API_TOKEN: "" };
    const unread = await review(desk, steps, { env, flags: ["--expect", "adopt-only"] });
    assert.equal(unread.code, 2, "the zone was not read");
  });

  it("given a new policy that closely matches a live one, then warns that it is created and not adopted", async () => {
    const desk = await begin({ policies: [policyOf("shop", "log")] });
    const said = [diagnostic("warning", "closely matches a policy. [csp-near-miss]", urnOf("shop"))];
    const { out } = await review(desk, [create("shop", "CspPolicy", policyOf("shop"))], { said });
    const [open = ""] = out.split("<details>");
    assert.match(open, /Created although a close match exists[\s\S]*closely matches a policy/);
    assert.doesNotMatch(out, /Adopted unchanged|1 to adopt/);
  });

  it("given a policy that someone has changed, then compares with the zone, not with the state, to find weaker protection", async () => {
    const desk = await begin({ policies: [policyOf("shop")] });
    const [id = ""] = idsIn(desk);
    const { out } = await review(desk, [changed(id, policyOf("shop", "log"), { value: "img-src *" })]);
    assert.match(out, /Protection gets weaker in 1 zone/);
    assert.match(out, /shop: no longer enforced/);
  });

  it("given a policy that begins to enforce, then says that first, and whether its impact was checked", async () => {
    const desk = await begin({ policies: [policyOf("shop", "log")] });
    const [id = ""] = idsIn(desk);
    const enforcing = (more: object) => changed(id, policyOf("shop", "log"), { action: "allow", ...more });
    const first =
      /\n\n- \*\*1 policy begins to enforce, in 1 zone: shop\. The impact on scripts and connections in use was checked\.\*\*/;
    assert.match((await review(desk, [enforcing({})])).out, first);
    const unchecked = /begins to enforce, in 1 zone: shop\. The impact was not checked\./;
    assert.match((await review(desk, [enforcing({ impact: "off" })])).out, unchecked);
    const said = [diagnostic("warning", "scripts cannot be read. [csp-impact-unknown]", urnOf("shop"))];
    assert.match((await review(desk, [enforcing({})], { said })).out, unchecked);

    // The provider knows a secret zone.
    const hidden = { name: "shop", op: "create", after: { ...policyOf("shop"), zoneId: secretInEvent } };
    const blocks = diagnostic("warning", "js.example: 1 script [csp-blocks-in-use]", urnOf("shop"));
    const checked = (await review(desk, [hidden], { said: [blocks] })).out;
    assert.match(checked, /Visitors would lose/);
    assert.doesNotMatch(checked, /impact was not checked/);
    assert.match((await review(desk, [hidden])).out, unchecked);

    // A secret level may be "off".
    assert.match((await review(desk, [enforcing({ impact: secretInEvent })])).out, unchecked);
    // The zone logs, but the state enforces: the preview finds no change that needs a check.
    const renamed = changed(id, policyOf("shop"), { description: "shops" });
    assert.match((await review(desk, [renamed])).out, /in 1 zone: shops\. The impact was not checked\./);

    // A policy with an unknown action or an unknown enabled may begin to enforce.
    const ofLog = (more: object) => changed(id, policyOf("shop", "log"), more);
    const disabled = { ...policyOf("shop"), enabled: false };
    const may = ({ source }: RegExp) => new RegExp(source.replace("begins", "may begin"));
    for (const late of [ofLog({ action: unknown }), changed(id, disabled, { enabled: unknown })]) {
      assert.match((await review(desk, [late])).out, may(first));
      assert.match((await review(desk, [late], { said, flags: ["--out", "out"] })).out, may(unchecked));
      const { impact } = JSON.parse(readFileSync(join(desk.folder, "out/review.json"), "utf8"));
      assert.equal(impact.isUnknown, true);
    }
    assert.match((await review(desk, [ofLog({ action: unknown, impact: "off" })])).out, may(unchecked));

    // The preview of a new resource checks the inputs before a pack changes them.
    const remediation = { resourceUrn: urnOf("shop"), policyName: "ours", policyPackName: "ours" };
    const remediated = [JSON.stringify({ policyRemediationEvent: remediation })];
    const another = create("shop", "CspPolicy", policyOf("shop"));
    assert.match((await review(desk, [another])).out, /The impact .* was checked/);
    assert.match((await review(desk, [another], { said: remediated })).out, unchecked);
    assert.match((await review(desk, [enforcing({})], { said: remediated })).out, first);
  });

  it("given the finish of a migration that determines the rules, then does not report them as weaker", async () => {
    const desk = await begin({ plan: "pro", waf: { firewallRules: 2 } });
    const state = { rules: [managed] };
    const decided = { name: "waf", after: { zoneId, rules: unknown }, diff: { rules: "update" } };
    const { out } = await review(desk, [
      create("waf-step", "WafMigrationStep", { stage: "finished", confirm: zoneId }),
      known("ManagedWafEntrypoint", "update", state, decided),
    ]);
    assert.match(out, /1 WAF migration in 1 zone cannot be undone/);
    assert.doesNotMatch(out, /weaker|not shown/);
    assert.match(
      out,
      /\| `rules` \|.*`the rules of the WAF migration above, if the program passes them to .*` \|/,
    );
  });

  it("given no connection, or a zone that refuses, then says that losses are known only from findings", async () => {
    const desk = await begin();
    const exact = create("set", "CspPolicySet", { others: "delete", policies: {} });
    const text =
      'no resource declares the policy "theirs", so the update deletes it. [csp-undeclared-deleted]';
    const said = [diagnostic("warning", text, urnOf("set", "CspPolicySet"))];
    const alone = await review(desk, [exact], { said, env: { PAGE_GUARD_API_TOKEN: "" } });
    assert.match(
      alone.out,
      /^- \*\*This review may not list every unmanaged object that will be lost, because no zone was read: it lists only objects that the preview's messages name\. .* may be deleted\.\*\*$/m,
    );
    assert.match(
      alone.out,
      /### Unmanaged objects lost, according to messages of the preview only \(1\)\n.*the policy "theirs"/s,
    );
    assert.equal(desk.sim.journal.length, 0);
    desk.sim.faults.add({ method: "GET", kind: "status", status: 403 });
    const refused = await review(desk, [exact], { said });
    const known = "it lists only objects that the preview's messages name";
    assert.match(refused.out, new RegExp(`${known}, because reading failed: ${zoneId}: policies: `));
    assert.match(refused.out, /the policy "theirs", so the update deletes it/);
    const connection = { baseUrl: unknown };
    const hidden = await review(desk, [{ ...exact, after: { ...exact.after, connection } }]);
    assert.match(hidden.out, /the connection of one of its resources is secret or not known yet/);
  });

  it("given an exact set and a zones.yaml, then names what the set deletes in full, with the names of zones instead of ids; JSON contains both", async () => {
    const desk = await begin({ policies: [policyOf("theirs")] });
    writeFileSync(join(desk.folder, "zones.yaml"), `- { id: "${zoneId}", name: shop-de }\n`);
    const exact = create("set", "CspPolicySet", { others: "delete", policies: {} });
    const { out } = await review(desk, [exact], { flags: ["--out", "pages"] });
    assert.match(out, /policy "theirs"\*\* deleted by CspPolicySet set, zone `shop-de`/);
    assert.ok(out.includes(`| \`value\` | \`${policyOf("theirs").value}\` |`), "in full");
    assert.deepEqual(each(desk.sim.journal, "method"), ["GET"], "one list");
    assert.doesNotMatch(out, new RegExp(zoneId));
    const { zones, names } = JSON.parse(readFileSync(join(desk.folder, "pages/review.json"), "utf8"));
    assert.deepEqual([zones[0].zones, names], [[zoneId], { [zoneId]: "shop-de" }]);
  });

  it("given a changed policy that was deleted outside of Pulumi, then says that the update fails; a change of an option does not", async () => {
    const desk = await begin();
    const before = { zoneId, ...policyOf("shop") };
    const edit = (input: string, value: unknown, outputs: object = {}) => {
      const sides = { before, recorded: { ...before, ...outputs }, after: { ...before, [input]: value } };
      const diff = { [input]: "update" };
      return review(desk, [{ name: "shop", op: "update", id: `${zoneId}/p`, ...sides, diff }]);
    };
    const gone =
      /### What stops the update \(1\)\n\n- \*\*CspPolicy shop\*\*: The policy is no longer in the zone/;
    assert.match((await edit("value", "script-src 'none'")).out, gone);
    assert.match((await edit("lint", "off", { incomplete: true })).out, gone);
    for (const [input, value] of [
      ["lint", "off"],
      ["value", ` ${before.value} ; `],
    ] as const)
      assert.doesNotMatch((await edit(input, value)).out, /What stops/);
  });

  it("given no changes in zones, then reads nothing", async () => {
    const desk = await begin();
    const state = { zoneId, ...policyOf("shop") };
    const sides = { before: state, recorded: state, after: state };
    const { out } = await review(desk, [{ name: "shop", op: "same", id: `${zoneId}/p`, ...sides }]);
    assert.match(out, /nothing changes\.\n$/);
    assert.equal(desk.sim.journal.length, 0);
  });
});
