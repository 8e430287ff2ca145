import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Declaration,
  entrypoint,
  migration,
  outputOf,
  policy,
  policySet,
  secret,
  settings,
} from "./real-engine/declaration";
import { runPulumi } from "./real-engine/engine";
import { changesOf } from "./real-engine/preview";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { inJavaScript, packOf, remediating } from "./support/javascript-pack";
import { Pipeline } from "./support/pipeline";

const root = resolve(__dirname, "../..");
const pack = join(root, "examples/policy-pack");
const run = (id: string, more: object = {}) => ({
  action: "execute",
  expression: "true",
  actionParameters: { id },
  ...more,
});
const managed = run("efb7b8c949ac4650a09736fc376e9aee");
const owasp = run("4814384a9e5d4991b9815dcfc25d2f1f");
const good = "script-src 'self' https://js.example.com; object-src 'none'; base-uri 'self'";

const careless: Declaration = {
  off: settings({ zoneId: zoneA, enabled: false }),
  eager: policy({ zoneId: zoneA, action: "allow", impact: "off", value: good }),
  wide: policy({
    zoneId: zoneA,
    description: "wide",
    lint: "off",
    value: "script-src https://*.co.uk blob:",
  }),
  set: policySet({
    zoneId: zoneB,
    others: "delete",
    policies: {
      any: { action: "log", expression: "true", directives: { "default-src": ["*"] } },
      images: { action: "log", expression: 'http.host eq "img.example.com"', value: "img-src 'self'" },
    },
  }),
  waf: entrypoint({ zoneId: zoneA, foreignRules: "overwrite", rules: [{ ...managed, enabled: false }] }),
};

const careful: Declaration = {
  on: settings({ zoneId: zoneA, enabled: true }),
  // An output of another resource is unknown in the first preview.
  chained: policy({ zoneId: outputOf("on", "id"), description: "chained", value: secret(good) }),
  set: policySet({ zoneId: zoneA, policies: { shop: { action: "log", expression: "true", value: good } } }),
  waf: entrypoint({ zoneId: zoneA, rules: [managed, owasp] }),
};

const moved: Declaration = {
  move: migration({ zoneId: zoneB }),
  "on-b": settings({ zoneId: zoneB, enabled: true }),
};

const exemption = (resource: string, rule: string, until = "9999-12-31") => ({
  resource,
  rule,
  until,
  reason: "the old shop is taken down this year",
});

