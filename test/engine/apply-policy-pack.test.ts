import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { entrypoint, migration, policy, secret } from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { remediating } from "./support/javascript-pack";
import { Pipeline } from "./support/pipeline";
import { resource, useYaml } from "./support/yaml-program";

const value = "script-src 'self'; object-src 'none'; base-uri 'self'";
const rule = { action: "block", expression: 'http.host eq "ours.example.com"', description: "ours" };

describe("On the engine: policy packs that remediate, and approvals", function () {
  const begin = useStories(this);

  it("given a pack that changes a migration, then review, apply and a plain up refuse it before any request, and name the input", async () => {
    const { sim, stack } = await begin({ [zoneB]: { waf: {} } });
    const from = (start: number): string =>
      `if (type.endsWith(":WafMigrationStep") && start >= ${start}) return { ...props, stage: "finished" };`;
    stack.declare({ move: migration({ zoneId: zoneB, stage: "validation" }) });
    const pack = remediating(stack, from(3));
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    await pipeline.approve();
    assert.match(
      await pipeline.refuses(),
      /move: this was not shown at approval: The policy ours of the pack remediating changed stage\. .*\[remediation-refused\]/,
    );
    await assert.rejects(pipeline.approve(), /the preview did not succeed, or the review has errors/);
    const up = await stack.upFails("--policy-pack", pack);
    assert.match(up, /a policy pack changed stage\. .*\[remediation-refused\]/);
    assert.deepEqual(sim.changing(), []);

    // The preview of an update brings the inputs to the provider.
    await stack.up();
    stack.declare({ move: migration({ zoneId: zoneB, stage: "validation", timeoutMinutes: 7 }) });
    const changing = sim.changing().length;
    assert.match(await stack.fails("preview", "--policy-pack", pack), /a policy pack changed stage/);
    assert.equal(sim.changing().length, changing);
  });

  it("given a pack that changes the same inputs in each run, then a review shows its result, the update does it, and a plain up warns and does it, too", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    const pack = remediating(
      stack,
      `if (type.endsWith(":CspPolicy")) return { ...props, description: props.description + " (ours)" };`,
    );
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    stack.declare({ csp: policy({ zoneId: zoneA, value }) });
    await pipeline.approve();
    await pipeline.applies();
    assert.equal(sim.zone(zoneA).policies[0]?.description, "checkout (ours)");
    stack.declare({ csp: policy({ zoneId: zoneA, value, action: "allow", impact: "off" }) });
    const said = await stack.up("--policy-pack", pack);
    assert.match(said, /warning: a policy pack changed description: .* \[inputs-remediated\]/);
    assert.equal(sim.zone(zoneA).policies[0]?.action, "allow");
  });

  it("given a pack that returns a secret input as plain text, then it is shown nowhere and not approved; one that keeps it a secret is applied", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    const pack = remediating(
      stack,
      `if (!type.endsWith(":CspPolicy")) return;
      if (props.action === "allow") return { ...props, description: "ours" };
      props.description = "ours";
      return props;`,
    );
    const hidden = "script-src https://hush.example.com; object-src 'none'; base-uri 'self'";
    const csp = (action: string) => ({
      csp: policy({ zoneId: zoneA, action, value: secret(hidden), impact: "off" }),
    });
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    stack.declare(csp("log"));
    await pipeline.approve();
    assert.match(
      await pipeline.applies(),
      /Not compared with the approval, .*: value of csp \(CspPolicy\)\./,
    );
    assert.equal(sim.zone(zoneA).policies[0]?.value, hidden);
    assert.doesNotMatch(readFileSync(pipeline.file, "utf8"), /hush/);
    stack.declare(csp("allow"));
    await assert.rejects(pipeline.approve(), /returned the secret value as plain text/);
    assert.ok(!existsSync(pipeline.file));
    assert.doesNotMatch(stack.said, /hush/);
  });

  it("given a pack that lets a new policy enforce in the update only, then apply sends nothing and names the inputs", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    const pack = remediating(
      stack,
      `if (type.endsWith(":CspPolicy") && start >= 4) return { ...props, action: "allow", value: "script-src *" };`,
    );
    stack.declare({ csp: policy({ zoneId: zoneA, value }) });
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    await pipeline.approve();
    assert.match(
      await pipeline.refusedMidway(),
      /csp \(CspPolicy\): .* changed action, value to something other than what the review showed/,
    );
    assert.deepEqual(sim.changing(), []);
  });

  it("given a program in YAML, then apply sends nothing of what a pack changes in the update only", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    const declare = await useYaml(stack);
    const pack = remediating(
      stack,
      `if (type.endsWith(":CspPolicy") && start >= 4) return { ...props, action: "allow" };`,
    );
    const { args } = policy({ zoneId: zoneA, value });
    declare({ resources: { csp: resource("CspPolicy", args) } });
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    await pipeline.approve();
    assert.match(
      await pipeline.refusedMidway(),
      /csp \(CspPolicy\): .* changed action to something other than what the review showed/,
    );
    assert.deepEqual(sim.changing(), []);
  });

  it("given a pack that changes an approved edit in the update, or makes something invalid, then it is refused", async () => {
    const { sim, stack } = await begin({
      [zoneA]: { plan: "enterprise", entrypoint: { rules: [{ action: "block", expression: "ssl" }] } },
    });
    stack.declare({ waf: entrypoint({ zoneId: zoneA, foreignRules: "keep", rules: [rule] }) });
    await stack.up();
    const before = sim.changing().length;
    const pack = remediating(
      stack,
      `if (type.endsWith(":ManagedWafEntrypoint") && start >= 4) return { ...props, foreignRules: "overwrite" };
      if (type.endsWith(":CspPolicy")) return { ...props, directives: { "script-src": ["*"] } };`,
    );
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    const edited = { ...rule, enabled: false };
    stack.declare({ waf: entrypoint({ zoneId: zoneA, foreignRules: "keep", rules: [edited] }) });
    await pipeline.approve();
    assert.match(await pipeline.refusedMidway(), /waf \(ManagedWafEntrypoint\): .* changed foreignRules to/);
    stack.declare({ csp: policy({ zoneId: zoneA, value }) });
    assert.match(await stack.upFails("--policy-pack", pack), /csp-value-or-directives/);
    assert.equal(sim.changing().length, before);
  });
});
