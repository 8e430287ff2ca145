import assert from "node:assert/strict";
import type { WafSeed } from "../../provider/src/simulator";
import { migration } from "../real-engine/declaration";
import { somebodysZone, useStories, zoneA, zoneB } from "../real-engine/story";

const managed = "efb7b8c949ac4650a09736fc376e9aee";
const bypass = (expression: string, description: string) => ({ expression, description });

/** Each is said in the preview of the pull request. */
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
      /ruleOverrides\[0\]\.rulesetId: the configuration does not run a managed ruleset efb7b8c949ac4650a09736fc376e9aef/,
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
      /it cannot be told for sure how far the migration of the zone is \(compatible: true, migration state: phase-b, previous WAF: on, new WAF: on/,
    ],
  },
];

describe("On the engine: a migration that cannot be made says so before anything is sent", function () {
  const begin = useStories(this);
  this.timeout(600_000);

  it(`given ${impossible.length} zones and programs that do not go together, when each is previewed, then each is refused with its reason`, async () => {
    const { sim, stack } = await begin();
    for (const { what, waf = {}, args = {}, says } of impossible) {
      sim.zones.seed(zoneA, { ...somebodysZone, policies: sim.zone(zoneA).policies, waf });
      stack.declare({ waf: migration({ zoneId: zoneA, ...args }) });
      const said = (await stack.fails("preview")).replace(/\s+/g, " ");
      for (const expected of says) assert.match(said, expected, what);
      assert.equal(sim.changing().length, 0, what);
    }
  });

  it("given a zone that is eligible in the preview, when it no longer is right before the update, then nothing is sent", async () => {
    const { sim, stack } = await begin({ [zoneA]: { ...somebodysZone, waf: {} } });
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    await stack.preview();
    sim.journal.clear();
    // The check of the update has passed when its own look begins, which is the second one.
    sim.onRequest(({ path }) => {
      const looks = sim.requests({ path: "/waf_migration/check" }).length;
      if (path.endsWith("/check") && looks === 2) sim.dashboard.setWaf(zoneA, { eligible: false });
    });
    assert.match(await stack.upFails(), /the compatibility check says that the zone is not eligible/);
    assert.deepEqual(sim.changing(), []);
  });

  it("given a Pro zone, when validation is asked for, then the update says that it takes Enterprise and that nothing has changed", async () => {
    const { sim, stack } = await begin({ [zoneA]: { ...somebodysZone, plan: "pro", waf: {} } });
    stack.declare({ waf: migration({ zoneId: zoneA, stage: "validation" }) });
    await stack.preview();
    const said = (await stack.upFails()).replace(/\s+/g, " ");
    assert.match(
      said,
      /the service refused the validation\. Nothing has changed in the zone\. Validation mode exists on Enterprise zones only/,
    );
    assert.match(said, /On Pro and Business go straight to stage: "finished"/);
    assert.equal(sim.zone(zoneA).waf.stage, "old");
    assert.equal(sim.zone(zoneA).entrypoint, null);
    // And that is what works.
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    await stack.up();
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
  });

  it("given an update without an answer and without a trace, when it is run again, then it looks first and sends once more", async () => {
    const { sim, stack } = await begin({ [zoneA]: { ...somebodysZone, waf: {} } });
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    sim.faults.add({ method: "PUT", kind: "reset-before", count: 1 });
    const said = (await stack.upFails()).replace(/\s+/g, " ");
    assert.match(
      said,
      /the finishing request got no clear answer, and the zone shows no sign that it was taken\. It was sent once and not again/,
    );
    assert.equal(Object(stack.state()["waf-step"]?.outputs["attempt"])["outcome"], "unknown");
    await stack.refresh();
    await stack.up();
    assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
    assert.equal(sim.changing().length, 2);
    await stack.expectEmptyPreview();
  });
});
