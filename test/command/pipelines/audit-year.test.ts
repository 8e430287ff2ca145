import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ci } from "../../engine/support/ci";
import { runGithubJob } from "../../engine/support/github-job";
import * as year from "../support/audit-year";
import { playClock } from "./played-clock";

const { approvalDays, dayMs, example, firstWeek, history, inventoryOf, seedWeek } = year;

const isUpdate = process.env["UPDATE_EXAMPLE"] !== undefined;

describe("The year of examples/audit", function () {
  this.timeout(1_500_000);

  // Plays until the first alert is closed. With UPDATE_EXAMPLE, plays the whole year for some minutes and updates the example.
  it("is what the shipped jobs write, with a simulated service and forge", async () => {
    const made = await play(isUpdate ? year.weeks : 9);
    if (isUpdate) {
      rmSync(join(example, "runs"), { recursive: true });
      mkdirSync(join(example, "runs"));
      for (const [name, text] of made) writeFileSync(join(example, "runs", name), text);
    }
    const kept = readRuns(example);
    for (const [name, text] of made) assert.equal(kept.get(name)?.slice(0, text.length), text, name);
  });
});

/**
 * Runs report.yml once a week with a simulated clock, while people approve scripts and write notes about alerts. Returns the
 * files of the runs by name.
 */
async function play(weeks: number): Promise<ReadonlyMap<string, string>> {
  const ci = await Ci.withoutEngine();
  const { sim } = ci;
  try {
    const atTime = playClock(ci);
    const desk = ci.clone();
    // The chain has no key, so that readers of the example can verify it.
    Object.assign(ci.secrets.plan, { REPORT_RUNS_KEY: "" });
    const people = (day: string, branch: string, message: string) => {
      process.env["GIT_AUTHOR_DATE"] = process.env["GIT_COMMITTER_DATE"] = `${day}T06:00:00Z`;
      ci.git(desk, "add", "--all");
      ci.git(desk, "commit", "--quiet", "--allow-empty", "--message", message);
      ci.git(desk, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
    };
    const zones = readFileSync(join(example, "zones.yaml"), "utf8");
    ci.furnish(desk, { "zones.yaml": zones, "inventory/shop.yaml": "" });
    let approvedUntil = "";
    for (let week = 0; week < weeks; week += 1) {
      const now = firstWeek + week * 7 * dayMs;
      const day = new Date(now).toISOString().slice(0, 10);
      if (history.missed.includes(day)) continue;
      seedWeek(sim, day);
      ci.git(desk, "checkout", "--quiet", "--force", "-B", "main");
      if (week > 0) ci.git(desk, "reset", "--quiet", "--hard", "origin/main");
      for (const approval of approvalDays.filter((one) => one > approvedUntil && one <= day)) {
        writeFileSync(join(desk, "inventory/shop.yaml"), inventoryOf(approval));
        people(approval, "main", "Inventory");
      }
      approvedUntil = day;
      sim.faults.clear();
      if (history.failed.includes(day))
        sim.faults.add({ method: "GET", path: "/scripts", kind: "status", status: 403 });
      const by = { GITHUB_ACTOR: "weekly-job", GITHUB_RUN_ID: `${1000 + week}` };
      const env = { ...atTime(new Date(now)), ...by, GITHUB_SERVER_URL: "https://git.example" };
      for (const job of ["report", "keep"]) await runGithubJob(ci, "report", job, { name: "schedule", env });
      ci.git(desk, "fetch", "--quiet", "origin");
      for (const { week: of, closedBy, note } of history.alerts) {
        if (of !== day) continue;
        ci.git(desk, "checkout", "--quiet", "--force", "--detach", "origin/page-guard-runs");
        const alerts = [...readRuns(desk).values()]
          .join("")
          .split("\n")
          .filter((line) => line.includes('"what":"page-guard issue"'));
        const last = JSON.parse(alerts.at(-1) ?? assert.fail("no alert"));
        const when = new Date(now + 2 * dayMs).toISOString();
        const alert = { reference: last.alert.reference, closedBy, note };
        const line = JSON.stringify({ when, what: "a person", alert });
        appendFileSync(join(desk, "runs/alerts.jsonl"), `${line}\n`);
        people(day, "page-guard-runs", "What was done");
      }
    }
    ci.git(desk, "fetch", "--quiet", "origin");
    ci.git(desk, "checkout", "--quiet", "--force", "--detach", "origin/page-guard-runs");
    return readRuns(desk);
  } catch (error) {
    process.stderr.write(ci.said.slice(-4000));
    throw error;
  } finally {
    delete process.env["GIT_AUTHOR_DATE"];
    delete process.env["GIT_COMMITTER_DATE"];
    await ci.end();
  }
}

function readRuns(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(folder, "runs")).sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, "runs", name), "utf8")]));
}
