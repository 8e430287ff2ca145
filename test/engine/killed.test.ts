import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Simulator } from "../../simulator/src";
import { migration, policy } from "./real-engine/declaration";
import { changesOf } from "./real-engine/preview";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA, zoneB, zoneWithPolicy } from "./real-engine/story";
import {
  expectNoneOfThree,
  expectThree,
  inOrder,
  sharedZone,
  threeResources,
} from "./real-engine/three-resources";
import { useYaml, migration as yamlMigration } from "./support/yaml-program";

describe("On the engine: processes that are killed", function () {
  const begin = useStories(this);

  it("given an up, when the CLI is killed and its orphans finish the work, then the next up adopts the result", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(inOrder(threeResources(zoneA)));
    stack.killAt("cli", { at: "processed", method: "POST", path: "/policies" });
    assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
    await stack.letOrphansFinish();
    assert.match(await stack.upFails(), /locked/, "the stack stays locked until `pulumi cancel`");
    await stack.run("cancel", "--yes");
    await stack.up();
    expectThree(sim, zoneA);
    await stack.expectEmptyPreview();
    await stack.refresh("--clear-pending-creates");
    await stack.expectEmptyPreview();
    await stack.destroy();
    expectNoneOfThree(sim, zoneA);
  });

  it("given resources that move to another zone, when all processes die before the old objects are deleted, then the next up deletes them", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone, [zoneB]: sharedZone });
    stack.declare(inOrder(threeResources(zoneA)));
    await stack.up();
    stack.declare(inOrder(threeResources(zoneB)));
    const replaced = changesOf(await stack.preview()).filter((change) => change.startsWith("replace "));
    assert.deepEqual(replaced, ["replace csp: zoneId", "replace waf: zoneId", "replace watch: zoneId"]);
    // Replaced resources are deleted at the very end.
    stack.killAt("all", { at: "arrival", method: "DELETE", path: "/policies/" });
    assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
    stack.unlock();
    await stack.up();
    expectNoneOfThree(sim, zoneA);
    expectThree(sim, zoneB);
    assert.equal(stack.resources().length, 3);
    await stack.expectEmptyPreview();
  });

  it("given a policy, when the provider dies after the service has created, updated or deleted it, then the next run reaches the declared state", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    const policies = () => sim.zone(zoneA).policies;
    stack.declare({ it: policy({ zoneId: zoneA }) });
    stack.killAt("provider", { at: "processed", method: "POST", path: "/policies" });
    await stack.upFails();
    const made = policies();
    assert.equal(made.length, 2, "the service has acted");
    await stack.up();
    assert.deepEqual(policies(), made, "what exists already is adopted, not created twice");
    stack.declare({ it: policy({ zoneId: zoneA, description: "second edition" }) });
    stack.killAt("provider", { at: "processed", method: "PUT", path: "/policies/" });
    await stack.upFails();
    const updated = policies();
    assert.notDeepEqual(updated, made);
    await stack.up();
    assert.deepEqual(policies(), updated);
    stack.killAt("provider", { at: "processed", method: "DELETE", path: "/policies/" });
    await stack.fails("destroy", "--yes", "--skip-preview");
    await stack.destroy();
    assert.equal(policies().length, 1);
    assert.deepEqual(stack.resources(), []);
  });

  it("given a migration, when all processes die before the finishing request is processed, then the next up finishes it, and only its own finish is accepted", async () => {
    const zone = { ...zoneWithPolicy, plan: "pro", waf: { finishMs: 300, firewallRules: 1 } } as const;
    const { sim, stack } = await begin({ [zoneA]: zone });
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    stack.killAt("all", { at: "arrival", method: "PUT" });
    const killed = await stack.run("up", "--yes", "--skip-preview");
    assert.notEqual(killed.code, 0, `nothing was killed:\n${killed.output}`);
    stack.unlock();
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 0);
    await stack.up();
    expectFinished(sim, stack);
    assert.equal(sim.zone(zoneA).waf.stage, "new");
  });

  it("given reads that lag by half a minute, when all processes die at the finishing request, then the next up sends no second one, and the migration is finished", async () => {
    const waf = { firewallRules: 1, lagMs: 30_000, lagsEverywhere: true } as const;
    const { sim, stack } = await begin({ [zoneA]: { ...zoneWithPolicy, waf } });
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    stack.killAt("all", { at: "processed", method: "PUT" });
    const killed = await stack.run("up", "--yes", "--skip-preview");
    assert.notEqual(killed.code, 0, `nothing was killed:\n${killed.output}`);
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
    await stack.run("cancel", "--yes");
    await stack.up();
    expectFinished(sim, stack);
  });
});

describe("On the engine: a migration whose update ends in the pause before its finish", function () {
  const begin = useStories(this);

  for (const [language, signal] of [
    ["TypeScript", "SIGINT"],
    ["YAML", "SIGINT"],
    ["TypeScript", "SIGKILL"],
  ] as const)
    it(`given a program in ${language}, when the CLI gets ${signal}, then nothing is sent, and the next up finishes the migration`, async () => {
      const waf = { finishMs: 300, firewallRules: 1 } as const;
      const { sim, stack } = await begin({ [zoneA]: { ...zoneWithPolicy, plan: "pro", waf } });
      if (language === "YAML")
        (await useYaml(stack))({ resources: { waf: yamlMigration({ zoneId: zoneA }) } });
      else stack.declare({ waf: migration({ zoneId: zoneA }) });
      const findings = join(stack.place.project, "findings.jsonl");
      stack.env["PAGE_GUARD_FINDINGS"] = findings;
      const ended = stack.run("up", "--yes", "--skip-preview");
      const told = (code: string) => () =>
        existsSync(findings) && readFileSync(findings, "utf8").includes(code);
      await until(told("migration-settling"));
      stack.signal(signal);
      await ended;
      await until(told("migration-canceled"));
      stack.killLeftOver();
      assert.deepEqual(sim.changing(), []);
      await stack.run("cancel", "--yes");
      await stack.up();
      assert.deepEqual([sim.zone(zoneA).waf.acceptedPending, sim.changing().length], [1, 1]);
    });
});

/** Expects that the zone has accepted one finish and refused none, and that the state says so. */
function expectFinished(sim: Simulator, stack: Stack): void {
  const { waf } = sim.zone(zoneA);
  assert.deepEqual([waf.acceptedPending, waf.refusedPending, waf.repeatedPending], [1, 0, 0]);
  const { reached, incomplete } = stack.state()["waf-step"]?.outputs ?? {};
  assert.deepEqual([reached, incomplete], ["finished", undefined]);
}

/** Waits for up to a minute. */
async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!isTrue()) {
    assert.ok(Date.now() < end, "nothing happened for a minute");
    await wait(200);
  }
}
