import assert from "node:assert/strict";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import type { WafSeed } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";
import { quietZone, useStories, zoneA, zoneB } from "../small-engine/zones";

const managed = "efb7b8c949ac4650a09736fc376e9aee";
const bypass = (expression: string, description: string) => ({ expression, description });

/** Each is said in the preview of the pull request; how the engine shows it is told in test/engine. */
const impossible: readonly {
  readonly what: string;
  readonly waf?: WafSeed;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Where it is said, and its code. */
  readonly refusal: string;
  readonly names: readonly string[];
}[] = [
  {
    what: "a zone that is not eligible",
    waf: { eligible: false },
    refusal: "[migration-not-eligible]",
    names: ['"start"', "nothing was sent"],
  },
  {
    what: "URI-based overrides",
    waf: {
      uriOverrides: [
        { id: "0123456789abcdef0123456789abcdef", description: "the shop", urls: ["shop.example.com/api/*"] },
      ],
    },
    refusal: "[migration-uri-overrides]",
    names: ['0123456789abcdef0123456789abcdef "the shop" (shop.example.com/api/*)'],
  },
  {
    what: "more than 200 rules",
    waf: { firewallRules: 201, overLimit: "show" },
    refusal: "configuration [migration-too-large]",
    names: ["201 firewall rules", "at most 200"],
  },
  {
    what: "more than 200 rules, when the service does not even show them",
    waf: { firewallRules: 201, overLimit: "refuse" },
    refusal: "[PG_REFUSED]",
    names: ["201 firewall rules", "at most 200"],
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
    refusal: "configuration [migration-too-large]",
    names: ["rule 2 (the partners)", "at most 4096 (4 KB)"],
  },
  {
    what: "confirm with another zone",
    args: { confirm: zoneB },
    refusal: "confirm [migration-not-confirmed]",
    names: [`Write confirm: "${zoneA}"`],
  },
  {
    what: "an override for a ruleset that is not run",
    args: {
      ruleOverrides: [{ rulesetId: `${managed.slice(0, -1)}f`, ruleId: "0".repeat(32), action: "log" }],
    },
    refusal: "ruleOverrides[0].rulesetId [migration-override-unknown]",
    names: ["efb7b8c949ac4650a09736fc376e9aef", `Did you mean ${managed}?`],
  },
  {
    what: "a zone in an unknown state",
    waf: {
      stage: "validation",
      stateNames: { old: "start", validation: "phase-b", finishing: "phase-c", new: "phase-d" },
    },
    refusal: "[migration-unclear]",
    names: ["(compatible: true, migration state: phase-b, previous WAF: on, new WAF: on"],
  },
];

describe("A migration that cannot be made", () => {
  const begin = useStories(wafMigrationStep);

  for (const { what, waf = {}, args = {}, refusal, names } of impossible) {
    it(`given ${what}, when it is previewed or applied, then it is refused with its reason, and nothing is sent`, async () => {
      const { sim, engine } = await begin({ [zoneA]: { ...quietZone, plan: "enterprise", waf } });
      const program = { waf: { zoneId: zoneA, stage: "finished", confirm: zoneA, ...args } };
      for (const told of [await engine.previewFails(program), await engine.upFails(program)]) {
        assert.equal(placeAndCode(told), refusal);
        const said = told.replace(/\s+/g, " ");
        for (const name of names) assert.ok(said.includes(name), said);
      }
      assert.equal(sim.changing().length, 0);
    });
  }
});
