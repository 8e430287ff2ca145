import assert from "node:assert/strict";
import { wafMigrationStep } from "../../provider/src/resources/waf-migration/lifecycle";
import type { WafSeed } from "../../provider/src/simulator";
import { quietZone, useStories, zoneA, zoneB } from "../small-engine/zones";

const managed = "efb7b8c949ac4650a09736fc376e9aee";
const bypass = (expression: string, description: string) => ({ expression, description });

/** Each is said in the preview of the pull request; how the engine shows it is told in test/engine. */
const impossible: readonly {
  readonly what: string;
  readonly waf?: WafSeed;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly says: readonly RegExp[];
}[] = [
  {
    what: "a zone that is not eligible",
    waf: { eligible: false },
    says: [
      /the compatibility check says that the zone is not eligible \(migration state "start"\)/,
      /nothing was sent/,
    ],
  },
  {
    what: "URI-based overrides",
    waf: {
      uriOverrides: [
        { id: "0123456789abcdef0123456789abcdef", description: "the shop", urls: ["shop.example.com/api/*"] },
      ],
    },
    says: [
      /the zone has a URI-based WAF override: 0123456789abcdef0123456789abcdef "the shop" \(shop\.example\.com\/api\/\*\)/,
      /Delete them with the API's delete-WAF-override operation/,
    ],
  },
  {
    what: "more than 200 rules",
    waf: { firewallRules: 201, overLimit: "show" },
    says: [/the zone has 201 firewall rules to migrate and the service moves at most 200/],
  },
  {
    what: "more than 200 rules, when the service does not even show them",
    waf: { firewallRules: 201, overLimit: "refuse" },
    says: [/201 firewall rules are to be migrated, at most 200 can be/],
  },
  {
    what: "an expression over 4 KB",
    waf: {
      overLimit: "show",
      firewallRules: [
        bypass("ip.src eq 192.0.2.1", "short"),
        bypass(`http.host in {${'"shop.example.com" '.repeat(250)}}`, "the partners"),
      ],
    },
    says: [
      /the expression of rule 2 \(the partners\) has \d{4} bytes and the service moves at most 4096 \(4 KB\)/,
    ],
  },
  {
    what: "confirm with another zone",
    args: { confirm: zoneB },
    says: [
      /confirm: the migration cannot be undone, so confirm has to repeat the zone id/,
      new RegExp(`Write confirm: "${zoneA}"`),
    ],
  },
  {
    what: "an override for a ruleset that is not run",
    args: {
      ruleOverrides: [{ rulesetId: `${managed.slice(0, -1)}f`, ruleId: "0".repeat(32), action: "log" }],
    },
    says: [
      /ruleOverrides\[0\]\.rulesetId: Failed to migrate the WAF: the configuration does not run a managed ruleset efb7b8c949ac4650a09736fc376e9aef/,
      new RegExp(`Did you mean ${managed}\\?`),
    ],
  },
  {
    what: "a zone in an unknown state",
    waf: {
      stage: "validation",
      stateNames: { old: "start", validation: "phase-b", finishing: "phase-c", new: "phase-d" },
    },
    says: [
      /the state of the zone's migration is ambiguous \(compatible: true, migration state: phase-b, previous WAF: on, new WAF: on/,
    ],
  },
];

describe("A migration that cannot be made", () => {
  const begin = useStories(wafMigrationStep);

  for (const { what, waf = {}, args = {}, says } of impossible) {
    it(`given ${what}, when it is previewed or applied, then it is refused with its reason, and nothing is sent`, async () => {
      const { sim, engine } = await begin({ [zoneA]: { ...quietZone, plan: "enterprise", waf } });
      const program = { waf: { zoneId: zoneA, stage: "finished", confirm: zoneA, ...args } };
      for (const refusal of [await engine.previewFails(program), await engine.upFails(program)]) {
        const said = refusal.replace(/\s+/g, " ");
        for (const expected of says) assert.match(said, expected);
      }
      assert.equal(sim.changing().length, 0);
    });
  }
});
