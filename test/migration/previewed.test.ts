import assert from "node:assert/strict";
import { CodedError } from "../../provider/src/lifecycle/coded-error";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { wafMigrationStep } from "../../provider/src/resources/waf-migration/lifecycle";
import type { FaultSpec, WafSeed } from "../../provider/src/simulator";
import type { Properties } from "../small-engine/checkpoint";
import { QuickStory, zoneId } from "./support/quick-story";

const managed = "efb7b8c949ac4650a09736fc376e9aee";
const owasp = "4814384a9e5d4991b9815dcfc25d2f1f";
const [zeros, ones] = ["0".repeat(32), "1".repeat(32)];
const override = { rulesetId: managed, ruleId: ones, action: "log" };
const overrides: WafSeed["overrides"] = [{ id: zeros, action: "log", enabled: true }];

const configuration = [
  'Configuration "default", 1 rule:',
  `  1. "Execute the managed ruleset" run managed ruleset ${managed}, if true, enabled`,
  `     - rule ${zeros}: action log, enabled`,
];
const moved =
  "Moved besides: firewall rules with Bypass > WAF Managed Rules, page rules with Disable Security, page rules with Web Application Firewall on or off.";
const validates = `Starts or adjusts WAF validation of zone ${zoneId}: the new WAF runs beside the previous one. The zone cannot go back to the previous WAF alone.`;
const finishes = `FINISHES the WAF migration of zone ${zoneId}: the previous WAF is switched off. This cannot be undone.`;
const untried = "The zone is not in validation: the new WAF has not run there yet.";
const takenOver = `The WAF migration of zone ${zoneId} is already at this stage: it is adopted as it is, nothing will be sent.`;
const underWay = `The finish of the WAF migration of zone ${zoneId} is under way: nothing will be sent, the update waits for its end. [migration-under-way]`;

