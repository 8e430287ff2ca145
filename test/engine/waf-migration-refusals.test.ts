import assert from "node:assert/strict";
import { migration, settings } from "./real-engine/declaration";
import { changesOf } from "./real-engine/preview";
import type { Stack } from "./real-engine/stack";
import { type Story, useStories, zoneA, zoneB, zoneWithPolicy } from "./real-engine/story";
import { expectWords, refusalTable } from "./support/refusal-table";
import { resource, useYaml, migration as yamlMigration } from "./support/yaml-program";

/** The migrations of each program: name to arguments and options. All but the last two programs also declare settings. */
const programs = {
  deployed: { waf: [{}, {}] },
  hooked: { waf: [{ deleteHook: true }, {}] },
  removed: {},
  renamed: { renamed: [{}, {}] },
  otherZone: { waf: [{ zoneId: zoneB, confirm: zoneB }, {}] },
  earlierStage: { waf: [{ stage: "validation" }, {}] },
  moved: { moved: [{}, { aliases: [{ name: "waf" }] }] },
  forgettable: { moved: [{ allowForget: true }, {}] },
} as const;
type Program = keyof typeof programs;
const isAlone = (program: Program) => program === "moved" || program === "forgettable";

/** Rows of docs/waf-migration-refusals.md: what must not happen to a finished migration, and how someone tries it. */
type Attempt = readonly [row: string, program: Program, ...command: string[]];

/** Attempts that leave the state as it was. */
const harmless = (component: string, step: string): readonly Attempt[] => [
  ["`pulumi destroy`", "deployed", "destroy", "--yes"],
  ["`pulumi destroy --preview-only`", "deployed", "destroy", "--preview-only"],
  ["`pulumi destroy --run-program`", "deployed", "destroy", "--yes", "--run-program"],
  ["`pulumi destroy --target` of the component", "deployed", "destroy", "--yes", "--target", component],
  ["`pulumi destroy --target` of its child", "deployed", "destroy", "--yes", "--target", step],
  ["component removed, `pulumi preview`", "removed", "preview"],
  ["component removed, `pulumi up`", "removed", "up", "--yes"],
  ["renamed without an alias, `pulumi preview`", "renamed", "preview"],
  ["`pulumi up --replace <urn>`", "deployed", "up", "--yes", "--replace", step],
  ["`pulumi up --target-replace <urn>`", "deployed", "up", "--yes", "--target-replace", step],
  ["`zoneId` changed", "otherZone", "preview"],
  ["`stage` from finished to validation", "earlierStage", "preview"],
];

/** Attempts for a stack with only the migration, because the engine first deletes all that is not protected. */
const late: readonly Attempt[] = [
  ["`pulumi destroy --yes --skip-preview`", "deployed", "destroy", "--yes", "--skip-preview"],
  ["`pulumi destroy --ignore-protect`", "deployed", "destroy", "--yes", "--ignore-protect"],
  ["`pulumi state unprotect`, then `pulumi destroy`", "deployed", "destroy", "--yes"],
];

const ignoring = ["destroy", "--yes", "--ignore-protect"];
const hooks: readonly Attempt[] = [
  ["`deleteHook: true`, `pulumi destroy --ignore-protect`", "hooked", ...ignoring],
  [
    "`deleteHook: true`, `pulumi destroy --ignore-protect --run-program`",
    "hooked",
    ...ignoring,
    "--run-program",
  ],
];

const working = [
  "`pulumi destroy --exclude-protected`",
  "renamed with an alias",
  "`allowForget: true`, `pulumi up`, `pulumi destroy`",
];

/** Rows that waf-migration-unclear.test.ts tests. */
const askedOfPeople = [
  'a ruleset switched off in validation, then `stage: "finished"`',
  "a finish without a response, then an edit of the rules, `pulumi preview`",
  "`unclearAttempt` with the moment of another attempt",
  "`PULUMI_SKIP_CHECKPOINTS=true`, `pulumi preview`",
];

const watched = { zoneId: zoneA, enabled: true };
const languages: readonly (readonly [
  string,
  string,
  (stack: Stack) => Promise<(program: Program) => void>,
])[] = [
  [
    "in TypeScript",
    "pulumi-nodejs:dynamic/page-guard:WafMigrationStep",
    async (stack) => (program) => {
      const declared = Object.entries(programs[program]).map(([name, [args, options]]) => [
        name,
        migration({ zoneId: zoneA, ...args }, options),
      ]);
      stack.declare({
        ...(!isAlone(program) && { watch: settings(watched) }),
        ...Object.fromEntries(declared),
      });
    },
  ],
  [
    "in YAML",
    "page-guard:index:WafMigrationStep",
    async (stack) => {
      const declare = await useYaml(stack);
      return (program) => {
        const declared = Object.entries(programs[program]).map(([name, [args, options]]) => [
          name,
          yamlMigration({ zoneId: zoneA, ...args }, options),
        ]);
        const watch = isAlone(program) ? {} : { watch: resource("PageGuardSettings", watched) };
        declare({ resources: { ...watch, ...Object.fromEntries(declared) } });
      };
    },
  ],
];

