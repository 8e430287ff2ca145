import assert from "node:assert/strict";
import type { Simulator } from "../../../provider/src/simulator";
import { type Declared, entrypoint, policy, policySet, settings } from "../../real-engine/declaration";
import type { AddStory } from "../../real-engine/shared-stories";
import type { KillPoint } from "../../real-engine/stack";
import { runManaged, sharedZone } from "../../real-engine/three-resources";
import { killedMigration } from "../support/killed-migration";

interface Case {
  readonly kind: string;
  readonly declared: (zoneId: string) => Declared;
  readonly edited: (zoneId: string) => Declared;
  /** The request of the create, of the update, of the delete. */
  readonly requests: readonly [
    Pick<KillPoint, "method" | "path">,
    Pick<KillPoint, "method" | "path">,
    Pick<KillPoint, "method" | "path">,
  ];
}

const settingsPut = { method: "PUT", path: /page_guard$/ };
const entrypointPut = { method: "PUT", path: "entrypoint" };

const cases: readonly Case[] = [
  {
    kind: "PageGuardSettings",
    declared: (zoneId) => settings({ zoneId, enabled: true }),
    edited: (zoneId) => settings({ zoneId, enabled: true, useConnectionUrlPath: true }),
    requests: [settingsPut, settingsPut, settingsPut],
  },
  {
    kind: "CspPolicy",
    declared: (zoneId) => policy({ zoneId }),
    edited: (zoneId) => policy({ zoneId, description: "second edition" }),
    requests: [
      { method: "POST", path: "/policies" },
      { method: "PUT", path: "/policies/" },
      { method: "DELETE", path: "/policies/" },
    ],
  },
  {
    kind: "ManagedWafEntrypoint",
    declared: (zoneId) => entrypoint({ zoneId, rules: [runManaged], foreignRules: "keep" }),
    edited: (zoneId) =>
      entrypoint({
        zoneId,
        rules: [{ ...runManaged, description: "second edition" }],
        foreignRules: "keep",
      }),
    requests: [entrypointPut, entrypointPut, entrypointPut],
  },
];

export function providerKilled(addStory: AddStory): void {
  describe("the provider process dies between request and answer", () => {
    for (const { kind, declared, edited, requests } of cases) {
      addStory(
        `given a ${kind}, when the provider dies in create, update and delete, before and after the service acted, then the next run reaches what is declared`,
        { zoneA: sharedZone },
        async ({ sim, stack, zones: { zoneA } }) => {
          const [create, update, remove] = requests;
          const content = () => contentOf(sim, zoneA);
          const found = content();

          stack.declare({ it: declared(zoneA) });
          stack.killProviderAt({ at: "arrival", ...create });
          await stack.upFails();
          assert.deepEqual(content(), found, "the service has done nothing");
          stack.killProviderAt({ at: "processed", ...create });
          await stack.upFails();
          const made = content();
          assert.notDeepEqual(made, found, "the service has acted");
          await stack.up();
          assert.deepEqual(content(), made, "what exists already is adopted, not created twice");
          await stack.expectEmptyPreview();

          stack.declare({ it: edited(zoneA) });
          stack.killProviderAt({ at: "arrival", ...update });
          await stack.upFails();
          assert.deepEqual(content(), made);
          stack.killProviderAt({ at: "processed", ...update });
          await stack.upFails();
          const updated = content();
          assert.notDeepEqual(updated, made);
          await stack.up();
          assert.deepEqual(content(), updated);
          await stack.expectEmptyPreview();

          stack.killProviderAt({ at: "processed", ...remove });
          await stack.fails("destroy", "--yes", "--skip-preview");
          const left = content();
          assert.notDeepEqual(left, updated);
          await stack.destroy();
          assert.deepEqual(content(), left);
          assert.deepEqual(stack.resources(), []);
        },
      );
    }

    for (const at of ["arrival", "processed"] as const) {
      addStory(
        `given a set of policies, when the provider dies at ${at} of creates, updates and deletes, then the next run makes the zone as declared and nothing is there twice`,
        { zoneA: sharedZone },
        async ({ sim, stack, zones: { zoneA } }) => {
          const declare = (policies: Record<string, Record<string, unknown>>) =>
            stack.declare({ set: policySet({ zoneId: zoneA, policies }) });
          const ours = () =>
            sim
              .zone(zoneA)
              .policies.map(({ description }) => description)
              .filter((description) => description !== "unmanaged")
              .sort();
          declare({ a: {}, b: { value: "img-src 'self'" }, c: { value: "font-src 'self'" } });
          if (at === "arrival") {
            // In its check, and the engine checks one resource after the other. A read that was answered is no other.
            stack.killProviderAt({ at, method: "GET", path: "/policies", isAlone: true });
            await stack.upFails();
          }
          stack.killProviderAt({ at, method: "POST", skip: 1 });
          await stack.upFails();
          await stack.up();
          assert.deepEqual(ours(), ["a", "b", "c"]);
          declare({ a: { enabled: false }, b: { value: "img-src 'none'" }, d: {} });
          stack.killProviderAt({ at, method: "PUT" });
          await stack.upFails();
          stack.killProviderAt({ at, method: "DELETE" });
          await stack.upFails();
          await stack.up();
          assert.deepEqual(ours(), ["a", "b", "d"]);
          await stack.expectEmptyPreview();
          stack.killProviderAt({ at, method: "DELETE", skip: 1 });
          await stack.fails("destroy", "--yes", "--skip-preview");
          assert.ok(ours().length < 3);
          await stack.destroy();
          assert.deepEqual(ours(), []);
        },
      );
    }

    killedMigration(addStory, "provider");
  });
}

/** What of the zone the stack may change, without what the server makes up at each write. */
function contentOf(sim: Pick<Simulator, "zone">, zoneId: string): unknown {
  const { settings: switches, policies, entrypoint: list } = sim.zone(zoneId);
  const { updated_at: _, ...rest } = switches;
  return { rest, policies, rules: list?.rules };
}
