import assert from "node:assert/strict";
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Simulator } from "../../simulator/src";
import { Ci } from "../engine/support/ci";
import { runGithubJob } from "../engine/support/github-job";
import { useDesk } from "./support/console";

const example = resolve(__dirname, "../../examples/audit");
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
const dayMs = 24 * 60 * 60 * 1000;
const firstWeek = Date.UTC(2025, 10, 24, 6);
const weeks = 53;

const zone = json<Omit<typeof import("../../examples/audit/zone.json"), "plan">>("zone.json");
/** What was otherwise before a day, and what people wrote about alerts. */
const history = json<typeof import("../../examples/audit/history.json")>("history.json");

describe("examples/audit", () => {
  const open = useDesk();

  // Some minutes: the rest of the tests takes the runs as they are in the folder.
  if (process.env["UPDATE_EXAMPLE"])
    it("is a year of the shipped jobs, against stand-ins of the service and the forge", async function () {
      this.timeout(1_500_000);
      await playYear();
    });

  it("has the report that its README makes, from the runs of the jobs", async () => {
    const { sim, folder, pageGuard } = await open();
    for (const name of ["inventory", "runs", "zones.yaml"])
      cpSync(join(example, name), join(folder, name), { recursive: true });
    seedWeek(sim, "2026-11-23");
    const now = firstWeek + (weeks - 1) * 7 * dayMs + 3_600_000;
    const { code, err } = await pageGuard(command, { now: () => now });
    assert.equal(code, 0, err);
    if (process.env["UPDATE_EXAMPLE"])
      cpSync(join(folder, "report"), join(example, "report"), { recursive: true });
    for (const file of readdirSync(join(example, "report")))
      assert.equal(
        unversioned(join(folder, "report", file)),
        unversioned(join(example, "report", file)),
        hint,
      );
    const readme = readFileSync(join(example, "README.md"), "utf8").replace(/ \\\n\s*/g, " ");
    assert.ok(readme.includes(`npx page-guard ${command.join(" ")}`));
  });

  const guide = readFileSync(resolve(__dirname, "../../docs/audit.md"), "utf8");
  const [, ...steps] = /## How to sample\n([^#]*)/.exec(guide)?.[1]?.split(/^\d\. /m) ?? [];
  const [head = "", ...chapters] = readFileSync(join(example, "report/report.md"), "utf8").split(/^### /m);

  // How lines of a chapter begin; `*`: anything.
  const answers = `
    1 head: | Zones | shop (
    1 head: | Period | 2025-11-24
    1 head: | Made | * by
    1 head: | SHA-256 of all but this | *
    1 What needs a person: - **Act**
    2 Requirement 6.4.3: Payment pages: \`https://shop.example.com/checkout
    3 Requirement 6.4.3: | \`https://consent* The law asks *| alex.meyer, 2025-*>approval: \`https:*>commit:
    3 Requirement 6.4.3: | \`https://chat.widgets*|  |  |  | * is not in the inventory
    4 Changes in the period: | 2026-08-17 | changed *checkout.js\` | hash: e0e2* → 71b0
    4 Requirement 6.4.3: | *checkout.js*>approved changes: 71b0* by robin.park, \`https:
    5 Changes in the period: | 2026-05-04 | **malicious** *evil-tags
    5 Changes in the period: | 2026-05-04 | new *evil-tags
    5 Changes in the period: | 2026-05-11 | gone *evil-tags
    5 Alerts: | 2026-05-04 * | alex.meyer*by hand* | 2026-05-11 | Skimmer
    6 Alerts: | 2026-02-23 * | alex.meyer*by hand* | 2026-03-02 |
    6 Alerts: | 2026-06-08 * | robin.park*by hand* | 2026-06-22 |
    6 Cadence and missed runs: | *2026-02-09 to 2026-02-23 (14 days)<br>2026-06-01 to 2026-06-15 (14 days)
    6 Results by week: | 2026-02-16 *missed: no run
    6 Results by week: | 2026-06-08 *missed: not all could be read
    6 Results by week: | 2026-05-04 *1 script: malicious*\`https://git.example/shop/infra/actions/runs/1023\`
    7 Changes in the period: | 2026-04-06 | changed * policy | \`Checkout\` | value: * →
    8 Not covered by this report: - **Headers as received.** 11.6.1 asks`;
  for (const [, number = "", chapter = "", answer = ""] of answers.matchAll(/^ +(\d) (.*?): (.*)$/gm))
    it(`answers step ${number} of How to sample in its Markdown, where docs/audit.md says: ${chapter}, ${answer}`, () => {
      const name = chapter === "head" ? chapter : `"${chapter}"`;
      assert.ok(
        steps[Number(number) - 1]?.replace(/\s+/g, " ").includes(name),
        "the guide names the chapter",
      );
      const text = chapter === "head" ? head : chapters.find((one) => one.startsWith(chapter));
      const parts = answer.split("*").map((part) => part.replace(/[[\](){}|.^$?+\\]/g, "\\$&"));
      assert.match(text ?? "", new RegExp(`^${parts.join(".*")}`, "m"));
    });
});

const command = [
  ...["report", "--zones", "zones.yaml", "--inventory", "inventory", "--runs", "runs"],
  ...["--from", "2025-11-24", "--format", "md,json", "--out", "report"],
];

const hint =
  "UPDATE_EXAMPLE=1 npm test -- test/command/audit-example.test.ts plays the year and writes the example again.";

/** Runs report.yml each week of the year, on a clock of its own; people approve, and write what they did about an alert. */
async function playYear(): Promise<void> {
  const ci = await Ci.withoutEngine();
  const { sim } = ci;
  try {
    const clock = clockOf(ci.folder);
    const desk = ci.clone();
    const people = (branch: string, message: string) => {
      ci.git(desk, "add", "--all");
      ci.git(desk, "commit", "--quiet", "--allow-empty", "--message", message);
      ci.git(desk, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
    };
    ci.furnish(desk, {
      "zones.yaml": readFileSync(join(example, "zones.yaml"), "utf8"),
      "inventory/shop.yaml": "",
    });
    for (let week = 0; week < weeks; week += 1) {
      const now = firstWeek + week * 7 * dayMs;
      const day = new Date(now).toISOString().slice(0, 10);
      if (history.missed.includes(day)) continue;
      clock(now, 1000 + week);
      seedWeek(sim, day);
      ci.git(desk, "checkout", "--quiet", "--force", "-B", "main");
      if (week > 0) ci.git(desk, "reset", "--quiet", "--hard", "origin/main");
      writeFileSync(join(desk, "inventory/shop.yaml"), inventoryOf(day));
      people("main", "Inventory");
      sim.faults.clear();
      if (history.failed.includes(day))
        sim.faults.add({ method: "GET", path: "/scripts", kind: "status", status: 403 });
      for (const job of ["report", "keep"]) await runGithubJob(ci, "report", job, { name: "schedule" });
      ci.git(desk, "fetch", "--quiet", "origin");
      for (const { week: of, closedBy, note } of history.alerts) {
        if (of !== day) continue;
        ci.git(desk, "checkout", "--quiet", "--force", "--detach", "origin/page-guard-runs");
        const file = join(desk, "runs/alerts.jsonl");
        const last = JSON.parse(readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "");
        const when = new Date(now + 2 * dayMs).toISOString();
        const alert = { reference: last.alert.reference, closedBy, note };
        appendFileSync(file, `${JSON.stringify({ when, what: "a person", alert })}\n`);
        people("page-guard-runs", "What was done");
      }
    }
    ci.git(desk, "fetch", "--quiet", "origin");
    ci.git(desk, "checkout", "--quiet", "--force", "--detach", "origin/page-guard-runs");
    rmSync(join(example, "runs"), { recursive: true, force: true });
    cpSync(join(desk, "runs"), join(example, "runs"), { recursive: true });
  } catch (error) {
    process.stderr.write(ci.said.slice(-4000));
    throw error;
  } finally {
    await ci.end();
  }
}

/** The clock of the jobs' `date` and `page-guard`, and the number of their run. */
function clockOf(folder: string): (now: number, run: number) => void {
  const at = (name: string) => join(folder, "gh", name);
  const file = (name: string, text: string) => writeFileSync(at(name), text, { mode: 0o755 });
  file(
    "date",
    `#!/bin/sh\nnow="$(/bin/date -u -d "@$(cat '${at("now")}')" '+%F %T') UTC"\nif [ "$2" = -d ]; then exec /bin/date -u -d "$now $3" "$4"; fi\nexec /bin/date -u -d "$now" "$2"\n`,
  );
  file(
    "clock.cjs",
    "const now = 1000 * process.env.NOW;\nglobalThis.Date = class extends Date {\n  constructor(...given) { if (given.length > 0) super(...given); else super(now); }\n  static now() { return now; }\n};\n",
  );
  file(
    "node",
    `#!/bin/sh\ncase "$1" in */page-guard) ;; *) exec '${process.execPath}' "$@" ;; esac\nexport NOW="$(cat '${at("now")}')" GITHUB_ACTIONS=true GITHUB_ACTOR=weekly-job GITHUB_SERVER_URL=https://git.example GITHUB_REPOSITORY=shop/infra GITHUB_RUN_ID="$(cat '${at("run")}')"\nexec '${process.execPath}' --require '${at("clock.cjs")}' "$@"\n`,
  );
  return (now, run) => {
    file("now", String(now / 1000));
    file("run", String(run));
  };
}

/** The zone as it was on that day. */
function seedWeek(sim: Simulator, day: string): void {
  const present = [
    ...zone.scripts,
    ...history.gone.filter(({ until }) => day < until).map(({ script }) => script),
  ].filter(({ first_seen_at }) => first_seen_at.slice(0, 10) <= day);
  const earlier = history.policies.filter(({ until }) => day < until);
  sim.zones.seed(zoneId, {
    ...zone,
    scripts: present.map((script) => {
      const before = history.changed.find(({ url, until }) => url === script.url && day < until);
      const yesterday = new Date(Date.parse(day) - 18 * 60 * 60 * 1000).toISOString();
      return { ...script, last_seen_at: yesterday, ...(before && { hash: before.hash }) };
    }),
    policies: zone.policies.flatMap((policy) => {
      const { absent, value } = earlier.find(({ id }) => id === policy.id) ?? {};
      return absent ? [] : [{ ...policy, ...(value !== undefined && { value }) }];
    }),
  });
}

/** What people had approved by then. */
function inventoryOf(day: string): string {
  const text = history.inventory
    .filter(({ until }) => day < until)
    .reduce(
      (edited, { now, before }) => {
        assert.ok(edited.includes(now), `history.json: the inventory does not say ${now}`);
        return edited.replace(now, before);
      },
      readFileSync(join(example, "inventory/shop.yaml"), "utf8"),
    );
  const entries = text.split("\n\n");
  return entries.filter((entry) => (/\bon: (\d\S*)/.exec(entry)?.[1] ?? "") <= day).join("\n\n");
}

function json<T>(file: string): T {
  return JSON.parse(readFileSync(join(example, file), "utf8"));
}

/** The next release has another number. */
function unversioned(file: string): string {
  return readFileSync(file, "utf8").replace(/(pulumi-page-guard |"version": ")\d+\.\d+\.\d+/g, "$1X");
}