describe("On the engine: examples/policy-pack", function () {
  const begin = useStories(this);

  it("given a stack that violates the policies, when it is previewed, then each violation is reported at its resource, exemptions end on their date, and validateResourceOfType accepts our classes", async () => {
    const { stack, sim } = await begin({ [zoneA]: {}, [zoneB]: {} });
    stack.declare(careless);
    const config = configOf(stack, "pack.json", { "no-overwrite": { productionStacks: ["dev"] } });
    const none = configOf(stack, "none.json", {});
    const said = await stack.fails(
      ...["preview", "--policy-pack", pack, "--policy-pack-config", config],
      ...["--policy-pack", typedPack(stack), "--policy-pack-config", none],
    );
    assert.deepEqual(violations(said), [
      "CspPolicy eager: days-in-log",
      "CspPolicy wide: script-scheme",
      "CspPolicy wide: security-anyone-publishes",
      "CspPolicySet set/any: security-wildcard",
      "CspPolicySet set/images: security-missing-script-src",
      "CspPolicySet set: delete-others",
      "CspPolicySet set: no-settings",
      "ManagedWafEntrypoint waf: overwrite",
      "ManagedWafEntrypoint waf: ruleset-managed",
      "ManagedWafEntrypoint waf: ruleset-owasp",
      "PageGuardSettings off: switched-off",
    ]);
    assert.deepEqual([...said.matchAll(/^ +seen (.+)$/gm)].map(([, seen]) => seen).sort(), [
      "eager with action allow",
      "off with enabled false",
      "set with policies any,images",
      "waf with rules execute",
      "wide with action log",
    ]);

    // The preview above ran the pack untranslated, beside another one.
    const translated = inJavaScript(pack, join(stack.place.folder, "translated-pack"));
    const exempted = configOf(stack, "exempted.json", {
      "allow-after-log": { days: 3, exemptions: [exemption("eager", "days-in-log")] },
      "scripts-by-name": {
        exemptions: [
          exemption("set", "security-wildcard"),
          exemption("set/images", "security-missing-script-src"),
          exemption("wide", "security-anyone-publishes", "2020-01-31"),
          exemption("wide", "script-scheme"),
        ],
      },
      "managed-rulesets-at-work": "disabled",
    });
    const still = await stack.fails("preview", "--policy-pack", translated, "--policy-pack-config", exempted);
    assert.deepEqual(violations(still), [
      "CspPolicy wide: security-anyone-publishes",
      "CspPolicySet set/any: security-wildcard",
      "CspPolicySet set: no-settings",
      "PageGuardSettings off: switched-off",
    ]);
    assert.match(
      still,
      /Its exemption ended on 2020-01-31: the old shop is taken down this year \[security-anyone-publishes\]/,
    );
    assert.equal(sim.changing().length, 0);
  });

  it("given a stack that obeys the policies, when it is applied and its state is analysed, then the only findings are a migration in a stack that is not listed, and a secret that stays encrypted", async () => {
    const { stack } = await begin({ [zoneA]: {}, [zoneB]: { plan: "business" } });
    const translated = inJavaScript(pack, join(stack.place.folder, "translated-pack"));
    const packed = (config: object) => [
      ...["--policy-pack", translated],
      ...["--policy-pack-config", configOf(stack, "pack.json", config)],
    ];
    const moving = { ...careful, ...moved };
    stack.declare(moving);
    const refused = await stack.fails("preview", ...packed({}));
    assert.deepEqual(violations(refused), ["WafMigrationStep move-step: migration"]);
    assert.doesNotMatch(refused, /can't run/, "no rule reads an unknown value that it does not need");

    const named = { "migrations-where-named": { migrationStacks: ["dev"] } };
    assert.deepEqual(violations(await stack.up(...packed(named))), []);

    // Secrets stay encrypted: the analysis of a state needs no passphrase.
    const state = join(stack.place.folder, "state.json");
    writeFileSync(state, exportState(stack));
    const analyze = (config: object) =>
      runPulumi(stack.place, ["policy", "analyze", "--file", state, ...packed(config)], {
        PULUMI_CONFIG_PASSPHRASE: undefined,
      }).ended;
    const found = await analyze(JSON.parse(readFileSync(join(pack, "config.json"), "utf8")));
    assert.notEqual(found.code, 0);
    assert.deepEqual(violations(found.output), [
      "CspPolicy chained: closed-secret",
      "WafMigrationStep move-step: migration",
    ]);
  });

  it("given a pack that changes inputs, when a policy would enforce too early, somebody added a rule or a migration would finish, then the preview still reports it", async () => {
    const { stack, sim, unmanaged } = await begin({
      [zoneA]: {},
      [zoneB]: { waf: { firewallRules: 1, owasp: true } },
    });
    const changing = remediatingPack(stack);
    const csp = policy({ zoneId: zoneA, value: good, minimumLogDays: 7 });
    const waf = entrypoint({ zoneId: zoneA, rules: [{ ...managed, description: "managed" }] });
    const steps = migration({ zoneId: zoneB, stage: "validation" });
    const program = { csp, waf, steps };
    stack.declare(program);
    await stack.up("--policy-pack", changing);
    assert.equal(sim.zone(zoneA).policies[0]?.description, "checkout (ours)");
    for (const { urn, inputs, outputs } of stack.resources()) {
      assert.deepEqual([inputs["__urn"], outputs["__urn"]], [urn, urn]);
      const written = [inputs, outputs].map(({ __urn }) => JSON.stringify({ __urn }));
      assert.ok(written.join().length <= 300, "the mark of an update stays small");
    }
    await stack.refresh();
    assert.deepEqual(changesOf(await stack.preview("--policy-pack", changing)), []);
    const changes = sim.changing().length;

    const eager = policy({ zoneId: zoneA, value: good, minimumLogDays: 7, action: "allow" });
    stack.env["PULUMI_PARALLEL_DIFF"] = "true";
    stack.declare({ ...program, csp: eager });
    assert.match(await stack.fails("preview", "--policy-pack", changing), /csp-too-early/);
    const more = entrypoint({ zoneId: zoneA, rules: [{ ...managed, description: "managed" }, owasp] });
    unmanaged.watch(zoneA, sim.dashboard.addRule(zoneA, { action: "block", expression: "ssl" }).id);
    stack.declare({ ...program, waf: more });
    assert.match(await stack.fails("preview", "--policy-pack", changing), /waf-foreign-rules/);
    stack.env["PULUMI_PARALLEL_DIFF"] = undefined;

    stack.declare({ ...program, steps: migration({ zoneId: zoneB, stage: "finished" }) });
    const finishing = await stack.preview("--policy-pack", changing);
    assert.match(finishing.messages.map(({ text }) => text).join("\n"), /FINISHES the WAF migration/);
    assert.equal(sim.changing().length, changes);
  });

  it("given a pack that finishes a migration at its fourth start, in the approved update, when it is applied, then apply changes nothing, names the input and exits with 2", async () => {
    const { stack, sim } = await begin({ [zoneB]: { waf: {} } });
    const late = remediating(
      stack,
      `if (type.endsWith(":WafMigrationStep") && start >= 4) return { ...props, stage: "finished" };`,
    );
    stack.declare({ move: migration({ zoneId: zoneB, stage: "validation" }) });
    const pipeline = new Pipeline(stack, ["--policy-pack", late]);
    await pipeline.approve();
    const said = await pipeline.refusedMidway();
    assert.match(said, /move \(WafMigration\): .*a policy pack changed stage\. .*\[remediation-refused\]/);
    assert.match(said, /\nNothing was changed\.\n/);
    assert.deepEqual(sim.changing(), []);
  });
});

/** The state, as `pulumi stack export` prints it. */
function exportState({ checkpoint }: Stack): string {
  const { version, checkpoint: whole } = JSON.parse(readFileSync(checkpoint, "utf8"));
  return JSON.stringify({ version, deployment: whole.latest });
}

/** `Kind name: rule` of each violation, sorted. */
function violations(said: string): string[] {
  return [...said.matchAll(/page-guard:(\w+): [\w-]+\)\n.*\n +(\S+): .*\[([\w-]+)\]$/gm)]
    .map(([, kind, resource, rule]) => `${kind} ${resource}: ${rule}`)
    .sort();
}

