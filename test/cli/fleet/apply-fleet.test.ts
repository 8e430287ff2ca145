import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ApprovedStep,
  approvedFormat,
  writeApproved,
} from "../../../command/src/approval/approved-file";
import type { RunCommand } from "../../../command/src/fleet/one-stack";
import { type FleetFlags, runFleet } from "../../../command/src/fleet/run-fleet";
import type { Review } from "../../../command/src/reports/review/review";
import type { Session } from "../../../command/src/session";
import { systemClock } from "../../../provider/src/api/clock";
import { useDesk } from "../support/console";
import { PlayedPulumi } from "../support/played-pulumi";

const names = ["a", "b", "c", "d"];
const noImpact = { scripts: 0, connections: 0, isUnknown: false };
const review: Review = {
  ...{ stack: "a", project: "fleet", version: "1.0.0", result: "succeeded", exitCode: 0, resources: "" },
  ...{ headline: "1 policy to update.", isUnchanged: false, isAdoptionOnly: false, alerts: [], zones: [] },
  ...{ undone: [], losses: [], impact: noImpact, parts: [] },
};

interface Case {
  readonly flags?: Partial<FleetFlags>;
  /** Zones whose preview fails. */
  readonly failing?: readonly string[];
  /** Zones whose update fails. */
  readonly refused?: readonly string[];
  /** Called before each update; a text is that of an update that failed. */
  readonly before?: (stack: string, message: string, pulumi: PlayedPulumi) => string | undefined;
  readonly review?: Partial<Review>;
  /** Of each zone; 1 for all without it. */
  readonly waves?: readonly number[];
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
    ...{ urn: `urn:pulumi:a::fleet::${type}::waf`, type, op: "create" },
    ...{ after, unknown: [] },
  };
}

