import assert from "node:assert/strict";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as approvedFile from "../../../command/src/approval/approved-file";
import type { Review } from "../../../command/src/documents/review/review";
import type { FleetFlags } from "../../../command/src/fleet/gate";
import { type RunCommand, runFleet } from "../../../command/src/fleet/run-fleet";
import type { Told } from "../../../command/src/shared/session";
import { sessionOf, useDesk } from "../support/console";
import { noImpact, quietReview } from "../support/fleet";
import { PlayedPulumi } from "../support/played-pulumi";

type ApprovedStep = approvedFile.ApprovedStep;
const names = ["a", "b", "c", "d"];
const stepOf = (stack: string, migration?: { readonly stage: string }): ApprovedStep => ({
  urn: "urn:pulumi:a::fleet::t::n",
  op: "create",
  unknown: [],
  type: `pulumi-nodejs:dynamic/page-guard:${migration ? "WafMigrationStep" : "CspPolicy"}`,
  after: { zoneId: stack.repeat(32), ...migration },
});

interface Case {
  readonly flags?: Partial<FleetFlags>;
  /** Zones whose preview fails. */
  readonly failing?: readonly string[];
  /** Zones whose update fails. */
  readonly refused?: readonly string[];
  /** Exit code of a failing update. Default: 1. */
  readonly refusal?: number;
  /** Called before each update. Returns what a failed update reports. */
  readonly before?: (stack: string, message: string, pulumi: PlayedPulumi) => Told | undefined;
  /** Stage of the approved migration. Default: a policy instead of a migration. */
  readonly step?: { readonly stage: string };
  /** Parts of the approved content. */
  readonly content?: Partial<approvedFile.ApprovedContent>;
  readonly review?: Partial<Review>;
  /** Wave of each zone. Default: 1 for all. */
  readonly waves?: readonly number[];
  /** Output of `pulumi stack history` for each zone. */
  readonly history?: readonly object[];
  /** Inputs of the resource in the state of the stack `a`. Default: as approved. */
  readonly inputs?: object;
  /** Stage of each zone in the file. */
  readonly stage?: string;
  /** Called once everything is approved. `list` writes the file of zones again. */
  readonly later?: (on: { folder: string; list(stage?: string, ids?: string): void }) => unknown;
}

