import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunCommand } from "../../../provider/src/cli/fleet/one-stack";
import { type FleetFlags, runFleet } from "../../../provider/src/cli/fleet/run-fleet";
import type { Session } from "../../../provider/src/cli/session";
import {
  type ApprovedStep,
  approvedFormat,
  approvedText,
} from "../../../provider/src/lifecycle/approval/approved-file";
import { useDesk } from "../support/console";
import { PlayedPulumi } from "../support/played-pulumi";

const names = ["a", "b", "c", "d"];
const review = {
  ...{ headline: "1 policy to update.", isUnchanged: false, alerts: [] },
  ...{ undone: [], losses: [], hosts: [], findings: [], parts: [] },
};

interface Case {
  readonly flags?: Partial<FleetFlags>;
  /** Zones whose preview fails. */
  readonly failing?: readonly string[];
  /** What `pulumi stack history` writes for each zone. */
  readonly history?: readonly object[];
  readonly steps?: readonly ApprovedStep[];
  /** Of each zone in the file. */
  readonly stage?: string;
}

const migrationTypes = [
  "pulumi-nodejs:dynamic/page-guard:WafMigrationStep",
  "page-guard:index:WafMigrationStep",
] as const;

function step(type: string, stage?: string, zoneId?: string): ApprovedStep {
  const after = { ...(stage !== undefined && { stage }), ...(zoneId !== undefined && { zoneId }) };
  return {
    ...{ urn: `urn:pulumi:a::fleet::${type}::waf`, type, op: "create", differences: {} },
    ...{ after, unknown: [], secret: [], hidden: [] },
  };
}

describe("An update of a fleet", () => {
  const begin = useDesk();

  async function apply({ flags, failing = [], history = [], steps = [], stage }: Case) {
    const desk = await begin();
    const pulumi = new PlayedPulumi(desk);
    pulumi.remembers(history);
    pulumi.previews();
    const named = stage === undefined ? "" : `, stage: ${stage}`;
    const zones = names
      .map((name) => `- { id: "${name.repeat(32)}", name: ${name}, tags: [${name}]${named} }\n`)
      .join("");
    writeFileSync(join(desk.folder, "zones.yaml"), zones);
    const applied: string[] = [];
    const said: string[] = [];
    const run: RunCommand = async (argv, session) => {
      const stack = argv.find((arg) => arg.startsWith("--stack="))?.slice("--stack=".length) ?? "";
      if (argv[0] === "apply") return applied.push(stack) && 0;
      if (failing.includes(stack)) return 1;
      const content = {
        ...{ ...approvedFormat, madeAt: "2026-01-01T00:00:00.000Z", project: "fleet", stack },
        ...{ salt: "0".repeat(32), steps: [...steps], secrets: [], findings: [], zones: [] },
        ...{ unknownZones: [], kept: [], plan: "{}" },
      };
      const file = argv[argv.indexOf("--approve") + 1] ?? "";
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, approvedText(content, undefined));
      session.out(JSON.stringify(review));
      return 0;
    };
    const session: Session = {
      ...{ env: pulumi.env, cwd: desk.folder, isWatched: false, hasColour: false, now: Date.now },
      ...{ out: (text) => void said.push(text), err: (text) => void said.push(text) },
      readStdin: async () => "",
    };
    const given = { zones: "zones.yaml", parallel: 1, maxFailures: 0, maxImpact: 1, wait: 0, ...flags };
    const code = await runFleet(session, run, "apply", given);
    return { code, applied, said: said.join("") };
  }

  it("applies the canary first", async () => {
    const { code, applied } = await apply({ flags: { canary: ["c"] } });
    assert.equal(code, 0);
    assert.deepEqual(applied, ["c", "a", "b", "d"]);
  });

  it("given a canary whose preview fails, then nothing of its wave is applied, whatever --max-failures allows", async () => {
    const allowed = { maxFailures: 3 };
    const { code, applied, said } = await apply({ flags: { ...allowed, canary: ["c"] }, failing: ["c"] });
    assert.equal(code, 1);
    assert.deepEqual(applied, []);
    assert.match(said, /The canary c was not applied, so nothing after it was begun\./);
    assert.deepEqual((await apply({ flags: allowed, failing: ["c"] })).applied, ["a", "b", "d"]);
  });

  it("given a canary in another shard, then its wave waits until that one is done", async () => {
    // The canary is the second of four: shard 1 of 2 has the first and the third.
    const flags: Partial<FleetFlags> = { shard: [1, 2], canary: ["b"], maxFailures: 3 };
    const waiting = await apply({ flags });
    assert.equal(waiting.code, 2);
    assert.deepEqual(waiting.applied, []);
    assert.match(waiting.said, /a +1 +look +waits: b is not done/);
    const history = [{ kind: "update", result: "succeeded", resourceChanges: { create: 1 } }];
    assert.deepEqual((await apply({ flags, history })).applied, ["a", "c"]);
  });

  it("given more previews that fail than --max-failures, then nothing is applied", async () => {
    const { code, applied } = await apply({ flags: { maxFailures: 1 }, failing: ["a", "d"] });
    assert.equal(code, 1);
    assert.deepEqual(applied, []);
  });

  it("never applies what would finish a migration of a zone that zones.yaml does not name for it", async () => {
    for (const type of migrationTypes) {
      for (const stage of ["finished", undefined]) {
        const { code, applied, said } = await apply({ steps: [step(type, stage)] });
        assert.equal(code, 2, `${type} ${stage}`);
        assert.deepEqual(applied, []);
        assert.match(said, /a +1 +look +it would finish a migration, which cannot be undone/);
      }
      assert.deepEqual((await apply({ steps: [step(type, "validation")] })).applied, names);
    }
  });

  it("given stage: finished for a zone, then its stack finishes the migration of no other zone", async () => {
    for (const type of migrationTypes) {
      for (const zoneId of ["b".repeat(32), "[not known yet]", undefined]) {
        const { code, applied, said } = await apply({
          steps: [step(type, "finished", zoneId)],
          stage: "finished",
        });
        assert.equal(code, 2, `${type} ${zoneId}`);
        assert.deepEqual(applied, []);
        assert.match(said, /a +1 +look +it would finish a migration, which cannot be undone/);
      }
      const own = await apply({
        ...{ steps: [step(type, "finished", "A".repeat(32))], stage: "finished", flags: { only: "a" } },
      });
      assert.deepEqual(own.applied, ["a"]);
    }
  });

  it("applies to a migration that is finished what starts nothing", async () => {
    const finished = {
      ...step(migrationTypes[0], "finished", "a".repeat(32)),
      recorded: { reached: "finished" },
    };
    assert.deepEqual((await apply({ steps: [{ ...finished, op: "update" }] })).applied, names);
    assert.deepEqual((await apply({ steps: [{ ...finished, op: "replace" }] })).applied, []);
  });
});
