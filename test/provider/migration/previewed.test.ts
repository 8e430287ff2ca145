import assert from "node:assert/strict";
import { CodedError } from "../../../provider/src/errors/coded-error";
import { createRun } from "../../../provider/src/lifecycle/run";
import { unknownValue } from "../../../provider/src/model/unknown";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import type { FaultSpec, WafSeed } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";
import type { Properties } from "../small-engine/checkpoint";
import { managed, nameless, override, QuickStory, zoneId } from "./support/quick-story";

const [zeros, ones] = ["0".repeat(32), "1".repeat(32)];
const overrides: WafSeed["overrides"] = [{ id: zeros, action: "log", enabled: true }];

const configuration = [
  'Configuration "default", 1 rule:',
  `  1. "Execute the managed ruleset" run managed ruleset ${managed}, if true, enabled`,
  `     - rule ${zeros}: action log, enabled`,
];

/** Returns the decision of a preview, and the places and codes of its findings. */
const bare = ([decision = "", ...told]: readonly string[]) => [decision, ...told.map(placeAndCode)];

describe("The preview of a migration", () => {
  it("says what each update will do, with the whole configuration that it will send", async () => {
    const story = new QuickStory({ overrides });
    const validates = await story.preview({ stage: "validation" });
    assert.deepEqual(bare(validates), ["create waf", "[migration-validates]"]);
    const untried = await story.preview({});
    assert.deepEqual(bare(untried), ["create waf", "[migration-finishes]"]);
    assert.match(untried[1] ?? "", /^FINISHES .* cannot be undone\. .* not in validation/);

    await story.up({ stage: "validation" });
    assert.deepEqual(await story.preview({ stage: "validation" }), ["same waf"]);
    const adjusts = await story.preview({ stage: "validation", ruleOverrides: [override] });
    assert.deepEqual(bare(adjusts), ["update waf", "[migration-validates]"]);
    const finishes = await story.preview({});
    assert.deepEqual(bare(finishes), ["update waf", "[migration-finishes]"]);
    assert.match(finishes[1] ?? "", /^FINISHES .* is in validation\./);
    for (const [, told = ""] of [validates, untried, finishes])
      assert.deepEqual(told.split("\n").slice(1, -1), configuration);
    // A change made together with the finish is sent with it, without a warning.
    const changed = await story.preview({ ruleOverrides: [{ ...override, enabled: false }] });
    assert.deepEqual(bare(changed), ["update waf", "[migration-finishes]"]);
  });

  it("says that it has not checked the zone if an input is unknown, unless there is nothing to send", async () => {
    const story = new QuickStory({ overrides });
    story.sim.journal.clear();
    const isUnchecked = async (args: Properties, decided: string, late: string, then: RegExp) => {
      const [decision, told = "", ...more] = await story.preview(args);
      assert.deepEqual([decision, placeAndCode(told), more], [decided, "[migration-not-checked]", []]);
      assert.ok(told.startsWith(`${late} not known before the update`), told);
      assert.match(told, then);
    };
    const [finish, validation] = [/ FINISHES .* cannot be undone\./, / starts validation,/];
    const elsewhere = { zoneId: unknownValue, confirm: unknownValue };
    const late = { ruleOverrides: [{ ...override, action: unknownValue }] };
    for (const [args, names, then] of [
      [{ ...elsewhere, stage: "validation" }, "zoneId, confirm are", validation],
      [late, "ruleOverrides is", finish],
      [{ stage: unknownValue }, "stage is", / cannot be undone\./],
      [{ connection: { baseUrl: unknownValue } }, "connection is", finish],
    ] as const)
      await isUnchecked(args, "create waf", names, then);

    assert.equal(story.sim.journal.length, 0, "no one has looked");
    const stage = "validation";
    await story.up({ stage });
    // The engine sees a change where only the zone is not known yet; it has to be the same one.
    assert.deepEqual(await story.preview({ ...elsewhere, stage }), ["update waf"]);
    await isUnchecked({ ...late, stage }, "update waf", "ruleOverrides is", validation);
    await isUnchecked(elsewhere, "update waf", "zoneId, confirm are", finish);
    await story.up({});
    story.sim.journal.clear();
    assert.deepEqual(await story.preview({ ...elsewhere, ...late }), ["update waf"]);
    assert.deepEqual(await story.preview({ stage: unknownValue }), ["update waf"], "it is over");
    assert.equal(story.sim.journal.length, 0, "no one has looked");
  });

  it("is short if nothing will be sent", async () => {
    for (const [waf, code] of [
      [{ stage: "new" }, "migration-adopted"],
      [{ stage: "finishing", settlesAt: Number.MAX_SAFE_INTEGER }, "migration-under-way"],
    ] as const) {
      const said = await new QuickStory(waf).preview({});
      assert.deepEqual(bare(said), ["create waf", `[${code}]`]);
      assert.ok(!said.join().includes("\n"), "no configuration");
    }
    const story = new QuickStory({ overrides });
    story.sim.dashboard.deployNewWaf(zoneId);
    const said = await story.preview({ stage: "validation" });
    assert.deepEqual(bare(said), ["create waf", "[migration-adopted]"]);
    assert.deepEqual(said[1]?.split("\n").slice(1, -1), configuration);
  });

  it("sends no request if nothing has changed, or if a finished migration only needs a note in the state", async () => {
    const story = new QuickStory();
    await story.up({});
    story.sim.journal.clear();
    assert.deepEqual(await story.preview({}), ["same waf"]);
    assert.deepEqual(await story.preview({ allowForget: true }), ["update waf"]);
    const noted = await story.preview({ ruleOverrides: [override] });
    assert.deepEqual(bare(noted), ["same waf", "[migration-no-effect]"]);
    assert.deepEqual(await story.preview({ configuration: { name: "x", rules: [] } }), noted);
    assert.equal(story.sim.journal.length, 0);
  });
});

