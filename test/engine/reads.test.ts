import assert from "node:assert/strict";
import type { Declaration } from "./real-engine/declaration";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA } from "./real-engine/story";
import { from, useYaml } from "./support/yaml-program";
import { skip, text, zone } from "./support/zone-of-others";

interface Entry {
  readonly kind: "PageGuardSettings" | "CspPolicy" | "ManagedWafEntrypoint";
  /** If present, the program only reads the object with this id. */
  readonly id?: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly after?: string;
}
type Program = Readonly<Record<string, Entry>>;

const languages: readonly (readonly [string, (stack: Stack) => Promise<(program: Program) => void>])[] = [
  [
    "in YAML",
    async (stack) => {
      const declare = await useYaml(stack);
      return (program) => {
        const resources = Object.entries(program).map(([name, { kind, id, args, after }]) => {
          const given = id === undefined ? { properties: args } : { get: { id, state: args } };
          const options = after === undefined ? {} : { options: { dependsOn: [from(after)] } };
          return [name, { type: `page-guard:${kind}`, ...given, ...options }];
        });
        declare({ resources: Object.fromEntries(resources) });
      };
    },
  ],
  [
    "in TypeScript",
    async (stack) => (program) => {
      const declared = Object.entries(program).map(([name, { kind, id, args, after }]) => [
        name,
        { kind, args, options: { ...(id && { id }), ...(after && { dependsOn: [after] }) } },
      ]);
      stack.declare(Object.fromEntries(declared) as Declaration);
    },
  ],
];

describe("On the engine: a read with an invented state", function () {
  const begin = useStories(this);

  for (const [name, inLanguage] of languages) {
    it(`${name} makes no object managed: rules are refused, settings are restored, and days of logging begin now`, async () => {
      const { sim, stack } = await begin({ [zoneA]: zone });
      const declare = await inLanguage(stack);
      const { settings, entrypoint, policies } = sim.zone(zoneA);
      const [rule] = entrypoint?.rules ?? [];
      const [policy] = policies;
      const made = { enabled: false, useConnectionUrlPath: false };
      const reads: Program = {
        settings: { kind: "PageGuardSettings", id: zoneA, args: { zoneId: zoneA, ...made, initial: made } },
        rules: {
          kind: "ManagedWafEntrypoint",
          id: zoneA,
          args: { zoneId: zoneA, rules: [{ ...skip, id: rule?.id }] },
        },
        policy: {
          kind: "CspPolicy",
          id: `${zoneA}/${policy?.id}`,
          args: { zoneId: zoneA, ...text, loggingSince: "2020-01-01T00:00:00.000Z" },
        },
      };
      declare({
        rules: reads["rules"] as Entry,
        waf: {
          kind: "ManagedWafEntrypoint",
          args: { zoneId: zoneA, rules: [{ ...skip, expression: "false" }] },
          after: "rules",
        },
      });
      assert.match(await stack.fails("preview"), /"theirs".*\[waf-foreign-rules\]/);
      assert.match(await stack.upFails("--skip-preview"), /"theirs".*\[waf-foreign-rules\]/);
      assert.deepEqual(sim.zone(zoneA).entrypoint?.rules, [rule]);

      const csp = { zoneId: zoneA, description: "checkout", ...text, minimumLogDays: 7, onDestroy: "keep" };
      const watch: Entry = {
        kind: "PageGuardSettings",
        args: { zoneId: zoneA, enabled: true },
        after: "settings",
      };
      declare({
        settings: reads["settings"] as Entry,
        policy: reads["policy"] as Entry,
        watch,
        csp: { kind: "CspPolicy", args: csp, after: "policy" },
      });
      await stack.up();
      assert.deepEqual(sim.zone(zoneA).settings, settings);
      assert.deepEqual(sim.changing(), []);
      declare({ csp: { kind: "CspPolicy", args: { ...csp, action: "allow" } } });
      assert.match(await stack.fails("preview"), /\[csp-too-early\]/);
      declare({});
      await stack.up();
      assert.deepEqual(sim.zone(zoneA).settings, settings);
    });

    it(`${name} is no drift in a refresh, as long as nothing changes`, async () => {
      const { sim, stack } = await begin({ [zoneA]: zone });
      const declare = await inLanguage(stack);
      const id = `${zoneA}/${sim.zone(zoneA).policies[0]?.id}`;
      declare({ policy: { kind: "CspPolicy", id, args: {} } });
      await stack.up();
      await stack.expectNoDrift();
      await stack.refresh();
      await stack.expectNoDrift();
    });
  }
});