describe("What the preview of a migration tells", () => {
  it("is what each update will do, with the whole configuration that it will send", async () => {
    const story = new QuickStory({ overrides });
    assert.deepEqual(await story.preview({ stage: "validation" }), [
      "create waf",
      [validates, ...configuration, `${moved} [migration-validates]`].join("\n"),
    ]);
    assert.deepEqual(await story.preview({}), [
      "create waf",
      [`${finishes} ${untried}`, ...configuration, `${moved} [migration-finishes]`].join("\n"),
    ]);

    await story.up({ stage: "validation" });
    assert.deepEqual(await story.preview({ stage: "validation" }), ["same waf"]);
    const [decision, adjusted = ""] = await story.preview({ stage: "validation", ruleOverrides: [override] });
    assert.equal(decision, "update waf");
    assert.ok(adjusted.startsWith(`${validates}\n`), adjusted);
    assert.deepEqual(await story.preview({}), [
      "update waf",
      [`${finishes} The zone is in validation.`, ...configuration, `${moved} [migration-finishes]`].join(
        "\n",
      ),
    ]);
    // What is changed together with the finish still goes with it: nothing warns of it.
    const [, finish = "", ...warned] = await story.preview({
      ruleOverrides: [{ rulesetId: managed, ruleId: ones, enabled: false }],
    });
    assert.ok(finish.startsWith(`${finishes} `), finish);
    assert.deepEqual(warned, []);
  });

  it("is that no one has looked, where an input is not known yet; not where nothing is to be sent", async () => {
    const story = new QuickStory({ overrides });
    const warned = (late: string, then: string) =>
      `${late} not known before the update, so the preview could not check the zone: whether it can be migrated, and what would be sent, is only known in the update. ${then} To see it before, create what ${late.endsWith(" are") ? "they depend" : "it depends"} on in an update of its own and preview again. [migration-not-looked-at]`;
    const [finish, validation] = [
      "It then FINISHES the migration, which cannot be undone.",
      "It then starts validation, from which no zone goes back to the previous WAF alone.",
    ];
    const elsewhere = { zoneId: unknownValue, confirm: unknownValue };
    const late = { ruleOverrides: [{ ...override, action: unknownValue }] };
    for (const [args, told] of [
      [elsewhere, warned("zoneId, confirm are", finish)],
      [{ ...elsewhere, stage: "validation" }, warned("zoneId, confirm are", validation)],
      [late, warned("ruleOverrides is", finish)],
      [{ stage: unknownValue }, warned("stage is", "What it then does cannot be undone.")],
      [{ connection: { baseUrl: unknownValue } }, warned("connection is", finish)],
    ] as const)
      assert.deepEqual(await story.preview(args), ["create waf", told]);

    const stage = "validation";
    await story.up({ stage });
    // The engine sees a change where only the zone is not known yet; it has to be the same one.
    assert.deepEqual(await story.preview({ ...elsewhere, stage }), ["update waf"]);
    assert.deepEqual(await story.preview({ ...late, stage }), [
      "update waf",
      warned("ruleOverrides is", validation),
    ]);
    assert.deepEqual(await story.preview(elsewhere), ["update waf", warned("zoneId, confirm are", finish)]);
    await story.up({});
    assert.deepEqual(await story.preview({ ...elsewhere, ...late }), ["update waf"]);
    assert.deepEqual(await story.preview({ stage: unknownValue }), ["update waf"], "it is over");
    assert.equal(story.sent.length, 2);
  });

  it("tells what becomes of the OWASP ruleset where it is run", async () => {
    const story = new QuickStory({ owasp: true });
    const [, told = ""] = await story.preview({});
    assert.deepEqual(told.split("\n").slice(-7), [
      moved,
      "The configuration runs the OWASP ruleset. Its sensitivity is moved like this:",
      "  High -> paranoia level 2, score threshold 40 (Medium); Medium -> level 1, 25 (High);",
      "  Low -> level 1, 40 (Medium); default -> level 2, 40 (Medium).",
      "  Its action is moved almost one to one; Simulate becomes Log.",
      "Not moved; recreate them with tag or rule overrides: OWASP group overrides, OWASP rule overrides.",
      "Some settings of the previous OWASP ruleset have no successor and are lost. [migration-finishes]",
    ]);
    assert.match(told, new RegExp(`run managed ruleset ${owasp}, if true`));
  });

  it("is short where nothing will be sent", async () => {
    for (const [waf, args, expected] of [
      [{ stage: "new" }, {}, `${takenOver} [migration-taken-over]`],
      [{ stage: "finishing", settlesAt: Number.MAX_SAFE_INTEGER }, {}, underWay],
    ] as const) {
      assert.deepEqual(await new QuickStory(waf).preview(args), ["create waf", expected]);
    }
    const story = new QuickStory();
    story.sim.dashboard.deployNewWaf(zoneId);
    assert.deepEqual(await story.preview({ stage: "validation" }), [
      "create waf",
      [takenOver, ...(await proposedLines(story)), `${moved} [migration-taken-over]`].join("\n"),
    ]);
  });

  it("asks nothing where nothing has changed, nor where a migration that is over is merely noted", async () => {
    const story = new QuickStory();
    await story.up({});
    story.sim.journal.clear();
    assert.deepEqual(await story.preview({}), ["same waf"]);
    assert.deepEqual(await story.preview({ allowForget: true }), ["update waf"]);
    assert.deepEqual(await story.preview({ ruleOverrides: [override] }), [
      "same waf",
      "the migration is finished: a change of ruleOverrides or configuration has no effect any more. Edit the rules in a ManagedWafEntrypoint. [migration-no-effect]",
    ]);
    const [, told] = await story.preview({ configuration: { name: "x", rules: [] } });
    assert.match(told ?? "", /has no effect any more/);
    assert.equal(story.sim.journal.length, 0);
  });
});