/** Rows that the plugin or its component decide: the others are decided by the engine, or by code that both programs run. */
const alsoInYaml = [
  "`pulumi destroy`",
  "`pulumi destroy --ignore-protect`",
  "`zoneId` changed",
  "`stage` from finished to validation",
];

describe("On the engine: refusals of a WAF migration", function () {
  const begin = useStories(this);
  const zones = {
    [zoneA]: { ...zoneWithPolicy, waf: { firewallRules: 1 } },
    [zoneB]: { ...zoneWithPolicy, waf: {} },
  };

  it("are tested for each row of docs/waf-migration-refusals.md, and no other", () => {
    const tried = [...harmless("", ""), ...late, ...hooks].map(([row]) => row);
    const rows = refusalTable().map(({ action }) => action);
    assert.deepEqual(rows.sort(), [...tried, ...working, ...askedOfPeople].sort());
  });

  for (const [language, stepType, inLanguage] of languages) {
    it(`${language}: given a finished migration, when it is destroyed, removed or forgotten, then each attempt works or is refused as the table says, and the zone stays migrated`, async () => {
      const isEach = language === "in TypeScript";
      // The finish of a migration waits for half a minute. A zone that has migrated is adopted.
      const story = await begin(isEach ? zones : { ...zones, [zoneA]: zoneWithPolicy });
      const { sim, stack } = story;
      const accepted = isEach ? 1 : 0;
      const declare = await inLanguage(stack);
      const type = "urn:pulumi:dev::story::page-guard:index:WafMigration";
      const step = `${type}$${stepType}::waf-step`;
      const refuses = async (attempts: readonly Attempt[]): Promise<void> => {
        const tried = attempts.filter(([row]) => isEach || alsoInYaml.includes(row));
        for (const attempt of tried) await expectRefused(story, declare, attempt, step);
      };
      declare(isEach ? "hooked" : "deployed");
      assert.deepEqual(changesOf(await stack.preview()), ["create waf-step", "create watch"]);
      assert.equal(sim.zone(zoneA).waf.acceptedPending, 0, "a preview migrates nothing");
      await stack.up();
      const migrated = JSON.stringify(sim.zone(zoneA).entrypoint);
      await refuses(hooks);
      declare("deployed");
      if (isEach) await stack.up();
      await refuses(harmless(`${type}::waf`, step));
      const outputsOf = (name: string) => ({ ...stack.state()[name]?.outputs, __urn: undefined });
      const kept = outputsOf("waf-step");

      const spared = await stack.run("destroy", "--yes", "--skip-preview", "--exclude-protected");
      assert.equal(spared.code, 0, spared.output);
      expectWords("`pulumi destroy --exclude-protected`", spared.output, { urn: step, zoneId: zoneA });
      assert.deepEqual(Object.keys(stack.state()), ["waf-step"]);
      const sent = sim.changing().length;
      await refuses(late);

      declare("moved");
      await stack.up("--expect-no-changes");
      assert.deepEqual(Object.keys(stack.state()), ["moved-step"]);
      assert.deepEqual(outputsOf("moved-step"), kept);
      declare("forgettable");
      await stack.up();
      await stack.destroy();
      assert.deepEqual(stack.resources(), []);
      assert.equal(sim.changing().length, sent, "none of this changes anything");
      assert.equal(sim.zone(zoneA).waf.acceptedPending, accepted);
      assert.equal(sim.zone(zoneB).waf.stage, "old");
      assert.equal(JSON.stringify(sim.zone(zoneA).entrypoint), migrated);
    });
  }
});

/** Expects that the attempt is refused in the words of the table, and that neither the zones nor the state change. */
async function expectRefused(
  { sim, stack }: Story,
  declare: (program: Program) => void,
  [row, program, ...command]: Attempt,
  urn: string,
): Promise<void> {
  declare(program);
  // Does what `pulumi state unprotect --all` does to a state in files.
  if (row.includes("unprotect"))
    stack.editState((recorded) => recorded.replace('"protect":true', '"protect":false'));
  const sent = sim.changing().length;
  const names = Object.keys(stack.state());
  assert.ok(names.includes("waf-step"), row);
  expectWords(row, await stack.fails(...command), { urn, zoneId: zoneA });
  assert.equal(sim.changing().length, sent, `${row}: nothing was changed`);
  assert.deepEqual(Object.keys(stack.state()), names, `${row}: the state has the same resources`);
}