interface Refused {
  readonly what: string;
  readonly waf?: WafSeed;
  readonly args?: Properties;
  readonly fault?: FaultSpec;
  /** Property and code of the refusal. */
  readonly refusal: string;
  /** Texts that the refusal has to contain. */
  readonly names?: readonly string[];
}

const urls = ["a", "b", "shop.example.com/api/*", "d"];
const shopOverride = { id: zeros, description: "the shop", urls };
const tooMany = Array.from({ length: 201 }, (_, index) => ({
  expression: index < 6 ? "x".repeat(4097) : "true",
  description: `long ${index}`,
}));
const refused: readonly Refused[] = [
  {
    what: "URI-based overrides, in several of their forms",
    waf: { uriOverrides: [shopOverride, { id: "z".repeat(60), description: "x", urls: [] }] },
    refusal: "[migration-uri-overrides]",
    names: [zeros, "the shop", "a, b, shop.example.com/api/*, and 1 more", `${"z".repeat(39)}…`],
  },
  {
    what: "a zone that is not eligible, if only the check names its state",
    waf: { eligible: false },
    fault: { path: "/waf_migration/status", kind: "missing-fields", fields: ["migration_state"] },
    refusal: "[migration-not-eligible]",
    names: ['"start"'],
  },
  {
    what: "a zone that has nothing to migrate",
    fault: { path: "/waf_migration/config", kind: "status", status: 404 },
    refusal: "[migration-no-configuration]",
  },
  {
    what: "too many rules and too long expressions, and names the first four of them",
    waf: { overLimit: "show", firewallRules: tooMany },
    refusal: "configuration [migration-too-large]",
    names: ["201 firewall rules", "at most 200", "rule 4 (long 3)", "at most 4096 (4 KB)", "and 2 more"],
  },
  {
    what: "an override for a ruleset that no rule runs",
    args: { ruleOverrides: [{ ...override, rulesetId: `${managed.slice(0, -1)}f` }] },
    refusal: "ruleOverrides[0].rulesetId [migration-override-unknown]",
    names: [`Did you mean ${managed}?`],
  },
  {
    what: "an override that changes nothing",
    args: { ruleOverrides: [{ rulesetId: managed, ruleId: ones }] },
    refusal: "ruleOverrides[0] [input-invalid]",
  },
  {
    what: "a confirmation that names another zone",
    args: { confirm: ones },
    refusal: "confirm [migration-not-confirmed]",
    names: [`Write confirm: "${zoneId}"`],
  },
  {
    what: "an answer about an attempt without a valid time",
    args: { unclearAttempt: { startedAt: "yesterday", outcome: "accepted" } },
    refusal: "unclearAttempt.startedAt [input-invalid]",
    names: ['got "yesterday"'],
  },
  {
    what: "an answer that does not name its attempt",
    args: { unclearAttempt: { outcome: "accepted" } },
    refusal: "unclearAttempt.startedAt [input-invalid]",
  },
  {
    what: "an answer with an unknown outcome",
    args: { unclearAttempt: { startedAt: "2025-01-31T12:00:00.000Z", outcome: "refused" } },
    refusal: "unclearAttempt.outcome [input-invalid]",
    names: ['"accepted", "notAccepted"'],
  },
  {
    what: "a zone that does not show how far its migration has come",
    waf: { stage: "validation", stateNames: nameless },
    refusal: "[migration-unclear]",
    names: ["migration state: x1", "previous WAF: on", "new WAF: on"],
  },
  {
    what: "a validation of a zone whose finish is under way",
    waf: { stage: "finishing", settlesAt: Number.MAX_SAFE_INTEGER },
    args: { stage: "validation" },
    refusal: "stage [migration-backwards]",
  },
];

