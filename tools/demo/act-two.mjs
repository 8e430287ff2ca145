import assert from "node:assert/strict";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";
import { showText } from "./show.mjs";
import { zonePicture } from "./zone-picture.mjs";

const zoneId = "c9f0f895fb98ab9159f51fd0297e236d";
const managedRuleset = "efb7b8c949ac4650a09736fc376e9aee";
/** Id of a rule of the new WAF that blocks requests which the previous WAF allowed, as the security events of the validation show. */
const tooStrict = "5de7edfa648c4d6891dc3e7f84534ffa";

/** WAF of the zone before the migration: the OWASP ruleset, and firewall rules that bypass the WAF. */
const previousWaf = {
  firewallRules: [
    { description: "Office scanner, bypasses the WAF", expression: "ip.src eq 192.0.2.10" },
    {
      description: "Upload of the print shop, bypasses the WAF",
      expression: 'http.request.uri.path eq "/print/upload"',
    },
  ],
  owasp: { sensitivity: "medium", action: "simulate" },
  overrides: [{ id: "75a0060762034a6cb663fd51a02344cb", enabled: false }],
  // In reality the service takes up to an hour to finish.
  finishMs: 5000,
  // After the finish, the APIs of the previous WAF respond with 404.
  afterFinish: "404",
};

/** Arguments of an `up` without outputs: whole configurations would hide the lines that the act is about. */
const up = ["up", "--yes", "--skip-preview", "--suppress-outputs"];

/** Act two, with examples/waf-migration: an Enterprise zone migrates for good. The config of the stack names the stage. */
export const actTwo = {
  title: "Act two: a zone moves to the new WAF, from validation to a refused destroy",

  async play(stage) {
    const { sim } = stage;
    sim.zones.seed(zoneId, { plan: "enterprise", scripts: 0, connections: 0, cookies: 0, waf: previousWaf });
    const stack = await stage.openStack(join(root, "examples/waf-migration"), "migration");
    const zone = () => sim.zone(zoneId);
    const rest = ({ settings, policies, entrypoint, waf }) => [settings, policies, entrypoint, waf.stage];
    const { settings: settingsFound } = zone();
    const expectLogged = () => {
      const overrides = zone().entrypoint.rules.flatMap(
        (rule) => rule.action_parameters?.overrides?.rules ?? [],
      );
      const isLogged = overrides.some(({ id, action }) => id === tooStrict && action === "log");
      assert.ok(isLogged, "The rule that is too strict should be set to log.");
    };
    /** Checks the number of migration updates that were accepted so far. */
    const expectAccepted = (validations, finishes) => {
      const { acceptedValidation, acceptedPending } = zone().waf;
      const wanted = `${validations} validation and ${finishes} finishing updates should be accepted so far.`;
      assert.deepEqual([acceptedValidation, acceptedPending], [validations, finishes], wanted);
    };

    await stack.step("The first preview says what the update sends and what will be lost.", {
      async before() {
        showText(`${zonePicture(zone())}\n`);
        await stack.set("zoneId", zoneId);
        await stack.set("confirm", zoneId);
        await stack.set("stage", "validation");
      },
      run: ["preview", "--suppress-outputs"],
      shows: [
        "Starts or adjusts WAF validation",
        '1. "Office scanner, bypasses the WAF" skip',
        "OWASP group overrides",
        "+ 3 to create",
      ],
    });

    await stack.step("After the merge, the update switches on the new WAF beside the previous one.", {
      run: up,
      shows: ["+ 3 created"],
      sends: { PUT: 1 },
      after() {
        const { oldStatus, newStatus } = zone().waf;
        assert.ok(oldStatus && newStatus, "Both versions should be on.");
        expectAccepted(1, 0);
      },
    });

    await stack.step("The security events show a rule that is too strict. An update sets it to log.", {
      async before() {
        await stack.set("quiet[0].rulesetId", managedRuleset);
        await stack.set("quiet[0].ruleId", tooStrict);
      },
      run: [...up, "--diff"],
      shows: [`- rule ${tooStrict}: action log`, "~ ruleOverrides", "~ 1 updated"],
      sends: { PUT: 1 },
      after() {
        expectLogged();
        expectAccepted(2, 0);
      },
    });

    await stack.step("The last pull request finishes the migration. Its preview says so in the first word.", {
      before: () => stack.set("stage", "finished"),
      run: ["preview", "--diff", "--suppress-outputs"],
      shows: [
        `FINISHES the WAF migration of zone ${zoneId}`,
        "This cannot be undone.",
        `- rule ${tooStrict}: action log`,
        '~ stage: "validation" => "finished"',
        "ManagedWafEntrypoint: (create)",
      ],
    });

    await stack.step("The update sends one request and waits. Then an ordinary resource adopts the rules.", {
      run: up,
      shows: [
        "reading the zone once more in 30 s",
        /waiting for the new WAF.*previous WAF on.*of at most 60 min/,
        "WafMigrationStep new-waf-step updated",
        "ManagedWafEntrypoint managed-waf created",
      ],
      sends: { PUT: 1 },
      after() {
        const { oldStatus, newStatus } = zone().waf;
        assert.ok(newStatus && !oldStatus, "Only the new version should be on.");
        expectLogged();
        expectAccepted(2, 1);
      },
    });
    const migrated = rest(zone());

    await stack.emptyPreview("The next preview is empty, and sends no request.", "4 unchanged");

    await stack.step("A destroy cannot undo the migration: its preview refuses, and nothing is deleted.", {
      run: ["destroy", "--yes"],
      exit: "failure",
      shows: ["Previewing destroy", "because it is protected"],
      hides: ["Destroying", "managed-waf deleted"],
    });

    await stack.step("The rest of the stack can go. The rules stay, because the program says so.", {
      run: ["destroy", "--yes", "--skip-preview", "--exclude-protected", "--suppress-outputs"],
      shows: ["- 1 deleted", "There are still 4 protected resources"],
    });

    await stack.step("To stop managing the migration on purpose, set allowForget, update once …", {
      before: () => stack.set("allowForget", "true"),
      run: up,
      shows: ["+allowForget", "~ 1 updated"],
    });

    await stack.step("… and destroy. The stack forgets the migration, and the zone stays as it is.", {
      run: ["destroy", "--yes", "--skip-preview"],
      shows: ["- 4 deleted"],
      after() {
        assert.deepEqual(rest(zone()), migrated, "The zone should stay as it was after the finish.");
        assert.deepEqual(zone().settings, settingsFound, "Only the WAF should change in the zone.");
        expectAccepted(2, 1);
      },
    });
    showText(`\nFinishing requests that the zone has accepted: ${zone().waf.acceptedPending}, for good.`);
  },
};