/** The configuration as the next finish would send it. */
async function proposedLines(story: QuickStory): Promise<readonly string[]> {
  const [, told = ""] = await story.preview({});
  return told.split("\n").slice(1, -1);
}

const lookInTheDashboard = "Check the zone's WAF page in the dashboard";
const noUriOverrides =
  "Such overrides, which only the API can make, have no equivalent in the new WAF and exclude the zone from the migration. Delete them with the API's delete-WAF-override operation, then preview again. [migration-uri-overrides]";
const notEligible = `Its current configuration holds something that cannot be moved, or its migration is in a state that this package does not know. ${lookInTheDashboard}; nothing was sent. [migration-not-eligible]`;
const nameless = { old: "x0", validation: "x1", finishing: "x2", new: "x3" };
const backwards = (why: string): string =>
  `stage: ${why} Write stage: "finished"; rules are edited in a ManagedWafEntrypoint. [migration-backwards]`;
const isFinished = backwards(
  "Failed to migrate the WAF: the migration of this zone is finished and cannot go back to validation.",
);
const isUnderWay = backwards(
  "Failed to migrate the WAF: the finish of this zone's migration is under way, and there is no way back to validation.",
);
const wasToFinish = backwards(
  "the last run sent the finish of this zone's migration: it is finished, or may be, and cannot go back to validation.",
);
const noConfiguration = `Failed to migrate the WAF: the service has no configuration to migrate for this zone. The operation that proposes it answers "not found". ${lookInTheDashboard}, or give the whole configuration in \`configuration\`. [migration-no-configuration]`;
const tooLong = (rule: number, name: string, bytes: number) =>
  `the expression of rule ${rule} (${name}) has ${bytes} bytes and the service moves at most 4096 (4 KB). Shorten it, for example with a list, or ask the vendor's support to migrate the zone.`;

interface Refused {
  readonly what: string;
  readonly waf?: WafSeed;
  readonly args?: Properties;
  readonly fault?: FaultSpec;
  readonly says: string;
}