function configOf(stack: Stack, name: string, config: object): string {
  const file = join(stack.place.folder, name);
  writeFileSync(file, JSON.stringify(config));
  // The framework reads the version of the package in which it is started.
  writeFileSync(join(stack.place.project, "package.json"), '{ "private": true, "version": "0.0.0" }\n');
  return file;
}

/** A pack that selects resources by their classes, as packs for other providers do. */
const typedPack = (stack: Stack) =>
  packOf(
    stack,
    "typed",
    `const { PolicyPack, validateResourceOfType } = require("@pulumi/policy");
const { CspPolicy, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings } = require("pulumi-page-guard");
const seen = (kind) => ({
  name: "seen-" + kind.name,
  description: kind.name,
  enforcementLevel: "advisory",
  validateResource: validateResourceOfType(kind, (props, args, report) =>
    report("seen " + args.name + " with " + (
      props.policies ? "policies " + Object.keys(props.policies)
      : props.rules ? "rules " + props.rules.map(({ action }) => action)
      : props.action ? "action " + props.action
      : "enabled " + props.enabled) + ("__provider" in props ? " and our innards" : ""))),
});
new PolicyPack("typed", { policies: [CspPolicy, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings].map(seen) });
`,
  );

/** A pack that changes inputs of policies and entry points. */
const remediatingPack = (stack: Stack) =>
  remediating(
    stack,
    `if (type.endsWith(":CspPolicy")) return { ...props, description: props.description + " (ours)" };
      if (type.endsWith(":ManagedWafEntrypoint")) return { ...props, name: "ours" };`,
  );