describe("The preview of a migration refuses", () => {
  for (const { what, waf: seed, args = {}, fault, refusal, names = [] } of refused) {
    it(`${what}: with the reason and the way out, and without a change`, async () => {
      const story = new QuickStory(seed);
      if (fault) story.sim.faults.add(fault);
      const says = await story.previewFails(args);
      assert.equal(placeAndCode(says), refusal);
      for (const name of names) assert.ok(says.includes(name), says);
      assert.equal(await story.upFails(args), says);
      assert.deepEqual(story.sent, []);
      // A finding that needs no request is reported at the argument.
      const waf = { zoneId, confirm: zoneId, stage: "finished", ...args };
      const told = await story.engine.previewFails({ waf });
      assert.equal(told.includes(`(zone ${zoneId})`), !/-(confirmed|invalid)\]$/.test(says), told);
    });
  }

  it("more rules than the service can migrate, if the service refuses to show them", async () => {
    const story = new QuickStory({ firewallRules: 201, overLimit: "refuse" });
    for (const says of [await story.previewFails({}), await story.upFails({})])
      assert.match(says, /201 firewall rules .*at most 200.*\[PG_REFUSED\]$/);
    assert.deepEqual(story.sent, []);
  });

  it("a zone about which the service reports nothing", async () => {
    const story = new QuickStory({ stage: "new" });
    story.sim.faults.add({ path: "/check", kind: "status", status: 404 });
    story.sim.faults.add({ path: "/status", kind: "status", status: 404 });
    const unknown = ["compatible", "migration state", "previous WAF", "new WAF"].map(
      (name) => `${name}: unknown`,
    );
    const told = await story.previewFails({});
    assert.ok(told.includes(`(${unknown.join(", ")}, rules in the entry point: 0)`), told);
  });

  type Fault = { status: number; code?: number };
  const answers: readonly (readonly [path: string, fault: Fault, code?: string])[] = [
    // Failures that may pass, or that need another zone or token, are reported unchanged.
    ["/waf_migration/config", { status: 403 }, "PG_AUTHENTICATION"],
    ["/waf_migration/config", { status: 404, code: 7003 }, "PG_NOT_FOUND"],
    ["/waf_migration/status", { status: 403 }, "PG_AUTHENTICATION"],
    ["/entrypoint", { status: 403 }, "PG_AUTHENTICATION"],
    // No document names the list of overrides, so the service may not have it, or this token may not read it.
    ["/firewall/waf/overrides", { status: 404, code: 7003 }],
    ["/firewall/waf/overrides", { status: 400, code: 7000 }],
    ["/firewall/waf/overrides", { status: 403 }],
    ["/firewall/waf/overrides", { status: 405 }],
  ];
  for (const [path, fault, code] of answers)
    it(`with ${code ?? "no error"} if ${path} answers with ${JSON.stringify(fault)}`, async () => {
      const story = new QuickStory();
      story.sim.faults.add({ path, kind: "status", ...fault });
      if (code === undefined) await story.up({});
      else
        for (const says of [await story.previewFails({}), await story.upFails({})])
          assert.equal(placeAndCode(says), `[${code}]`);
      assert.equal(story.sent.length, code === undefined ? 1 : 0);
    });

  it("no zone id in capitals, in zoneId or in confirm", async () => {
    const story = new QuickStory();
    await story.up({});
    const { sent } = story;
    const big = zoneId.toUpperCase();
    await story.up({ zoneId: big, confirm: zoneId });
    await story.up({ zoneId, confirm: big });
    assert.deepEqual([story.engine.warnings, story.sent], [[], sent]);
  });

  it("another zone and an earlier stage than in the state, and reports both together", async () => {
    const story = new QuickStory();
    await story.up({});
    const wasToFinish = await story.previewFails({ stage: "validation" });
    assert.equal(placeAndCode(wasToFinish), "stage [migration-backwards]");
    const otherZone = await story.previewFails({ zoneId: ones, confirm: ones });
    assert.equal(placeAndCode(otherZone), "zoneId [migration-other-zone]");
    assert.deepEqual(story.engine.warnings, []);
    const both = await story.previewFails({ zoneId: ones, confirm: ones, stage: "validation" });
    assert.equal(both, `${otherZone}\n${wasToFinish}`);
  });

  it("another zone also in the update, if a policy pack changes the zone after the check", async () => {
    const story = new QuickStory();
    await story.up({});
    const run = createRun({ env: { PAGE_GUARD_OFFLINE: "1" } });
    const inputs = wafMigrationStep.parseInputs({ zoneId: ones, stage: "finished", confirm: ones });
    const state = wafMigrationStep.parseState(story.engine.outputs("waf"));
    await assert.rejects(
      async () => wafMigrationStep.update({ run, id: zoneId, state, inputs, urn: "urn:waf" }),
      (error: Error) => error instanceof CodedError && error.code === "migration-other-zone",
    );
  });
});
