import assert from "node:assert/strict";
import type { Simulator, ZoneSeed } from "../../../simulator/src";
import { each } from "../../support/each";
import { type Declaration, type Declared, entrypoint, type Options, policy, settings } from "./declaration";
import { zoneWithPolicy } from "./story";

/** A managed ruleset that rules of the stories run, and one that an unmanaged rule runs. */
export const managed = "11111111111111111111111111111111";
export const unmanagedRuleset = "99999999999999999999999999999999";

/** Runs the managed ruleset on everything. */
export const runManaged = {
  action: "execute",
  expression: "true",
  description: "managed",
  actionParameters: { id: managed },
};

/** Exempts the health check. */
export const skipHealth = {
  action: "skip",
  expression: 'http.request.uri.path eq "/health"',
  description: "health check",
  actionParameters: { extra: { ruleset: "current" } },
};

/** A rule as the API spells it, for zones that have it before the stack exists. */
export const unmanagedRule = {
  action: "execute",
  expression: "true",
  description: "unmanaged rule",
  action_parameters: { id: unmanagedRuleset },
} as const;

/** A zone with an unmanaged policy and an unmanaged rule. */
export const sharedZone: ZoneSeed = {
  ...zoneWithPolicy,
  entrypoint: { name: "shared", rules: [unmanagedRule] },
};

export interface ThreeResourcesArgs {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly entrypoint?: Readonly<Record<string, unknown>>;
}

/** Settings, a policy and an entry point, `watch`, `csp` and `waf`, beside an unmanaged policy and rule. */
export function threeResources(
  zoneId: unknown,
  args: ThreeResourcesArgs = {},
  options: Options = {},
): Declaration {
  return {
    watch: settings({ zoneId, enabled: true, ...args.settings }, options),
    csp: policy({ zoneId, ...args.policy }, options),
    waf: entrypoint({ zoneId, rules: [runManaged], foreignRules: "keep", ...args.entrypoint }, options),
  };
}

/** The three resources, each edited once. */
export function threeEdited(zoneId: unknown, options: Options = {}): Declaration {
  return threeResources(
    zoneId,
    {
      settings: { useConnectionUrlPath: true },
      policy: { description: "checkout, second edition" },
      entrypoint: { rules: [{ ...runManaged, description: "managed, second edition" }] },
    },
    options,
  );
}

/** Orders `watch`, then `waf`, then `csp`, so that a test knows which one is under way when a process dies. */
export function inOrder({ watch, csp, waf, ...others }: Declaration): Declaration {
  assert.ok(watch && csp && waf);
  const after = (resource: Declared, name: string) => ({
    ...resource,
    options: { ...resource.options, dependsOn: [name] },
  });
  return { watch, waf: after(waf, "watch"), csp: after(csp, "waf"), ...others };
}

/** Expects that the zone has the objects of `threeResources` once, beside those of `sharedZone`. */
export function expectThree(sim: Pick<Simulator, "zone">, zoneId: string, edition = ""): void {
  const zone = sim.zone(zoneId);
  assert.equal(zone.settings.enabled, true);
  assert.equal(zone.settings.use_connection_url_path, edition !== "");
  assert.deepEqual(each(zone.policies, "description")?.sort(), [`checkout${edition}`, "unmanaged"].sort());
  assert.deepEqual(each(zone.entrypoint?.rules, "description"), ["unmanaged rule", `managed${edition}`]);
}

/** Expects that the zone is as it was seeded with `sharedZone`. */
export function expectNoneOfThree(sim: Pick<Simulator, "zone">, zoneId: string): void {
  const zone = sim.zone(zoneId);
  assert.equal(zone.settings.enabled, false);
  assert.equal(zone.settings.use_connection_url_path, false);
  assert.deepEqual(each(zone.policies, "description"), ["unmanaged"]);
  assert.deepEqual(each(zone.entrypoint?.rules, "description"), ["unmanaged rule"]);
}
