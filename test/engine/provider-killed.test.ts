import assert from "node:assert/strict";
import { type Declared, entrypoint, policy, settings } from "../real-engine/declaration";
import type { KillPoint } from "../real-engine/stack";
import { type Story, useStories, zoneA } from "../real-engine/story";
import { runManaged, sharedZone } from "../real-engine/trio";

interface Case {
  readonly kind: string;
  readonly declared: Declared;
  readonly edited: Declared;
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
    declared: settings({ zoneId: zoneA, enabled: true }),
    edited: settings({ zoneId: zoneA, enabled: true, useConnectionUrlPath: true }),
    requests: [settingsPut, settingsPut, settingsPut],
  },
  {
    kind: "CspPolicy",
    declared: policy({ zoneId: zoneA }),
    edited: policy({ zoneId: zoneA, description: "second edition" }),
    requests: [
      { method: "POST", path: "/policies" },
      { method: "PUT", path: "/policies/" },
      { method: "DELETE", path: "/policies/" },
    ],
  },
  {
    kind: "ManagedWafEntrypoint",
    declared: entrypoint({ zoneId: zoneA, rules: [runManaged], foreignRules: "keep" }),
    edited: entrypoint({
      zoneId: zoneA,
      rules: [{ ...runManaged, description: "second edition" }],
      foreignRules: "keep",
    }),
    requests: [entrypointPut, entrypointPut, entrypointPut],
  },
];

describe("On the engine: the provider process dies between request and answer", function () {
  const begin = useStories(this);

  for (const { kind, declared, edited, requests } of cases) {
    it(`given a ${kind}, when the provider dies in create, update and delete, before and after the service acted, then the next run reaches what is declared`, async () => {
      const { sim, stack } = await begin({ [zoneA]: sharedZone });
      const [create, update, remove] = requests;
      const found = contentOf({ sim });

      stack.declare({ it: declared });
      stack.killProviderAt({ at: "arrival", ...create });
      await stack.upFails();
      assert.deepEqual(contentOf({ sim }), found, "the service has done nothing");
      stack.killProviderAt({ at: "processed", ...create });
      await stack.upFails();
      const made = contentOf({ sim });
      assert.notDeepEqual(made, found, "the service has acted");
      await stack.up();
      assert.deepEqual(contentOf({ sim }), made, "what was made already is taken over, not made twice");
      await stack.expectEmptyPreview();

      stack.declare({ it: edited });
      stack.killProviderAt({ at: "arrival", ...update });
      await stack.upFails();
      assert.deepEqual(contentOf({ sim }), made);
      stack.killProviderAt({ at: "processed", ...update });
      await stack.upFails();
      const updated = contentOf({ sim });
      assert.notDeepEqual(updated, made);
      await stack.up();
      assert.deepEqual(contentOf({ sim }), updated);
      await stack.expectEmptyPreview();

      stack.killProviderAt({ at: "processed", ...remove });
      await stack.fails("destroy", "--yes", "--skip-preview");
      const left = contentOf({ sim });
      assert.notDeepEqual(left, updated);
      await stack.destroy();
      assert.deepEqual(contentOf({ sim }), left);
      assert.deepEqual(stack.resources(), []);
    });
  }
});

/** What of the zone the stack may change, without what the server makes up at each write. */
function contentOf({ sim }: Pick<Story, "sim">): unknown {
  const { settings: switches, policies, entrypoint: list } = sim.zone(zoneA);
  const { updated_at: _, ...rest } = switches;
  return { rest, policies, rules: list?.rules };
}