const refused: readonly Refused[] = [
  {
    what: "a URI-based override",
    waf: { uriOverrides: [{ id: zeros, description: "the shop", urls: ["shop.example.com/api/*"] }] },
    says: `Failed to migrate the WAF: the zone has a URI-based WAF override: ${zeros} "the shop" (shop.example.com/api/*). ${noUriOverrides}`,
  },
  {
    what: "several of them, in one of the many forms that they can have",
    waf: {
      uriOverrides: [
        { id: zeros, description: "", urls: ["a", "b", "c", "d"] },
        { id: "z".repeat(60), description: "x", urls: [] },
      ],
    },
    says: `Failed to migrate the WAF: the zone has 2 URI-based WAF overrides: ${zeros} (a, b, c, and 1 more); ${"z".repeat(39)}… "x" (no URL). ${noUriOverrides}`,
  },
  {
    what: "that the zone is not eligible",
    waf: { eligible: false },
    says: `Failed to migrate the WAF: the compatibility check says that the zone is not eligible (migration state "start"). ${notEligible}`,
  },
  {
    what: "that it is not eligible, and no state is told",
    waf: { eligible: false },
    fault: { path: "/waf_migration/", kind: "missing-fields", fields: ["migration_state"] },
    says: `Failed to migrate the WAF: the compatibility check says that the zone is not eligible. ${notEligible}`,
  },
  {
    what: "that it is not eligible, and only the check tells the state",
    waf: { eligible: false },
    fault: { path: "/waf_migration/status", kind: "missing-fields", fields: ["migration_state"] },
    says: `Failed to migrate the WAF: the compatibility check says that the zone is not eligible (migration state "start"). ${notEligible}`,
  },
  {
    what: "that there is nothing to migrate",
    fault: { path: "/waf_migration/config", kind: "status", status: 404 },
    says: noConfiguration,
  },
  {
    what: "that what there was to migrate is gone",
    fault: { path: "/waf_migration/config", kind: "status", status: 410 },
    says: noConfiguration,
  },
  {
    what: "more rules than the service moves",
    waf: { firewallRules: 201, overLimit: "show" },
    says: "configuration: Failed to migrate the WAF: the zone has 201 firewall rules to migrate and the service moves at most 200. Delete rules that are no longer needed, or ask the vendor's support to migrate the zone. [migration-too-large]",
  },
  {
    what: "long expressions, the first five of them",
    waf: {
      overLimit: "show",
      firewallRules: Array.from({ length: 7 }, (_, index) => ({
        expression: "x".repeat(4097 + index),
        description: index === 0 ? "" : `long ${index}`,
      })),
    },
    says: `configuration: Failed to migrate the WAF: ${[tooLong(1, "skip", 4097), ...[1, 2, 3, 4].map((index) => tooLong(index + 1, `long ${index}`, 4097 + index))].join(" ")} and 2 more [migration-too-large]`,
  },
  {
    what: "an override for a ruleset that is not run",
    args: { ruleOverrides: [{ ...override, rulesetId: `${managed.slice(0, -1)}f` }] },
    says: `ruleOverrides[0].rulesetId: Failed to migrate the WAF: the configuration does not run a managed ruleset ${managed.slice(0, -1)}f. Did you mean ${managed}? [migration-override-unknown]`,
  },
  {
    what: "an override that says nothing",
    args: { ruleOverrides: [{ rulesetId: managed, ruleId: ones }] },
    says: "ruleOverrides[0]: this override changes nothing: it has neither action nor enabled. Say what it should change, or leave it out. [input-invalid]",
  },
  {
    what: "a confirmation of another zone",
    args: { confirm: ones },
    says: `confirm: the migration cannot be undone, so confirm has to repeat the zone id, got "11111111…" (32 characters). Write confirm: "${zoneId}" if that is the zone to migrate. [migration-not-confirmed]`,
  },
  {
    what: "a zone of which nobody can tell how far it is",
    waf: { stage: "validation", stateNames: nameless },
    says: `Failed to migrate the WAF: the state of the zone's migration is ambiguous (compatible: true, migration state: x1, previous WAF: on, new WAF: on, rules in the entry point: 0). It may be changing right now, or someone else may have finished it; a finish that is sent twice cannot be undone. Nothing was sent. Run \`pulumi up\` again in a few minutes; if this does not change, check the zone's WAF page in the dashboard and finish there: this program then adopts it. [migration-unclear]`,
  },
  {
    what: "validation of a zone whose finish is under way",
    waf: { stage: "finishing", settlesAt: Number.MAX_SAFE_INTEGER },
    args: { stage: "validation" },
    says: isUnderWay,
  },
  {
    what: "validation of a zone that is finished",
    waf: { stage: "new" },
    args: { stage: "validation" },
    says: isFinished,
  },
];

