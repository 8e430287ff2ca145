import assert from "node:assert/strict";
import { outputOf, policy, settings } from "../../real-engine/declaration";
import { changesOf } from "../../real-engine/preview";
import type { AddStory } from "../../real-engine/shared-stories";
import { zoneWithPolicy } from "../../real-engine/story";
import {
  expectNoneOfThree,
  expectThree,
  runManaged,
  sharedZone,
  threeEdited,
  threeResources,
} from "../../real-engine/three-resources";

const secondEdition = ", second edition";

export function engineOptions(addStory: AddStory): void {
  describe("the options that Pulumi gives every resource", () => {
    addStory(
      "given an edit of all resources, when only one is targeted, then the others wait for the next up",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(threeResources(zoneA));
        await stack.up();
        stack.declare(threeEdited(zoneA));
        await stack.up("--target", "**CspPolicy::csp");
        assert.equal(sim.zone(zoneA).policies.at(-1)?.description, `checkout${secondEdition}`);
        assert.equal(sim.zone(zoneA).settings.use_connection_url_path, false);
        await stack.up();
        expectThree(sim, zoneA, secondEdition);
        await stack.expectEmptyPreview();
        await stack.destroy("--target", "**CspPolicy::csp");
        assert.equal(sim.zone(zoneA).policies.length, 1);
        assert.deepEqual(Object.keys(stack.state()).sort(), ["waf", "watch"]);
        assert.deepEqual(changesOf(await stack.preview()), ["create csp"]);
        await stack.up();
        expectThree(sim, zoneA, secondEdition);
      },
    );

    addStory(
      "given protected resources, when they are destroyed, then nothing changes; when they are released with retainOnDelete, then the zone keeps them",
      { zoneA: sharedZone },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        stack.declare(threeResources(zoneA, {}, { protect: true }));
        await stack.up();
        await stack.expectEmptyPreview();
        assert.match(await stack.fails("destroy", "--yes"), /protect/);
        // When they are removed from the program, too: waf-migration-refusals.test.ts.
        assert.equal(sim.changing().length, 3);
        expectThree(sim, zoneA);
        stack.declare(threeResources(zoneA, {}, { retainOnDelete: true }));
        await stack.up();
        stack.declare({});
        await stack.up();
        assert.deepEqual(stack.resources(), []);
        assert.equal(sim.changing().length, 3, "retained resources are not touched");
        expectThree(sim, zoneA);
        await stack.expectEmptyPreview();
        unmanaged.expectUntouched();
      },
    );

    addStory(
      "given a stack, when the resources are renamed with an alias, then there is no change and no request; without one, or recreated by --replace, the preview says what is lost, and a refresh in the same run carries it over; without a refresh nothing of the old one stays",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(threeResources(zoneA));
        await stack.up();
        const before = sim.zone(zoneA);
        const policyId = stack.state()["csp"]?.id;
        const { watch, csp, waf } = threeResources(zoneA);
        assert.ok(watch && csp && waf);
        stack.declare({
          watch2: { ...watch, options: { aliases: [{ name: "watch" }] } },
          csp2: { ...csp, options: { aliases: [{ name: "csp" }] } },
          waf2: { ...waf, options: { aliases: [{ name: "waf" }] } },
        });
        await stack.expectEmptyPreview();
        await stack.up();
        assert.deepEqual(Object.keys(stack.state()).sort(), ["csp2", "waf2", "watch2"]);

        const recorded = stack.state();
        stack.declare({ watch3: watch, csp3: csp, waf3: waf });
        const preview = await stack.preview();
        assert.deepEqual(changesOf(preview), [
          "create csp3",
          "create waf3",
          "create watch3",
          "delete csp2",
          "delete waf2",
          "delete watch2",
        ]);
        for (const name of ["csp3", "waf3", "watch3"]) {
          const texts = preview.messages.filter((message) => message.name === name).map(({ text }) => text);
          assert.match(
            texts.join("\n"),
            /aliases: \[\{ name: /,
            `what a rename of ${name} loses is reported`,
          );
        }
        await stack.up("--refresh");
        const renamed = stack.state();
        assert.deepEqual(Object.keys(renamed).sort(), ["csp3", "waf3", "watch3"]);
        assert.equal(renamed["csp3"]?.id, policyId, "the policy is still the same one");
        for (const [kind, output] of [
          ["csp", "loggingSince"],
          ["waf", "initial"],
          ["watch", "initial"],
        ] as const) {
          assert.deepEqual(
            renamed[`${kind}3`]?.outputs[output],
            recorded[`${kind}2`]?.outputs[output],
            `${kind}: ${output} is carried over`,
          );
        }
        assert.deepEqual(sim.zone(zoneA), before, "the zone has not changed in any byte");
        await stack.expectEmptyPreview();

        // Recreated because the command asks for it: only with a refresh does the engine show what is in the state.
        const replace = [
          "--replace",
          "**PageGuardSettings::watch3",
          "--replace",
          "**ManagedWafEntrypoint::waf3",
        ];
        const lost = (await stack.preview(...replace)).messages.map(({ text }) => text).join("\n");
        for (const found of [
          /recreated by --replace, the original settings recorded by the old resource are lost/,
          /recreated by --replace, the original rules recorded/,
        ])
          assert.match(lost, found);
        await stack.up("--refresh", ...replace);
        for (const name of ["waf3", "watch3"])
          assert.deepEqual(stack.state()[name]?.outputs["initial"], renamed[name]?.outputs["initial"]);
        assert.deepEqual(sim.zone(zoneA), before);
        const anotherRef = threeResources(zoneA, {
          entrypoint: { rules: [{ ...runManaged, ref: "another" }] },
        });
        stack.declare({ watch3: watch, csp3: csp, ...(anotherRef["waf"] && { waf3: anotherRef["waf"] }) });
        await stack.up("--replace", "**ManagedWafEntrypoint::waf3");
        expectThree(sim, zoneA);
        await stack.expectEmptyPreview();
        await stack.destroy();
        expectNoneOfThree(sim, zoneA);
      },
    );

    addStory(
      "given equal policies, when one resource becomes two and one again, then there are as many policies as resources",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ one: policy({ zoneId: zoneA }), two: policy({ zoneId: zoneA }) });
        await stack.up();
        assert.equal(sim.zone(zoneA).policies.length, 3);
        assert.notEqual(stack.state()["one"]?.id, stack.state()["two"]?.id);
        await stack.expectEmptyPreview();
        stack.declare({ two: policy({ zoneId: zoneA }) });
        await stack.up();
        assert.deepEqual(
          sim
            .zone(zoneA)
            .policies.map(({ id }) => `${zoneA}/${id}`)
            .slice(1),
          [stack.state()["two"]?.id],
        );
        await stack.expectEmptyPreview();
        // The new one comes first and so finds the policy of the other one, before the engine has asked about that.
        stack.declare({ first: policy({ zoneId: zoneA }), two: policy({ zoneId: zoneA }) });
        await stack.up();
        assert.equal(sim.zone(zoneA).policies.length, 3);
        assert.notEqual(stack.state()["first"]?.id, stack.state()["two"]?.id);
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given a policy that someone else created just as declared, when the stack is applied, then it is adopted, and the preview says so",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        const { args } = policy({});
        const found = sim.dashboard.putPolicy(zoneA, args as object);
        stack.declare({ csp: policy({ zoneId: zoneA }) });
        const messages = (await stack.preview()).messages.filter(({ severity }) => severity === "warning");
        assert.match(
          messages.map(({ text }) => text).join("\n"),
          new RegExp(`exactly this policy already \\(id ${found.id}\\)`),
        );
        await stack.up();
        assert.equal(sim.changing().length, 0);
        assert.equal(stack.state()["csp"]?.id, `${zoneA}/${found.id}`);
        await stack.expectEmptyPreview();
        await stack.destroy();
        assert.equal(sim.zone(zoneA).policies.length, 1);
        unmanaged.expectUntouched();
      },
    );

    addStory(
      "given a stack whose state was lost, when it is applied again, then everything is adopted and nothing is created twice",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(threeResources(zoneA));
        await stack.up();
        const before = sim.zone(zoneA);
        stack.loseState();
        assert.deepEqual(stack.resources(), []);
        await stack.up();
        assert.deepEqual(sim.zone(zoneA), before);
        assert.equal(sim.changing().length, 3);
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given the id of an object, when a program only reads it, then it gets the live values, also for another resource, and an id that leads nowhere fails the preview",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA } }) => {
        const [found] = sim.zone(zoneA).policies;
        stack.declare({
          theirs: { kind: "CspPolicy", args: {}, options: { id: `${zoneA}/${found?.id}` } },
          beside: policy({ zoneId: zoneA, expression: outputOf("theirs", "expression") }),
        });
        await stack.up();
        assert.equal(stack.state()["theirs"]?.outputs["expression"], found?.expression);
        assert.equal(sim.changing().length, 1);
        assert.equal(sim.zone(zoneA).policies.at(-1)?.expression, found?.expression);
        stack.declare({
          theirs: {
            kind: "CspPolicy",
            args: {},
            options: { id: `${zoneA}/00000000000000000000000000000000` },
          },
          watch: settings({ zoneId: zoneA, enabled: true }),
        });
        assert.match(
          await stack.fails("preview"),
          /Failed to get the CspPolicy .*: there is none with this id/,
        );
        assert.equal(sim.changing().length, 1);
      },
    );
  });
}
