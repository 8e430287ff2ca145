import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Kind } from "../../provider/src/lifecycle/kind";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../provider/src/resources/waf-migration/lifecycle";
import { type Simulator, startSimulator } from "../../provider/src/simulator";
import { check } from "../api/random-runs";
import { type Properties, urnOf } from "../small-engine/checkpoint";
import type { Program } from "../small-engine/operation";
import { SmallEngine } from "../small-engine/small-engine";
import { quietZone, zoneA, zoneB } from "../small-engine/zones";
import { VirtualTime } from "../virtual-time/virtual-time";
import { approve } from "./support/approve";
import { approvedSteps } from "./support/approved-steps";

const zoneC = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf";
const rule = (host: string) => ({ action: "block", expression: `http.host eq "${host}.example.com"` });
const zones = {
  [zoneA]: quietZone,
  [zoneB]: { ...quietZone, plan: "enterprise", entrypoint: { rules: [rule("colleague")] } },
  [zoneC]: { ...quietZone, plan: "enterprise", waf: {} },
} as const;

/** Each resource by its name: its kind, and the values that each of its inputs may have. Undefined: it is left out. */
const resources: Readonly<
  Record<string, { kind: Kind<never, never>; inputs: Readonly<Record<string, readonly unknown[]>> }>
> = {
  watch: {
    kind: pageGuardSettings as never,
    inputs: {
      zoneId: [zoneA, zoneC],
      enabled: [true, false],
      useVendorReportingEndpoint: [undefined, true, false],
      useConnectionUrlPath: [undefined, true],
      onDestroy: [undefined, "restore", "disable", "keep"],
    },
  },
  csp: {
    kind: cspPolicy as never,
    inputs: {
      zoneId: [zoneA, zoneB],
      description: ["csp", "csp, edited"],
      action: ["log", "allow"],
      expression: ["true", 'http.host eq "shop.example.com"'],
      enabled: [undefined, true, false],
      value: ["script-src 'self'", "script-src * 'unsafe-inline'", "script-src 'none'"],
      onDestroy: [undefined, "keep"],
      impact: ["off", "warn"],
      lint: ["off", "warn", { level: "warn", off: ["http-source"] }],
      minimumLogDays: [undefined, 0],
    },
  },
  set: {
    kind: cspPolicySet as never,
    inputs: {
      zoneId: [zoneC],
      policies: [
        { a: { action: "log", expression: "true", value: "img-src 'self'" } },
        { a: { action: "allow", expression: "true", value: "img-src 'self'" } },
        { a: { action: "log", expression: "true", directives: { "img-src": ["*"] } } },
        { b: { action: "log", expression: "true", value: "img-src 'self'", enabled: false } },
      ],
      others: [undefined, "keep", "delete"],
      onDestroy: [undefined, "keep"],
    },
  },
  list: {
    kind: managedWafEntrypoint as never,
    inputs: {
      zoneId: [zoneB],
      name: [undefined, "rules"],
      rules: [
        [rule("a")],
        [rule("a"), rule("b")],
        [rule("b"), rule("a")],
        [{ ...rule("a"), enabled: false }],
      ],
      foreignRules: ["keep", "overwrite"],
      onDestroy: [undefined, "remove", "keep"],
    },
  },
  waf: {
    kind: wafMigrationStep as never,
    inputs: {
      zoneId: [zoneC],
      confirm: [zoneC],
      stage: ["validation", "finished"],
      configuration: [
        undefined,
        { name: "zone", rules: [rule("a")] },
        { name: "zone", rules: [{ ...rule("a"), action: "log" }] },
      ],
      timeoutMinutes: [undefined, 30],
      allowForget: [undefined, true],
    },
  },
};

const connections = [undefined, { tokenEnv: "PAGE_GUARD_API_TOKEN" }, { tokenEnv: "OTHER_TOKEN" }];

function kindNamed(name: string): Kind<never, never> {
  return resources[name]?.kind ?? assert.fail(name);
}

const declaration = (name: string): fc.Arbitrary<Properties> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries({ ...resources[name]?.inputs, connection: connections }).map(([input, values]) => [
          input,
          fc.constantFrom(...values),
        ]),
      ),
    )
    .map(present);

function present(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));
}

const anyProgram: fc.Arbitrary<Program> = fc
  .subarray(Object.keys(resources))
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, declaration(name)]))));

/** A program with a state, and what becomes of one input between the preview and the update. */
const story = fc
  .record({
    old: anyProgram,
    shown: anyProgram,
    name: fc.constantFrom(...Object.keys(resources)),
    isUnknown: fc.boolean(),
    isSecret: fc.boolean(),
  })
  .chain(({ name, ...told }) =>
    fc
      .record({ one: declaration(name), input: fc.constantFrom(...inputsOf(name)), pick: fc.nat(3) })
      .map(({ one, input, pick }) => ({ ...told, name, one, input, pick })),
  );