describe("What the preview of a migration refuses", () => {
  for (const { what, waf, args = {}, fault, says } of refused) {
    it(`is ${what}: with the reason and the way out, and without a change`, async () => {
      const story = new QuickStory(waf);
      if (fault) story.sim.faults.add(fault);
      assert.equal(await story.previewFails(args), says);
      assert.equal(await story.upFails(args), says);
      assert.deepEqual(story.sent, []);
      // What is said without a look at the zone stands at the argument.
      const told = await story.engine.previewFails({
        waf: { zoneId, confirm: zoneId, stage: "finished", ...args },
      });
      assert.equal(told.includes(`(zone ${zoneId})`), !/-(confirmed|invalid)\]$/.test(says), told);
    });
  }

  it("is a zone of which nothing is reported at all", async () => {
    const story = new QuickStory({ stage: "new" });
    story.sim.faults.add({ path: "/check", kind: "status", status: 404 });
    story.sim.faults.add({ path: "/status", kind: "status", status: 404 });
    assert.match(
      await story.previewFails({}),
      /\(compatible: unknown, migration state: unknown, previous WAF: unknown, new WAF: unknown, rules in the entry point: 0\)/,
    );
  });

  it("is no fault of the service that may pass, nor one that asks for another zone or token: that is reported as it is", async () => {
    for (const [path, fault] of [
      ["/waf_migration/config", { kind: "status", status: 403 }],
      ["/waf_migration/config", { kind: "status", status: 404, code: 7003 }],
      ["/waf_migration/status", { kind: "status", status: 403 }],
      ["/entrypoint", { kind: "status", status: 403 }],
    ] as const) {
      const story = new QuickStory();
      story.sim.faults.add({ path, ...fault });
      assert.match(await story.previewFails({}), /\[PG_(AUTHENTICATION|NOT_FOUND)\]$/, path);
      assert.match(await story.upFails({}), /\[PG_(AUTHENTICATION|NOT_FOUND)\]$/, path);
      assert.deepEqual(story.sent, []);
    }
  });

  it("is not that the service has no list of overrides to show, or none for this token: no document names one", async () => {
    for (const fault of [
      { status: 404, code: 7003 },
      { status: 400, code: 7000 },
      { status: 403 },
      { status: 405 },
    ] as const) {
      const story = new QuickStory();
      story.sim.faults.add({ path: "/firewall/waf/overrides", kind: "status", ...fault });
      await story.up({});
      assert.equal(story.sent.length, 1, `${fault.status}`);
    }
  });

  it("is not that the service proposes nothing, where the program says the whole list", async () => {
    const story = new QuickStory();
    story.sim.faults.add({ path: "/waf_migration/config", kind: "status", status: 404 });
    const rules = [{ action: "execute", expression: "true", actionParameters: { id: managed } }];
    await story.up({ configuration: { name: "ours", rules } });
    assert.deepEqual(
      story.sent.map(({ body }) => body),
      [
        {
          name: "ours",
          rules: [
            {
              id: "",
              version: "",
              ref: "",
              action: "execute",
              expression: "true",
              action_parameters: { id: managed },
            },
          ],
        },
      ],
    );
  });

  it("is nothing for a zone id in capitals, in the zone and in what confirms it", async () => {
    const story = new QuickStory();
    await story.up({});
    const { sent } = story;
    const big = zoneId.toUpperCase();
    await story.up({ zoneId: big, confirm: zoneId });
    await story.up({ zoneId, confirm: big });
    assert.deepEqual([story.engine.warnings, story.sent], [[], sent]);
  });

  it("is another zone and a way back, of what is in the state; both at once are reported together", async () => {
    const story = new QuickStory();
    await story.up({});
    const otherZone = `zoneId: a migration stays with its zone (${zoneId}): it can neither be moved nor undone. Declare a WafMigration of its own for the other zone. [migration-other-zone]`;
    assert.equal(await story.previewFails({ stage: "validation" }), wasToFinish);
    assert.equal(await story.previewFails({ zoneId: ones, confirm: ones }), otherZone);
    assert.deepEqual(story.engine.warnings, []);
    assert.equal(
      await story.previewFails({ zoneId: ones, confirm: ones, stage: "validation" }),
      `${otherZone}\n${wasToFinish}`,
    );
  });

  it("is refused by the update, too, where a policy pack has made another zone of it after its check", async () => {
    const story = new QuickStory();
    await story.up({});
    const run = createRun({ env: { PAGE_GUARD_OFFLINE: "1" } });
    const inputs = wafMigrationStep.parseInputs({ zoneId: ones, stage: "finished", confirm: ones });
    const state = wafMigrationStep.parseState(story.engine.outputs("waf"));
    await assert.rejects(
      async () => wafMigrationStep.update(run, zoneId, state, inputs, "urn:waf"),
      (error: Error) => error instanceof CodedError && error.code === "migration-other-zone",
    );
  });
});
