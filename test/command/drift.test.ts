import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { kinds } from "../../provider/src/resources/kinds";
import { managedWafEntrypoint } from "../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../provider/src/resources/waf-migration/lifecycle";
import type { Simulator } from "../../simulator/src";
import type { Properties } from "../provider/small-engine/checkpoint";
import { SmallEngine } from "../provider/small-engine/small-engine";
import { type Desk, expectRefusals, printed, useDesk, zoneId } from "./support/console";
import { secret, stateText } from "./support/state-file";

const managed = "1".repeat(32);

describe("page-guard drift", () => {
  const open = useDesk();
  const drift = (desk: Desk, ...flags: string[]) =>
    desk.pageGuard(["drift", "--state", "state.json", ...flags]);
  /** Runs drift for a state on standard input. */
  const driftOf = (desk: Desk, stdin: string, ...flags: string[]) =>
    desk.pageGuard(["drift", "--state", "-", ...flags], { stdin });
  const named = ["--name", `${zoneId}=shop`] as const;

  it("given an unchanged zone, then reports no drift, with one request per kind of object", async () => {
    const desk = await createStack(await open());
    const from = desk.sim.journal.length;
    const { code, out, err } = await drift(desk, ...named);
    assert.deepEqual([code, out], [0, "No drift.\n"], err);
    assert.equal(desk.sim.journal.length - from, 3);
    const rest = await drift(desk, "--declare");
    assert.deepEqual([rest.code, rest.out], [0, ""]);
  });

  it("given a service that changes case and white space, then reports no drift, and shows only real changes", async () => {
    const desk = await createStack(await open());
    desk.sim.edit(zoneId, ({ entrypoint, policies }) => {
      for (const rule of entrypoint?.rules ?? [])
        Object.assign(rule, { action: rule.action.toUpperCase(), description: " " });
      for (const policy of policies.values())
        Object.assign(policy, { description: `${policy.description}\n` });
    });
    assert.equal((await drift(desk)).out, "No drift.\n");
    desk.sim.edit(zoneId, ({ entrypoint }) => Object.assign(entrypoint?.rules[0] ?? {}, { enabled: false }));
    const { out } = await drift(desk);
    assert.match(out, /^\S+: changed: waf rules\[0\]\.enabled: true => false\n1 difference in 1 zone\.\n$/);
  });

  it("given a rule whose ref was changed, and a service that adds empty overrides, then names the ref and nothing that is equal", async () => {
    const desk = await createStack(await open());
    const state = desk.state.replaceAll('"action":"skip"', '"ref":"exception","action":"skip"');
    desk.sim.edit(zoneId, ({ entrypoint }) => {
      const [skip, execute] = entrypoint?.rules ?? [];
      Object.assign(skip ?? {}, { ref: "renamed" });
      Object.assign(execute ?? {}, { enabled: false, logging: { enabled: true } });
      Object.assign(execute?.action_parameters ?? {}, { overrides: { categories: [] } });
    });
    assert.deepEqual(linesOf((await driftOf(desk, state)).out).slice(0, 3), [
      'ID: changed: waf rules[0].ref: "exception" => "renamed"',
      "ID: changed: waf rules[1].enabled: true => false",
      "2 differences in 1 zone.",
    ]);
  });

  it("given zone ids in capitals, in the state or in any flag, then recognises the zone; refuses a damaged or newer state without a request", async () => {
    const desk = await createStack(await open());
    const big = zoneId.toUpperCase();
    const state = desk.state.replaceAll(zoneId, big);
    writeFileSync(join(desk.folder, "state.json"), state);
    writeFileSync(join(desk.folder, "zones.yaml"), `- id: ${big}\n  name: shop\n`);
    for (const given of [
      `--name ${big}=shop`,
      `--zone ${big} --name ${zoneId}=shop`,
      `--zone ${zoneId} --zones zones.yaml`,
    ]) {
      const out = await printed(drift(desk, "--json", ...given.split(" ")), 0);
      const all = { declared: 2, all: 2 };
      const declared = { settings: true, policies: all, rules: all };
      assert.deepEqual(JSON.parse(out).zones, [{ id: zoneId, name: "shop", declared, notCompared: 0 }]);
    }
    const page = ["--page", "https://shop.example.com/", "https://js.example.com/a.js"];
    assert.equal((await desk.pageGuard(["explain", "--zone", big, ...page])).code, 0);
    writeFileSync(join(desk.folder, "state.json"), desk.state.replaceAll(zoneId, "shop"));
    desk.sim.journal.clear();
    const damaged = await drift(desk);
    assert.match(damaged.err, /the id shop of watch contains no zone id\..*\[state-unreadable\]/m);
    const newer = await driftOf(desk, desk.state.replaceAll('"schemaVersion":1', '"schemaVersion":2'));
    assert.match(newer.err, /^\w+: .* written by a newer .* \[state-of-newer-version\]\n$/);
    assert.deepEqual([damaged.code, newer.code, newer.out, desk.sim.journal.length], [1, 1, "", 0]);
  });

  it("given a wrong service name, then does not report policies as gone", async () => {
    const desk = await createStack(await open());
    desk.sim.faults.add({ path: "/page_shield", kind: "status", status: 404, code: 7003 });
    const err = await printed(drift(desk, "--service", "page_shield"), 1);
    assert.match(err, / has the wrong service name.*\[PG_NOT_FOUND\]/);
  });

  it("given a deleted zone, then reports all its resources as gone, also a migration", async () => {
    const desk = await open();
    const gone = "9".repeat(32);
    for (const kind of Object.keys(kinds)) {
      const id = kind === "CspPolicy" ? `${gone}/${managed}` : gone;
      const one = { id, inputs: { zoneId: gone }, outputs: {}, hasInitErrors: false };
      const state = stateText([{ kind, state: new Map([["one", one]]) }]);
      const { code, out } = await driftOf(desk, state);
      assert.equal(code, 2, kind);
      const why = "the zone is gone, or the token cannot see it";
      assert.ok(out.startsWith(`${gone}: gone: one: ${why}\n1 difference in 1 zone.\n`), out);
    }
  });

  // With the second name, only the state shows that the migration has not ended.
  for (const validation of ["validation", "both"])
    it(`given a zone in "${validation}" whose previous WAF was off, then reports no drift, and the migration's rules count as declared`, async () => {
      const desk = await open();
      const { sim } = desk;
      const waf = { stateNames: { old: "start", validation, finishing: "pending", new: "done" } };
      sim.zones.seed(zoneId, { plan: "enterprise", waf, scripts: 0, connections: 0, cookies: 0 });
      sim.dashboard.setWaf(zoneId, { oldEnabled: false });
      const migration = new SmallEngine(sim, wafMigrationStep);
      await migration.up({ waf: { zoneId, stage: "validation", confirm: zoneId } });
      assert.ok(sim.zone(zoneId).entrypoint !== undefined, "it has written rules");
      sim.journal.clear();
      const state = stateText([{ kind: "WafMigrationStep", state: migration.state }]);
      assert.doesNotMatch(await printed(driftOf(desk, state), 0), /changed|never declared/);
    });

  it("given two resources with one policy, then it is shared, not gone; once it is deleted, it is gone for both", async () => {
    const desk = await createStack(await open());
    const [watch, policies, waf] = desk.resources;
    assert.ok(watch && policies && waf);
    const checkout = policies.state.get("checkout");
    assert.ok(checkout);
    const copied = { kind: "CspPolicy", state: new Map([...policies.state, ["till", checkout]]) };
    const state = stateText([watch, copied, waf]);
    const found = async () =>
      (await printed(driftOf(desk, state, ...named), 2)).replace(/[0-9a-f]{32}/g, "ID");
    const shared = "shop: shared: till: policy ID is also in the state of checkout";
    assert.equal(await found(), `${shared}\n1 difference in 1 zone.\n`);
    desk.sim.dashboard.deletePolicy(zoneId, checkout.id.split("/")[1] ?? "");
    const gone = ["checkout", "till"].map((name) => `shop: gone: ${name}: policy ID\n`).join("");
    assert.equal(await found(), `${gone}2 differences in 1 zone.\n`);
  });

  it("given a set whose update has created only some of its policies, then reports the others as gone", async () => {
    const desk = await createStack(await open());
    const policy = { action: "log", expression: "true", value: "script-src 'self'" };
    const { id: x } = desk.sim.dashboard.putPolicy(zoneId, { ...policy, description: "x" });
    const inputs = { zoneId, policies: { x: policy, y: policy } };
    const one = { id: zoneId, inputs, outputs: { ...inputs, policyIds: { x } }, hasInitErrors: true };
    const state = stateText([{ kind: "CspPolicySet", state: new Map([["csp", one]]) }]);
    assert.match((await driftOf(desk, state, ...named)).out, /^shop: gone: csp policies\.y: policy y$/m);
  });

  it("given changes of every kind, then prints one line each, with path, declared and actual value", async () => {
    const desk = await createStack(await open());
    editZone(desk.sim);
    const out = await printed(drift(desk, ...named), 2);
    assert.deepEqual(linesOf(out), [
      "shop: changed: watch enabled: true => false",
      'shop: changed: checkout action: "log" => "allow"',
      `shop: changed: checkout directives.script-src: "'self' https://js.example.com" => "'self' https://evil.example"`,
      "shop: gone: blog: policy ID",
      'shop: never declared: policy "Landing page" (ID): log, if true: img-src *',
      'shop: changed: waf rules[0].expression: "ip.src eq 192.0.2.1" => "true"',
      'shop: never declared: rule "theirs" (ID)',
      "7 differences in 1 zone.",
      "shop: not declared: 1 of 2 policies, 1 of 3 rules",
    ]);
    const [, { what, path, file, line }] = JSON.parse((await drift(desk, "--json")).out).drift;
    assert.deepEqual([what, path, file, line], ["changed", "action", "index.ts", 7]);
  });

  const waf = "add to the rules of the ManagedWafEntrypoint waf, in the order in which the zone runs them:";
  for (const [language, policy, rules] of [
    [
      "typescript",
      'new CspPolicy(\n  "shop-landing-page",\n  {\n    zoneId,',
      `// ${waf}\n{\n  action: "skip"`,
    ],
    ["yaml", "shop-landing-page:\n    type: page-guard:CspPolicy\n", `# ${waf}\n- `],
  ] as const) {
    it(`given undeclared objects, then --declare prints only their declarations in ${language}`, async () => {
      const desk = await createStack(await open());
      editZone(desk.sim);
      const out = await printed(drift(desk, "--declare", ...named, "--language", language), 2);
      for (const part of [policy, rules]) assert.ok(out.includes(part), out);
      assert.doesNotMatch(out, /changed|difference/);
    });
  }

  it("given a set, then compares its policies by key, and reports other policies as never declared", async () => {
    const desk = await createStack(await open());
    const [checkout, blog] = desk.sim.zone(zoneId).policies;
    assert.ok(checkout && blog);
    const { directives, action, expression } = Object(desk.resources[1]?.state.get("checkout")?.inputs);
    const outputs = { policyIds: { checkout: checkout.id, gone: "f".repeat(32) } };
    const one = { action, expression, directives };
    const policies = { checkout: { ...one, description: "Checkout", action: "allow" }, gone: one };
    const inputs = { zoneId, policies };
    const set = { id: zoneId, inputs, outputs, hasInitErrors: false };
    const state = stateText([{ kind: "CspPolicySet", state: new Map([["policies", set]]) }]);
    const out = await printed(driftOf(desk, state), 2);
    assert.deepEqual(linesOf(out), [
      'ID: changed: policies policies.checkout.action: "allow" => "log"',
      "ID: gone: policies policies.gone: policy ID",
      `ID: never declared: policy "Blog" (ID): log, if http.host eq "blog.example.com": script-src 'self' https://js.example.com; object-src 'none'`,
      "ID: never declared: rule skip if ip.src eq 192.0.2.1 (ID)",
      "ID: never declared: rule execute if true (ID)",
      "5 differences in 1 zone.",
      "ID: not declared: 1 of 2 policies, 2 of 2 rules, the settings",
    ]);
    const rest = await driftOf(desk, state, "--declare");
    assert.match(
      rest.out,
      /\/\/ add to the policies of the CspPolicySet policies:\nblog: \{\n {2}description/,
    );
    const whole = async (isOpen: boolean) => {
      const secrets = { ...set, inputs: { zoneId, policies: secret(policies, isOpen) } };
      const recorded = stateText([{ kind: "CspPolicySet", state: new Map([["policies", secrets]]) }]);
      return (await driftOf(desk, recorded)).out;
    };
    const [changed, ...others] = linesOf(await whole(true)).filter((line) =>
      line.includes(" policies.checkout"),
    );
    assert.equal(changed, "ID: changed: policies policies.checkout.action: [secret] => [secret]");
    assert.deepEqual(others, []);
    assert.match(await whole(false), /^Not compared: .*: policies policies\.checkout\.action \(secret\)$/m);
    assert.doesNotMatch(await whole(false), /changed|checkout\.example/);
    const hidden = { ...set, outputs: { policyIds: secret(outputs.policyIds, false) } };
    const unknown = stateText([{ kind: "CspPolicySet", state: new Map([["policies", hidden]]) }]);
    const closed = await driftOf(desk, unknown);
    assert.match(closed.out, /^Not compared: .*: policies policyIds \(secret\)$/m);
    assert.doesNotMatch(closed.out, /never declared: policy/, "their owner is unknown");
  });

  it("given a zone that is not in the state, then reports all its objects as not declared", async () => {
    const desk = await createStack(await open());
    desk.sim.zones.seed("b".repeat(32), { policies: [{}], scripts: 0, connections: 0 });
    const out = await printed(drift(desk, "--zone", "b".repeat(32)), 2);
    assert.match(out, /^b{32}: not declared: 1 of 1 policy, the settings$/m);
    const { out: rest } = await drift(desk, "--declare", "--zone", "b".repeat(32));
    assert.match(rest, /new PageGuardSettings\(\n {2}"b{32}-settings",/);
  });

  it("given a list of zones, then reports them in its order, also if one of them cannot be read", async () => {
    const desk = await createStack(await open());
    const second = "b".repeat(32);
    desk.sim.zones.seed(second, { policies: [{}], scripts: 0, connections: 0 });
    editZone(desk.sim);
    writeFileSync(
      join(desk.folder, "zones.yaml"),
      `- { id: ${second}, name: blog }\n- { id: "${"9".repeat(32)}", name: none }\n- { id: ${zoneId}, name: shop }\n`,
    );
    const { code, out, err } = await drift(desk, "--zones", "zones.yaml");
    assert.equal(code, 1);
    assert.match(err, /^none: could not be read: .*\[PG_NOT_FOUND\]$/m);
    assert.match(out, /^blog: never declared: .*^shop: changed: .*^8 differences in 2 of 3 zones\.$/ms);
    // Without the flag, the file's names and order still apply, but the state determines the zones.
    assert.match((await drift(desk)).out, /^shop: changed: /);
  });

  it("given no state, two states, or a file that is no state, then says so and exits with 1", async () => {
    const desk = await open();
    writeFileSync(join(desk.folder, "list.json"), "[]");
    writeFileSync(join(desk.folder, "backend.json"), '{"version":3,"checkpoint":{"latest":{}}}');
    await expectRefusals(
      (args) => desk.pageGuard(["drift", ...args]),
      [
        [[], /Give the state with either --stack NAME or --state FILE/],
        [["--stack", "a", "--state", "b"], /Give the state with either --stack NAME or --state FILE/],
        [["--state", "nowhere.json"], /Failed to read nowhere/],
        [["--state", "list.json"], /Failed to read the state of list\.json/],
        [["--state", "backend.json"], /backend\.json: it is not the output of `pulumi stack export`/],
      ],
    );
  });

  it("given secret values, then counts encrypted ones as not compared, compares decrypted ones, and prints neither", async () => {
    const desk = await createStack(await open());
    editZone(desk.sim);
    const withSecret = (plaintext: boolean): string =>
      stateText(desk.resources, (name, args) =>
        name === "checkout" ? { ...args, directives: secret(args["directives"], plaintext) } : args,
      );
    const closed = await driftOf(desk, withSecret(false));
    assert.equal(closed.code, 2);
    assert.match(closed.out, /^6 differences in 1 zone, but 1 value could not be compared\.$/m);
    assert.match(closed.out, /^Not compared: .*: checkout directives \(secret\)$/m);
    assert.doesNotMatch(closed.out, /evil|js\.example/);
    const opened = await driftOf(desk, withSecret(true));
    assert.match(opened.out, /changed: checkout directives: \[secret\] => \[secret\]/);
    for (const flag of ["--json", "--sarif=-", "--junit=-"]) {
      const { out } = await driftOf(desk, withSecret(true), flag);
      assert.doesNotMatch(out, /evil\.example|js\.example/, flag);
    }
  });

  it("given secret rules that are deleted or reordered, then does not print their texts", async () => {
    const desk = await createStack(await open());
    const state = stateText(desk.resources, (name, args) =>
      name === "waf" ? { ...args, rules: secret(args["rules"], true) } : args,
    );
    desk.sim.edit(zoneId, ({ entrypoint }) => entrypoint?.rules.reverse());
    const moved = (await driftOf(desk, state)).out;
    desk.sim.edit(zoneId, ({ entrypoint }) => entrypoint?.rules.pop());
    const gone = (await driftOf(desk, state)).out;
    assert.deepEqual(
      [moved, gone].map((out) => linesOf(out)[0]),
      ['ID: changed: waf rules (their order): "ID, ID" => "ID, ID"', "ID: gone: waf rules[0]: rule ID"],
    );
  });

  it("given hostile names in the zone, then no escape sequence, command or markup reaches any output", async () => {
    const desk = await createStack(await open());
    const description = "\u001b[2K\u202e::stop-commands::x##[error]<b>";
    desk.sim.dashboard.putPolicy(zoneId, { description, expression: "true" });
    for (const flags of [[], ["--declare"], ["--junit=-"], ["--sarif=-"]]) {
      const { out } = await drift(desk, ...flags);
      assert.doesNotMatch(out.replaceAll("\n", " "), /[\p{Cc}\p{Cf}]|##\[/u, flags.join());
      assert.doesNotMatch(out, /^\s*::/m, flags.join());
      if (flags.includes("--junit=-")) assert.doesNotMatch(out, /<b>/);
    }
  });
});

/** Returns the lines of an output, with placeholders for ids. */
function linesOf(out: string): string[] {
  return out
    .trimEnd()
    .replace(/[0-9a-f]{32}/g, "ID")
    .split("\n");
}

interface RecordedDesk extends Desk {
  readonly state: string;
  readonly resources: Parameters<typeof stateText>[0];
}

/** Creates a stack with resources of several kinds, and writes its state. */
async function createStack(desk: Desk): Promise<RecordedDesk> {
  const { sim, folder } = desk;
  sim.zones.seed(zoneId, { scripts: 0, connections: 0, cookies: 0 });
  const watch = new SmallEngine(sim, pageGuardSettings);
  await watch.up({ watch: { zoneId, enabled: true } });
  const policies = new SmallEngine(sim, cspPolicy);
  const policy = (description: string): Properties => ({
    zoneId,
    description,
    action: "log",
    expression: `http.host eq "${description.toLowerCase()}.example.com"`,
    directives: { "script-src": ["'self'", "https://js.example.com"], "object-src": ["'none'"] },
  });
  await policies.up({ checkout: policy("Checkout"), blog: policy("Blog") });
  const rules = new SmallEngine(sim, managedWafEntrypoint);
  const extra = { ruleset: "current" };
  const skip = { action: "skip", expression: "ip.src eq 192.0.2.1", actionParameters: { extra } };
  const execute = { action: "execute", expression: "true", actionParameters: { id: managed } };
  await rules.up({ waf: { zoneId, rules: [skip, execute] } });
  const resources = [
    { kind: "PageGuardSettings", state: watch.state },
    { kind: "CspPolicy", state: policies.state },
    { kind: "ManagedWafEntrypoint", state: rules.state },
  ];
  const state = stateText(resources);
  writeFileSync(join(folder, "state.json"), state);
  sim.journal.clear();
  return { ...desk, state, resources };
}

/** Makes edits in the dashboard. */
function editZone(sim: Simulator): void {
  sim.dashboard.setSettings(zoneId, { enabled: false });
  const [checkout, blog] = sim.zone(zoneId).policies;
  assert.ok(checkout && blog);
  const value = "script-src 'self' https://evil.example; object-src 'none'";
  sim.dashboard.putPolicy(zoneId, { ...checkout, action: "allow", value });
  sim.dashboard.deletePolicy(zoneId, blog.id);
  sim.dashboard.putPolicy(zoneId, { description: "Landing page", expression: "true", value: "img-src *" });
  sim.edit(zoneId, ({ entrypoint }) => {
    assert.ok(entrypoint?.rules[0]);
    entrypoint.rules[0].expression = "true";
    const theirs = { id: "9".repeat(32), ref: "theirs", description: "theirs" };
    entrypoint.rules.push({ ...entrypoint.rules[0], ...theirs, expression: "ip.src eq 192.0.2.9" });
  });
}