function inputsOf(name: string): string[] {
  const inputs = Object.entries(resources[name]?.inputs ?? {}).filter(([, values]) => values.length > 1);
  return [...inputs.map(([input]) => input), "connection"];
}

/** Each zone as it means: without ids, times and versions. */
function meaning(sim: Simulator) {
  return Object.keys(zones).map((zoneId) => {
    const { settings, policies, entrypoint, waf } = sim.zone(zoneId);
    const { updated_at: _, ...switches } = settings;
    return {
      switches,
      policies: policies
        .map(({ description, action, expression, enabled, value }) =>
          JSON.stringify({ description, action, expression, enabled, value }),
        )
        .sort(),
      rules: entrypoint?.rules.map(({ action, expression, enabled }) => ({ action, expression, enabled })),
      migration: waf?.stage,
    };
  });
}

describe("Random programs that show one thing and do another", () => {
  let folder = "";
  const open: Simulator[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-faces-"));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stopAll();
  });
  const stopAll = async (): Promise<void> => {
    await Promise.all(open.splice(0).map((sim) => sim.stop()));
  };

  /** Zones in which the old program was applied. */
  async function applied(old: Program) {
    const time = new VirtualTime();
    const sim = await startSimulator({ now: time.now, seed: 5, token: "a-token" });
    open.push(sim);
    for (const [zoneId, seed] of Object.entries(zones)) sim.zones.seed(zoneId, seed);
    const env: NodeJS.ProcessEnv = { OTHER_TOKEN: sim.token };
    const engine = new SmallEngine(sim, (name) => kindNamed(name) as never, { env, time, random: () => 0.5 });
    await engine.up(old);
    return { sim, engine, env };
  }

  it("given programs of which one input of one resource differs between preview and update, when they are held to what was approved, then that resource stays as it was and all others are done; the program that was shown is done whole", async () => {
    let compared = 0;
    const run = async ({ old, shown, name, one, input, pick, isUnknown, isSecret }: Story): Promise<void> => {
      const values = resources[name]?.inputs[input] ?? connections;
      const others = values.filter((value) => JSON.stringify(value) !== JSON.stringify(one[input]));
      const program = { ...old, ...inOldZones(shown, old), [name]: one };
      const seen = { ...one, ...(isUnknown && { [input]: unknownValue }) };
      const altered = { ...program, [name]: present({ ...one, [input]: others[pick % others.length] }) };
      // What would be refused for another reason.
      for (const both of [program, altered]) {
        const { engine } = await applied(old);
        fc.pre((await engine.tryUp(both)) === "");
      }

      const file = join(folder, "approved.json");
      const approved = async (preview: Program) => {
        const story = await applied(old);
        const secrets = isSecret && !isUnknown ? { [name]: [input] } : {};
        const steps = await approvedSteps(story.engine, preview, {
          kindOf: (of) => kindNamed(of).name,
          secrets,
        });
        const { inputs } = await story.engine.checked(name, one);
        await approve(file, story.sim, {
          zones: Object.keys(zones),
          steps,
          secrets: [{ urn: urnOf(name), property: input, value: inputs[input] }],
        });
        return story;
      };
      const honest = await approved(program);
      honest.env["PAGE_GUARD_APPROVED"] = file;
      await honest.engine.up(program);

      const hostile = await approved({ ...program, [name]: seen });
      const isChange = (await hostile.engine.preview(altered)).some((step) => step.endsWith(` ${name}`));
      hostile.env["PAGE_GUARD_APPROVED"] = file;
      const said = await hostile.engine.tryUp(altered);
      if (isChange) assert.match(said, /PG_NOT_APPROVED/, `${name}.${input}`);
      else assert.equal(said, "", `${name}.${input}`);
      if (isChange) compared += 1;

      const { [name]: _, ...rest } = program;
      const control = await applied(old);
      await control.engine.up({ ...rest, ...(old[name] && { [name]: old[name] }) });
      assert.deepEqual(meaning(hostile.sim), meaning(control.sim), `${name}.${input}`);
    };
    const property = fc.asyncProperty(story, run).afterEach(() => stopAll());
    await check(property, { usually: 20 });
    assert.ok(compared > 0, "not one program did something else than it had shown");
  }).timeout(1_200_000);
});

/** What is replaced is deleted at the end, and where something is refused nothing is deleted. */
function inOldZones(program: Program, old: Program): Program {
  const moved = Object.entries(program).map(([name, inputs]): [string, Properties] => {
    const zoneId = old[name]?.["zoneId"] ?? inputs["zoneId"];
    return [name, { ...inputs, zoneId }];
  });
  return Object.fromEntries(moved);
}

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;