describe("An update of a fleet", () => {
  const begin = useDesk();

  async function apply(given: Case) {
    const { failing = [], refused = [], history = [], steps = [], waves = [1, 1, 1, 1], stage } = given;
    const desk = await begin();
    const pulumi = new PlayedPulumi(desk);
    pulumi.remembers(history);
    pulumi.previews();
    const named = stage === undefined ? "" : `, stage: ${stage}`;
    const zones = names.map(
      (name, at) =>
        `- { id: "${name.repeat(32)}", name: ${name}, wave: ${waves[at]}, tags: [${name}]${named} }\n`,
    );
    writeFileSync(join(desk.folder, "zones.yaml"), zones.join(""));
    const applied: string[] = [];
    const messages: string[] = [];
    const commands: string[] = [];
    const said: string[] = [];
    const printed: string[] = [];
    const run: RunCommand = async (argv, session) => {
      const stack = argv.find((arg) => arg.startsWith("--stack="))?.slice("--stack=".length) ?? "";
      if (argv[0] === "apply") {
        applied.push(stack);
        const message = argv.find((arg) => arg.startsWith("--message="))?.slice("--message=".length) ?? "";
        messages.push(message);
        commands.push(argv.join(" "));
        const failure = given.before?.(stack, message, pulumi);
        session.err(failure ?? "");
        return failure !== undefined || refused.includes(stack) ? 1 : 0;
      }
      if (failing.includes(stack)) return 1;
      const content = {
        ...{ ...approvedFormat, madeAt: "2026-01-01T00:00:00.000Z", project: "fleet", stack },
        ...{ steps: [...steps], findings: [], zones: [], unknownZones: [], plan: "{}" },
      };
      const file = argv[argv.indexOf("--approve") + 1] ?? "";
      writeApproved(session, file, content);
      session.onReview?.({ ...review, ...given.review });
      return 0;
    };
    const session: Session = {
      ...{ env: pulumi.env, cwd: desk.folder, isWatched: false, hasColour: false, now: Date.now },
      out(text) {
        said.push(text);
        printed.push(text);
      },
      err: (text) => void said.push(text),
      readStdin: async () => "",
      clock: { ...systemClock, schedule: (_, callback) => systemClock.schedule(0, callback) },
    };
    const flags = { zones: "zones.yaml", parallel: 1, maxFailures: 0, maxImpact: 0, wait: 0, ...given.flags };
    const code = await runFleet(session, run, "apply", flags).catch((error: unknown) => {
      said.push(`${error}\n`);
      return 1;
    });
    const texts = { said: said.join(""), printed: printed.join("") };
    return { code, applied, messages, commands, ...texts, calls: pulumi.calls() };
  }

  it("given more previews that fail than --max-failures, then nothing is applied", async () => {
    const { code, applied } = await apply({ flags: { maxFailures: 1 }, failing: ["a", "d"] });
    assert.equal(code, 1);
    assert.deepEqual(applied, []);
  });

  it("counts the previews that failed with the updates that failed: no further stack begins when both together are more than --max-failures", async () => {
    const { code, applied, said } = await apply({
      flags: { maxFailures: 1 },
      failing: ["a"],
      refused: ["b"],
    });
    assert.equal(code, 1);
    assert.deepEqual(applied, ["b"]);
    assert.match(said, /c +1 +look +not begun/);
  });

  it("given a change that breaks visitors in more zones than --max-impact, then no zone is listed as done", async () => {
    const { code, applied, said } = await apply({
      review: { impact: { ...noImpact, isUnknown: true } },
    });
    assert.equal(code, 2);
    assert.deepEqual(applied, []);
    assert.match(said, /4 zones: 0 ok, 4 to look at, 0 failed\./);
    assert.match(said, /a +1 +look +not begun/);
  });

  it("given an update of the same approval in the history, then the stack is not updated again; if another update changed it since, it needs another approval", async () => {
    const { messages } = await apply({});
    const entry = (message: string) => ({
      ...{ kind: "update", result: "succeeded", message, resourceChanges: { create: 1 } },
    });
    const [message = ""] = messages;
    const refresh = { ...entry(""), kind: "refresh" };
    const idle = { ...entry("nightly"), resourceChanges: { same: 3 } };
    const again = await apply({ history: [refresh, idle, entry(message), entry("before")] });
    assert.ok(!again.applied.includes("a"), "done already");
    assert.match(again.said, /a +1 +ok +done already/);
    const undone = await apply({ history: [entry("put back"), entry(message)], flags: { maxFailures: 1 } });
    assert.equal(undone.code, 2);
    assert.deepEqual(undone.applied, ["b", "c", "d"]);
    assert.match(undone.said, /a +1 +look +applied before, and changed by another update since: preview and/);
  });

  it("given another run of the same approval that has the lock, then what that run did is not done twice", async () => {
    const begun: string[] = [];
    const { code, applied, said } = await apply({
      flags: { wait: 10 },
      before(stack, message, pulumi) {
        if (stack !== "a" || begun.push(stack) > 1) return undefined;
        pulumi.remembers([{ kind: "update", result: "succeeded", message }]);
        return "error: the stack is currently locked by 1 lock(s)\n  created by ci@ci-7 (pid 1) at 2026-01-01T12:00:00Z\n";
      },
    });
    assert.equal(code, 0, said);
    assert.deepEqual(applied, names);
    assert.match(said, /a +1 +ok +done already/);
  });

  it("passes --allow on to each update, or to that of one stack, and says where something was allowed", async () => {
    const { code, commands, said } = await apply({ flags: { allow: ["unknown-zone", "b:no-change"] } });
    assert.equal(code, 0);
    assert.deepEqual(
      commands.map((command) => [...command.matchAll(/ --allow (\S+)/g)].map(([, what]) => what)),
      [["unknown-zone"], ["unknown-zone", "no-change"], ["unknown-zone"], ["unknown-zone"]],
    );
    assert.match(said, /b +1 +ok +applied; allowed: unknown-zone, no-change\n/);
    const wrong = await apply({ flags: { allow: ["shop:no-change"] } });
    assert.match(wrong.said, /--allow: there is no stack shop\./);
    assert.deepEqual(wrong.applied, []);
  });

  it("given SIGTERM while a stack is updated, then that one says so, and no further one begins", async () => {
    const { code, applied, said } = await apply({
      before: (stack) => {
        if (stack !== "b") return undefined;
        process.emit("SIGTERM");
        return "error: update cancelled\n";
      },
    });
    assert.equal(code, 1);
    assert.deepEqual(applied, ["a", "b"]);
    assert.match(said, /b +1 +FAILED +cut off while it ran, run it again: update cancelled/);
    assert.match(said, /c +1 +FAILED +not begun: the run was cut off/);
  });

  it("asks for the history of a stack that this run has applied only where --after has to be counted", async () => {
    const { code, calls } = await apply({ waves: [1, 2, 3, 4] });
    assert.equal(code, 0);
    const asked = calls.filter((call) => call.includes("stack history"));
    assert.equal(asked.length, names.length, "once for each, before its update");
  });

  it("given a summary that cannot be written, then it is printed all the same, and the exit code is 1", async () => {
    const { code, printed } = await apply({ flags: { markdown: "zones.yaml/review.md", json: true } });
    assert.equal(code, 1);
    const document: { zones: { name: string; code: number }[] } = JSON.parse(printed);
    assert.deepEqual(
      document.zones.map((zone) => [zone.name, zone.code]),
      names.map((name) => [name, 0]),
    );
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
