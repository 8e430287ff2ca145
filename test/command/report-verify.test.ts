import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { computeDigest } from "../../command/src/documents/audit/make-report";
import type { AuditReport } from "../../command/src/documents/audit/report-data";
import { chainLine, inspectChain } from "../../command/src/report/chain";
import { printed } from "./support/console";
import { everyFormat, now, record, useReports, weekMs, withInventory } from "./support/report-desk";

describe("page-guard report --verify", () => {
  const started = useReports();

  const env = { RUNS_KEY: "a key of the runs", SHORT: "a key" };
  const keyed = ["--key-env", "RUNS_KEY"];
  const line = "runs/2026-11.jsonl";
  const isAltered = /2026-11\.jsonl:1: no job writes a line like this/;
  const mkdir = (folder: string, name: string) => {
    const path = join(folder, "kept/reports", name);
    mkdirSync(path);
    return path;
  };
  const folderOfDay = "kept/reports/2026-11-23";
  const isBroken = /The chain of the lines is broken/;

  /** Records two weeks, with an alert of a job in between. */
  async function kept() {
    const desk = await started("");
    const flags = [...withInventory, ...record, ...everyFormat, ...keyed, "--since", "kept/reports"];
    mkdirSync(join(desk.folder, "kept/reports"), { recursive: true });
    mkdirSync(join(desk.folder, "kept/runs"), { recursive: true });
    const runs = ["--runs", "kept/runs"];
    await desk.run([...flags, ...runs], { out: "kept/reports/2026-11-23", env });
    const { ends } = inspectChain(
      desk
        .textOf(`kept/${line}`)
        .trim()
        .split("\n")
        .map((one) => JSON.parse(one)),
      env.RUNS_KEY,
    );
    const alert = { when: "2026-11-24T00:00:00Z", what: "page-guard issue", alert: { reference: "#1" } };
    const chainedAlert = `${JSON.stringify(chainLine(alert, ends, env.RUNS_KEY))}\n`;
    desk.put(`kept/${line}`, `${desk.textOf(`kept/${line}`)}${chainedAlert}`);
    const { err } = await desk.run([...flags, ...runs], { out: "kept/reports/2026-11-30", env, week: 1 });
    assert.equal(err, "");
    const verify = (more: readonly string[] = keyed) =>
      desk.pageGuard(["report", "--verify", "kept", ...more], { env, now: () => now + weekMs });
    return { ...desk, verify, flags: [...flags, ...runs], chainedAlert };
  }

  it("given recorded runs, in any order, with a line by hand and folders named for the period, then exits with 0; without a key or with a short one, says so", async () => {
    const { pageGuard, verify, put, textOf, folder } = await kept();
    // The jobs remember the commit whose files they unpacked. They add the time to the name of a second report of a day.
    put("kept/runs/unpacked.txt", "0123456789abcdef");
    put("kept/.gitattributes", "* -text\n");
    mkdirSync(join(folder, "kept/2026/2026-Q4"), { recursive: true });
    renameSync(join(folder, folderOfDay), join(folder, "kept/reports/20261123"));
    renameSync(join(folder, "kept/reports/2026-11-30"), join(folder, "kept/2026/2026-Q4/2026-11-30-201500"));
    const byHand = {
      when: "2026-11-25T00:00:00Z",
      what: "sam",
      alert: { reference: "#1", closedBy: "sam" },
    };
    put("kept/runs/by-hand.jsonl", JSON.stringify(byHand));
    put(`kept/${line}`, textOf(`kept/${line}`).trim().split("\n").reverse().join("\n"));
    const { code, out } = await verify();
    assert.match(
      out,
      /^4 lines \(1 by hand\), 2 reports: unchanged since they were recorded\. Each line that a job wrote is sealed/,
    );
    assert.equal(code, 0);
    assert.match((await verify([])).err, /its lines are chained with a key/);
    assert.match((await verify(["--key-env", "SHORT"])).err, /SHORT has fewer than 16 characters/);
    assert.match(
      (await pageGuard(["report", "--verify", "nowhere"])).err,
      /the runs in the folder nowhere: ENOENT/,
    );
    assert.match(textOf("kept/2026/2026-Q4/2026-11-30-201500/report.json"), /"openedByHand": false/);
    const other = await started("");
    await other.run(record);
    const unkeyed = other.pageGuard(["report", "--verify", ".", ...keyed], { env });
    assert.match(await printed(unkeyed, 2), isBroken, "somebody without the key wrote the line");
  });

  type Kept = Awaited<ReturnType<typeof kept>>;
  const json = `${folderOfDay}/report.json`;
  /** Changes a report and recalculates its digest. */
  const redo = ({ put, textOf }: Kept, change: (head: AuditReport["head"]) => void) => {
    const report: AuditReport = JSON.parse(textOf(json));
    change(report.head);
    report.head.digest = computeDigest(report);
    put(json, `${JSON.stringify(report, null, 2)}\n`);
  };
  const edit = ({ put, textOf }: Kept, file: string, before: string, after: string) =>
    put(file, textOf(file).replace(before, after));
  const alone = { when: "2026-11-24T00:00:00Z", what: "page-guard issue", alert: { reference: "#2" } };

  const edited = (change: (text: string) => string) =>
    [isBroken, ({ put, textOf }: Kept) => put(`kept/${line}`, change(textOf(`kept/${line}`)))] as const;

  const forgeries: Readonly<Record<string, readonly [said: RegExp, forge: (desk: Kept) => unknown]>> = {
    "a report with a recalculated digest": [
      /2026-11-23.report\.json: no recorded run wrote this file/,
      (desk) => redo(desk, ({ counts }) => Object.assign(counts, { malicious: 0 })),
    ],
    "an edited page": [
      /report\.html: no recorded run wrote this file/,
      (desk) => edit(desk, json.replace("json", "html"), "evil", "good"),
    ],
    "a missing file of a report": [
      /2026-11-23: report\.json, which the run wrote, is missing/,
      ({ folder }) => rmSync(join(folder, json)),
    ],
    "an added page beside a report": [
      /Summary\.HTML: no recorded run wrote this file/,
      ({ put }) => put(`${folderOfDay}/Summary.HTML`, "<p>Nothing found."),
    ],
    "files of other kinds beside a report": [
      /summary\.md: no recorded run wrote this file/,
      ({ put }) => put(`${folderOfDay}/summary.md`, "Nothing found."),
    ],
    ...Object.fromEntries(
      ["summary.md", "index.xhtml"].map((name) => [
        `${name} in a folder without a report`,
        [
          /reports.\w+\.\w+: no recorded run wrote this file/,
          ({ put }) => put(`kept/reports/${name}`, "Nothing found."),
        ],
      ]),
    ),
    "a symbolic link": [
      /reports.latest: it is a symbolic link/,
      ({ folder }) => symlinkSync("2026-11-23", join(folder, "kept/reports/latest")),
    ],
    "no files of jobs": [
      /No line was written by a job/,
      ({ folder }) =>
        ["runs", "reports"].map((name) => rmSync(join(folder, "kept", name), { recursive: true })),
    ],
    "an old report in the folder of another day": [
      /2026-12-07: this report was made on 2026-11-23/,
      ({ folder }) =>
        cpSync(join(folder, folderOfDay), join(folder, "kept/reports/2026-12-07"), { recursive: true }),
    ],
    "an old report below the folder of another day": [
      /this report was made on 2026-11-23, not on the date/,
      ({ folder }) => renameSync(join(folder, folderOfDay), join(mkdir(folder, "week 2026-12-07"), "report")),
    ],
    "an old report in a folder that names another day later": [
      /this report was made on 2026-11-23, not on the date/,
      ({ folder }) => renameSync(join(folder, folderOfDay), mkdir(folder, "week 2026-12-07")),
    ],
    ...Object.fromEntries(
      ["20251101", "2025-Q4", "2026-Q3", "2026_12", "11-2025", "2026-11-24-120000"].map((name) => [
        `an old report in the folder ${name}`,
        [
          /this report was made on 2026-11-23, not on the date/,
          ({ folder }) => renameSync(join(folder, folderOfDay), join(folder, "kept/reports", name)),
        ],
      ]),
    ),
    "an old report that was redated": [
      /report\.json: no recorded run wrote this file/,
      (desk) => redo(desk, (head) => Object.assign(head, { madeAt: new Date(now + weekMs).toISOString() })),
    ],
    "a removed alert": [isBroken, (desk) => edit(desk, `kept/${line}`, desk.chainedAlert, "")],
    "a removed first line": edited((text) => text.replace(/^.*\n/, "")),
    "a changed line": edited((text) => text.replace('"scripts":3', '"scripts":2')),
    "a line with an added field": [isAltered, edited((text) => text.replace("{", '{"reviewedBy":"Ada",'))[1]],
    "a zone with an added field": [
      isAltered,
      edited((text) => text.replace('"zones":[{', '"zones":[{"reviewedBy":"Ada",'))[1],
    ],
    "a line with a repeated field": [isAltered, edited((text) => text.replace("{", '{"exit":0,'))[1]],
    "a copied line": edited((text) => text.replace(/^.*\n/, "$&$&")),
    "lines without their seals": edited((text) => text.replaceAll(/,"chain":"[^"]*"/g, "")),
    "a line of a job that did not see the earlier lines": [
      /The line of 2026-11-24T00:00:00Z begins another chain/,
      ({ put }) => put("kept/runs/a.jsonl", JSON.stringify(chainLine(alone, [], env.RUNS_KEY))),
    ],
    "a line that is sealed without the key": edited(
      (text) => `${text}${JSON.stringify(chainLine(alone, [], undefined))}\n`,
    ),
    ...Object.fromEntries(
      ["page-guard issue", " page-guard report", "Page-guard\treport", "\u200bpage\u2010guard report"].map(
        (what) => [
          `an invented line of ${JSON.stringify(what)}`,
          [
            /The line of 2026-11-24T00:00:00Z claims to be from .*, but is not chained/,
            ({ put }) => put("kept/runs/a.jsonl", JSON.stringify({ ...alone, what })),
          ],
        ],
      ),
    ),
    "an invented alert with a chain": [
      isBroken,
      ({ put, chainedAlert }) => put("kept/runs/a.jsonl", chainedAlert.replace("#1", "#2")),
    ],
  };
  for (const [what, [said, forge]] of Object.entries(forgeries))
    it(`given ${what}, then reports it and exits with 2`, async () => {
      const desk = await kept();
      forge(desk);
      assert.match(await printed(desk.verify(), 2), said);
    });

  it("given a run without the key, with another key, or with the first key, then refuses to add a line that would break the chain", async () => {
    const { run, pageGuard, put, textOf, verify, flags } = await kept();
    const before = textOf(`kept/${line}`);
    put("reports/alert.jsonl", `${JSON.stringify(alone)}\n`);
    for (const [key, why] of [
      ["", /no key is given, or the variable of --key-env is empty/],
      ["another key of the runs", /none of its lines is chained with the key/],
    ] as const) {
      const chain = ["report", "--chain", "reports", "--runs", "kept/runs", ...keyed];
      const newKey = { env: { ...env, RUNS_KEY: key } };
      const recorded = await run(flags, { ...newKey, week: 2, out: "other" });
      const chained = await pageGuard(chain, newKey);
      for (const { code, err } of [recorded, chained]) {
        assert.equal(code, 1);
        assert.match(err, why);
      }
    }
    assert.equal(textOf(`kept/${line}`), before);
    assert.equal((await verify()).code, 0);
    const other = await started("");
    await other.run(record);
    assert.match((await other.run([...record, ...keyed], { env })).err, /none of its lines is chained/);
    assert.equal((await other.run([...record, ...keyed], { env: { RUNS_KEY: "" } })).err, "");
  });

  it("given files above 16 MB, as many zones make them, then compares with them, adds lines and verifies", async () => {
    const { run, put, textOf, verify, flags } = await kept();
    const padding = `${" ".repeat(16_100_000)}\n`;
    put(`kept/${line}`, `${textOf(`kept/${line}`)}${padding}`);
    put(json, `${textOf(json)}${padding}`);
    const { err } = await run(flags, { env, week: 1.05, out: "other" });
    assert.equal(err, "");
    const { out } = await verify();
    assert.match(
      out,
      /^\S*2026-11-23.report\.json: no recorded run wrote this file with these contents, or git has converted its line ends/,
    );
  });

  it("given a weekly job that ends after midnight, then the report is in the folder of the day on which it was written", async () => {
    const { folder } = await started();
    execFileSync("git", ["init", "--quiet", folder]);
    mkdirSync(join(folder, "bin"));
    for (const [name, text] of [
      ["date", "echo 2026-11-23"],
      [
        "npx",
        `echo "$*" > args.txt; while [ "$1" != --out ]; do shift; done; mkdir -p "$2"; printf '{ "head": {\n    "madeAt": "2026-11-24T00:00:01.000Z",' > "$2/report.json"`,
      ],
    ] as const)
      writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    writeFileSync(join(folder, "zones.yaml"), "");
    const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };
    execFileSync("sh", [resolve("command/ci/report.sh"), "zones.yaml"], { cwd: folder, env });
    assert.deepEqual(readdirSync(join(folder, "kept/reports")), ["2026-11-24"]);
    assert.doesNotMatch(readFileSync(join(folder, "args.txt"), "utf8"), /--from/);
    // The clock of the first run was ahead.
    writeFileSync(join(folder, "kept/runs/2031-01.jsonl"), '{"when":"2031-01-01T00:00:00.000Z"}\n');
    execFileSync("sh", [resolve("command/ci/report.sh"), "zones.yaml"], { cwd: folder, env });
    assert.match(readFileSync(join(folder, "args.txt"), "utf8"), / --from 2026-11-23 /);
  });

  it("given a report that no line records, then --since refuses it; a report with a future date is skipped", async () => {
    const desk = await kept();
    const { flags, run } = desk;
    await run(flags, { env, week: 250, out: "kept/reports/2031-09-08" });
    const { report } = await run(flags, { env, week: 2, out: "kept/reports/2026-12-07" });
    assert.equal(report().head.since?.madeAt, new Date(now + weekMs).toISOString());
    assert.equal(report().data.runs?.chain, "keyed");
    redo(desk, (head) => Object.assign(head, { madeAt: "2026-11-29T00:00:00.000Z" }));
    const { err } = await run(flags, { env, week: 3 });
    assert.match(err, /no line in --runs has its digest and time/);
  });
});
