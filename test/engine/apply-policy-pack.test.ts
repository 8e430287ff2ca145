import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { entrypoint, migration, policy, policySet, secret } from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { remediating } from "./support/javascript-pack";
import { Pipeline } from "./support/pipeline";
import { resource, useYaml } from "./support/yaml-program";

const value = "script-src 'self'; object-src 'none'; base-uri 'self'";
const rule = { action: "block", expression: 'http.host eq "ours.example.com"', description: "ours" };

describe("On the engine: approvals with a policy pack that remediates", function () {
  const begin = useStories(this);

  it("given a pack that changes a migration, when it is reviewed or applied, also by a plain up, then it is refused before the first change, and the message names the input", async () => {
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

    // The preview of an update passes the inputs to the provider.
    await stack.up();
    stack.declare({ move: migration({ zoneId: zoneB, stage: "validation", timeoutMinutes: 7 }) });
    const changing = sim.changing().length;
    assert.match(await stack.fails("preview", "--policy-pack", pack), /a policy pack changed stage/);
    assert.equal(sim.changing().length, changing);
  });

  it("given a pack that moves new resources to another zone, or lets them delete unmanaged policies, when it is reviewed or a plain up runs, then these resources are refused before their first request", async () => {
    const zone = { policies: [{ description: "theirs", expression: 'http.host eq "b.example.com"' }] };
    const { sim, stack } = await begin({
      [zoneA]: zone,
      [zoneB]: { ...zone, entrypoint: { rules: [rule] } },
    });
    const one = policy({ zoneId: zoneA, value });
    stack.declare({ one });
    await stack.up();
    const before = sim.changing().length;
    const pack = remediating(
      stack,
      `if (type.endsWith(":CspPolicySet")) { props.others = "delete"; return props; }
      if (type.endsWith(":ManagedWafEntrypoint")) { props.zoneId = "${zoneB}"; return props; }`,
    );
    const policies = { k: { action: "log", expression: 'http.host eq "k.example.com"', value } };
    stack.declare({
      set: policySet({ zoneId: zoneA, policies }),
      waf: entrypoint({ zoneId: zoneA, foreignRules: "overwrite", rules: [rule] }),
      one: policy({ zoneId: zoneA, value }, { dependsOn: ["set"] }),
    });
    const refused =
      / set .*: The policy ours .* changed others\. .*\[remediation-refused\][\s\S]* waf .*: The policy ours .* changed zoneId\. .*\[remediation-refused\]/;
    await assert.rejects(new Pipeline(stack, ["--policy-pack", pack]).approve(), refused);
    const up = await stack.upFails("--policy-pack", pack);
    assert.match(up, /a policy pack changed (others|zoneId)\. .*\[remediation-refused\]/);
    assert.equal(sim.changing().length, before);
  });

  it("given a pack that changes an input in every run, when it is approved, then the update applies the changed input; a plain up does so too, with a warning", async () => {
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

  it("given a pack that returns a secret input as plain text, when it is reviewed, then it is not approved, and the secret is shown nowhere; if it stays secret, it is applied", async () => {
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
      /These inputs were not compared with the approval, .*: value of csp \(CspPolicy\)\./,
    );
    assert.equal(sim.zone(zoneA).policies[0]?.value, hidden);
    assert.doesNotMatch(readFileSync(pipeline.file, "utf8"), /hush/);
    stack.declare(csp("allow"));
    await assert.rejects(pipeline.approve(), /returned the secret value as plain text/);
    assert.ok(!existsSync(pipeline.file));
    assert.doesNotMatch(stack.said, /hush/);
  });

  it("given a pack that held a policy back in the review, and not in the update, then apply sends nothing and names the input", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    const held = `if (type.endsWith(":CspPolicy") && start < 4) return { ...props, action: "log" };`;
    const pack = remediating(stack, held);
    stack.declare({ csp: policy({ zoneId: zoneA, value, action: "allow", impact: "off" }) });
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    await pipeline.approve();
    assert.match(
      await pipeline.refusedMidway(),
      /csp \(CspPolicy\): .* changed action to a value that the review did not show, or no longer changes it/,
    );
    assert.deepEqual(sim.changing(), []);
  });

  it("given a pack that changes a policy that is replaced, then review, warning and update have the declared values, which the engine uses", async () => {
    const { sim, stack } = await begin({ [zoneA]: {}, [zoneB]: {} });
    stack.declare({ csp: policy({ zoneId: zoneA, value }) });
    await stack.up();
    const ours = `if (type.endsWith(":CspPolicy")) return { ...props, description: "ours" };`;
    const pack = remediating(stack, ours);
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    stack.declare({ csp: policy({ zoneId: zoneB, value }) });
    await pipeline.approve();
    assert.match(
      await pipeline.applies(),
      /However, if the engine replaces this resource, it uses the declared values\. \[inputs-remediated\]/,
    );
    assert.equal(sim.zone(zoneB).policies[0]?.description, "checkout");
  });

  it("given a program in YAML and a pack that changes it only in the update, when it is applied, then apply changes nothing and names the inputs", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    const declare = await useYaml(stack);
    const pack = remediating(
      stack,
      `if (type.endsWith(":CspPolicy") && start >= 4) return { ...props, action: "allow", value: "script-src *" };`,
    );
    const { args } = policy({ zoneId: zoneA, value });
    declare({ resources: { csp: resource("CspPolicy", args) } });
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    await pipeline.approve();
    assert.match(
      await pipeline.refusedMidway(),
      /csp \(CspPolicy\): .* changed action, value to a value that the review did not show/,
    );
    assert.deepEqual(sim.changing(), []);
  });

  it("given a pack that changes an approved edit in the update, or makes an input invalid, when it is applied, then it is refused", async () => {
    const { sim, stack } = await begin({
      [zoneA]: { plan: "enterprise", entrypoint: { rules: [{ action: "block", expression: "ssl" }] } },
    });
    stack.declare({ waf: entrypoint({ zoneId: zoneA, foreignRules: "keep", rules: [rule] }) });
    await stack.up();
    const before = sim.changing().length;
    const pack = remediating(
      stack,
      `if (type.endsWith(":ManagedWafEntrypoint") && start >= 4) return { ...props, name: "late" };
      if (type.endsWith(":CspPolicy")) return { ...props, directives: { "script-src": ["*"] } };`,
    );
    const pipeline = new Pipeline(stack, ["--policy-pack", pack]);
    const edited = { ...rule, enabled: false };
    stack.declare({ waf: entrypoint({ zoneId: zoneA, foreignRules: "keep", rules: [edited] }) });
    await pipeline.approve();
    assert.match(await pipeline.refusedMidway(), /waf \(ManagedWafEntrypoint\): .* changed name to/);
    stack.declare({ csp: policy({ zoneId: zoneA, value }) });
    assert.match(await stack.upFails("--policy-pack", pack), /csp-value-or-directives/);
    assert.equal(sim.changing().length, before);
  });
});