describe("An update of a fleet", () => {
  const begin = useDesk();

  async function apply(given: Case) {
    const { failing = [], refused = [], history = [], waves = [1, 1, 1, 1], stage, later } = given;
    const desk = await begin();
    const pulumi = new PlayedPulumi(desk);
    pulumi.remembers(history);
    const { urn, type, after: inputs } = { ...stepOf("a"), ...(given.inputs && { after: given.inputs }) };
    pulumi.exports(JSON.stringify({ deployment: { resources: [{ urn, type, inputs }] } }));
    pulumi.previews();
    const list = (allowed?: string, ids = names.join("")): void => {
      const zones = [...ids].map((id, at) => {
        const named = allowed === undefined ? "" : `, stage: ${allowed}`;
        return `- { id: "${id.repeat(32)}", name: ${names[at]}, wave: ${waves[at]}, tags: [${names[at]}]${named} }\n`;
      });
      writeFileSync(join(desk.folder, "zones.yaml"), zones.join(""));
    };
    list(stage);
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
        session.tell?.({ reason: "refused", ...failure });
        return failure !== undefined || refused.includes(stack) ? (given.refusal ?? 1) : 0;
      }
      if (failing.includes(stack)) return 1;
      const content = {
        ...approvedFile.approvedFormat,
        madeAt: "2026-01-01T00:00:00.000Z",
        project: "fleet",
        stack,
        steps: [stepOf(stack, given.step)],
        findings: [],
        plan: "{}",
        zones: [stack, "e"].map((id) => ({ zoneId: id.repeat(32), parts: [], objects: [] })),
        ...given.content,
      };
      const file = argv[argv.indexOf("--approve") + 1] ?? "";
      approvedFile.writeApproved(session, file, content);
      writeFileSync(argv[argv.indexOf("--html") + 1] ?? "", "<html>");
      session.tell?.({ review: { ...quietReview, ...given.review } });
      return 0;
    };
    const session = sessionOf(
      { env: pulumi.env, cwd: desk.folder },
      (text) => {
        said.push(text);
        printed.push(text);
      },
      (text) => void said.push(text),
    );
    const flags = { zones: "zones.yaml", parallel: 1, maxFailures: 0, maxImpact: 0, wait: 0, ...given.flags };
    if (later !== undefined) {
      assert.equal(await runFleet(session, run, "preview", { ...flags, approve: "approved" }), 0);
      await later({ folder: join(desk.folder, "approved"), list });
      Object.assign(flags, { approved: "approved" });
    }
    const code = await runFleet(session, run, "apply", flags).catch((error: unknown) => {
      said.push(`${error}\n`);
      return 1;
    });
    const texts = { said: said.join(""), printed: printed.join("") };
    return { code, applied, messages, commands, ...texts, calls: pulumi.calls() };
  }

  it("counts the previews that failed with the updates that failed: no further stack begins when both together are more than --max-failures", async () => {
    const { code, applied, said } = await apply({
      flags: { maxFailures: 1 },
      failing: ["a"],
      refused: ["b"],
    });
    assert.equal(code, 1);
    assert.deepEqual(applied, ["b"]);
    assert.match(said, /c +1 +look +not started/);
  });

  it("begins no wave before the zones of earlier waves are done, even if they are not in this run", async () => {
    const { code, applied, said } = await apply({ flags: { wave: 2 }, waves: [1, 2, 2, 2] });
    assert.equal(code, 2);
    assert.deepEqual(applied, []);
    assert.match(said, /b +2 +look +waits: a is not done/);
  });

  it("given a change that breaks visitors in more zones than --max-impact, then no zone is listed as done", async () => {
    const { code, applied, said } = await apply({ review: { impact: { ...noImpact, isUnknown: true } } });
    assert.equal(code, 2);
    assert.deepEqual(applied, []);
    assert.match(said, /4 zones: 4 not started\./);
    assert.match(said, /a +1 +look +not started/);
  });

  it("counts the zones of earlier waves against --max-impact", async () => {
    const review = { impact: { ...noImpact, scripts: 1 } };
    const { code, applied, said } = await apply({ flags: { maxImpact: 2 }, waves: [1, 2, 3, 4], review });
    assert.equal(code, 2);
    assert.deepEqual(applied, ["a", "b"]);
    assert.match(said, /In 3 zones \(a, b, c\), the changes .* --max-impact allows 2\./);
  });

  it("given an update of the same approval in the history, then the stack is not updated again; if it did something else, or another update changed the stack since, then it needs another approval", async () => {
    const { messages } = await apply({});
    const done = { kind: "update", result: "succeeded", resourceChanges: { create: 1 } };
    const entry = (message: string) => ({ ...done, message });
    const [message = ""] = messages;
    const refresh = { ...entry(""), kind: "refresh" };
    const idle = { ...entry("nightly"), resourceChanges: { same: 3 } };
    const again = await apply({ history: [refresh, idle, entry(message), entry("before")] });
    assert.ok(!again.applied.includes("a"), "already applied");
    assert.match(again.said, /a +1 +ok +already applied/);
    const inputs = { zoneId: "a".repeat(32), action: "allow" };
    const other = await apply({ history: [entry(message)], inputs, flags: { only: "a" } });
    assert.deepEqual([other.code, other.applied], [2, []]);
    assert.match(other.said, /a +1 +look +applied before, but not as approved: n \(t\) has a different/);
    const undone = await apply({ history: [entry("put back"), entry(message)], flags: { maxFailures: 1 } });
    assert.equal(undone.code, 2);
    assert.deepEqual(undone.applied, ["b", "c", "d"]);
    assert.match(undone.said, /a +1 +look +applied before, and changed by another update since: preview and/);
  });

  it("given another run of the same approval that has the lock, then it waits as long as --wait says, and does not repeat that run's updates", async () => {
    const { code, applied, commands, said } = await apply({
      flags: { wait: 600_000, only: "a" },
      before(stack, message, pulumi) {
        if (stack !== "a") return undefined;
        pulumi.remembers([{ kind: "update", result: "succeeded", message }]);
        return { waits: "The stack is locked by ci@ci-7. Waiting up to 10 min" };
      },
      refused: ["a"],
      refusal: 2,
    });
    assert.equal(code, 0, said);
    assert.deepEqual(applied, ["a"]);
    assert.match(commands.join(), / --wait=600s /);
    assert.match(said, /^a: The stack is locked by ci@ci-7\. Waiting/m);
    assert.match(said, /a +1 +ok +already applied/);
  });

  it("passes --allow to each update or to the update of one stack, and says where something was allowed", async () => {
    const { code, commands, said } = await apply({ flags: { allow: ["unknown-zone", "b:no-change"] } });
    assert.equal(code, 0);
    assert.deepEqual(
      commands.map((command) => [...command.matchAll(/ --allow (\S+)/g)].map(([, what]) => what)),
      [["unknown-zone"], ["unknown-zone", "no-change"], ["unknown-zone"], ["unknown-zone"]],
    );
    assert.match(said, /b +1 +ok +applied; allowed: unknown-zone, no-change\n/);
    const wrong = await apply({ flags: { allow: ["shop:no-change"] } });
    assert.match(wrong.said, /--allow: no zone in the file has the stack shop\./);
    assert.deepEqual(wrong.applied, []);
  });

  it("given an approval without a step, then it updates the stack only if something changes in its state, such as an option", async () => {
    const idle = await apply({ flags: { only: "a" }, content: { steps: [], isStateKept: true } });
    assert.deepEqual([idle.code, idle.applied], [0, []]);
    assert.match(idle.said, /a +1 +ok +nothing to do/);
    const changed = await apply({ flags: { only: "a" }, content: { steps: [], isStateKept: false } });
    assert.deepEqual([changed.code, changed.applied], [0, ["a"]]);
  });

  it("given SIGTERM while a stack is updated, then that stack is reported, and no further one begins", async () => {
    const { code, applied, said } = await apply({
      before: (stack) => {
        if (stack !== "b") return undefined;
        process.emit("SIGTERM");
        return { reason: "error: update cancelled\n" };
      },
    });
    assert.equal(code, 1);
    assert.deepEqual(applied, ["a", "b"]);
    assert.match(said, /b +1 +FAILED +interrupted \(update cancelled\); run the command again/);
    assert.match(said, /c +1 +FAILED +not started: the run was interrupted/);
  });

  it("given a summary file that cannot be written, then it prints the summary anyway and exits with 1", async () => {
    const { code, printed } = await apply({ flags: { markdown: "zones.yaml/review.md", json: true } });
    assert.equal(code, 1);
    const document: { zones: { name: string; code: number }[] } = JSON.parse(printed);
    assert.deepEqual(
      document.zones.map((zone) => [zone.name, zone.code]),
      names.map((name) => [name, 0]),
    );
  });

  it("given an approved finish of a migration, then it is applied only while zones.yaml has stage: finished for the zone", async () => {
    const about = { name: "WafMigration waf", zone: "a".repeat(32), file: undefined, line: undefined };
    const finish: Case = {
      flags: { only: "a" },
      step: { stage: "finished" },
      stage: "finished",
      review: { undone: [{ ...about, stage: "finished", facts: [], remarks: [] }] },
    };
    assert.deepEqual((await apply(finish)).applied, ["a"]);
    const { code, applied, said } = await apply({ ...finish, later: ({ list }) => list("validation") });
    assert.equal(code, 2);
    assert.deepEqual(applied, []);
    assert.match(said, /a +1 +look +the stack would finish a migration, which cannot be undone/);
    // The approved file is for two zones, and zones.yaml now gives the stack the other one.
    const moved = await apply({ ...finish, later: ({ list }) => list("finished", "ebcd") });
    assert.deepEqual([moved.code, moved.applied], [2, []], moved.said);
  });

  it("given an approved deletion in a zone that zones.yaml now gives to another stack, then it is not applied", async () => {
    const { type, urn } = stepOf("a");
    const before = { zoneId: "e".repeat(32), description: "x" };
    const steps = [stepOf("a"), { type, urn, op: "delete", id: `${"e".repeat(32)}/p`, before, unknown: [] }];
    const given: Case = { flags: { only: "a" }, content: { steps } };
    assert.deepEqual((await apply(given)).applied, ["a"]);
    const taken = await apply({ ...given, later: ({ list }) => list(undefined, "aecd") });
    assert.deepEqual([taken.code, taken.applied], [2, []]);
    assert.match(
      taken.said,
      /a +1 +look +the stack deletes or restores objects in zone e{32}, .* gives to b\./,
    );
  });

  it("applies only a stack's own approved file, not a missing or edited one, or that of another stack or zone", async () => {
    const flags = { maxFailures: 4 };
    const { code, applied, said } = await apply({
      flags,
      later({ folder }) {
        const file = (name: string) => join(folder, `${name}.json`);
        rmSync(file("a"));
        copyFileSync(file("c"), file("b"));
        writeFileSync(file("d"), readFileSync(file("d"), "utf8").replace("create", "update"));
      },
    });
    assert.equal(code, 1);
    assert.deepEqual(applied, ["c"]);
    assert.match(said, /a +1 +look +not approved: there is no a\.json/);
    assert.match(said, /b +1 +look +not approved: its file is for c/);
    assert.match(said, /d +1 +FAILED +.*does not match its seal/);
    const moved = await apply({ flags: { only: "a" }, later: ({ list }) => list(undefined, "fbcd") });
    assert.match(moved.said, /a +1 +look +not approved: its file is not for zone f{32}/);
    // The approval reads this zone, too, but leaves the resource in another one.
    const other = await apply({ flags: { only: "a" }, later: ({ list }) => list(undefined, "ebcd") });
    assert.match(other.said, /a +1 +look +not approved: its file is not for zone e{32}/);
  });
});
