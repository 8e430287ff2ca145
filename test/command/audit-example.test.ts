import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { dayMs, example, firstWeek, seedWeek, unversioned, weeks } from "./support/audit-year";
import { useDesk } from "./support/console";

describe("examples/audit", () => {
  const open = useDesk();

  it("contains the report that the command in its README writes", async () => {
    const { sim, folder, pageGuard } = await open();
    for (const name of ["inventory", "runs", "zones.yaml"])
      cpSync(join(example, name), join(folder, name), { recursive: true });
    seedWeek(sim, "2026-11-23");
    const now = firstWeek + (weeks - 1) * 7 * dayMs + 3_600_000;
    const { code, err } = await pageGuard(command, { now: () => now });
    assert.equal(code, 0, err);
    if (process.env["UPDATE_EXAMPLE"])
      cpSync(join(folder, "report"), join(example, "report"), { recursive: true });
    for (const file of readdirSync(join(example, "report"))) {
      const [written, expected] = [folder, example].map((one) => unversioned(join(one, "report", file)));
      assert.equal(written, expected, hint);
    }
    const readme = readFileSync(join(example, "README.md"), "utf8").replace(/ \\\n\s*/g, " ");
    assert.ok(readme.includes(`npx page-guard ${command.join(" ")}`));
  });

  const guide = readFileSync(resolve(__dirname, "../../docs/audit.md"), "utf8");
  const [, ...steps] = /## How to sample\n([^#]*)/.exec(guide)?.[1]?.split(/^\d\. /m) ?? [];
  const [head = "", ...chapters] = readFileSync(join(example, "report/report.md"), "utf8").split(/^### /m);

  // The steps, and how the answering lines of a chapter begin. `*` matches anything.
  const answers = `
    1 head: | Zones | shop (
    1 head: | Period | 2025-11-24
    1 head: | Made | * by
    1 head: | SHA-256 of the other fields | *
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
    6 Results by week: | 2026-06-08 *missed: not everything could be read
    6 Results by week: | 2026-05-04 *1 script: malicious*\`https://git.example/shop/infra/actions/runs/1023\`
    7 Changes in the period: | 2026-04-06 | changed * policy | \`Checkout\` | value: * →
    8 Not covered by this report: - **Headers as received.** 11.6.1 requires`;
  for (const [, number = "", chapter = "", answer = ""] of answers.matchAll(/^ +(\d) (.*?): (.*)$/gm))
    it(`answers step ${number} of "How to sample" in docs/audit.md: ${chapter}, ${answer}`, () => {
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
  "UPDATE_EXAMPLE=1 npm test -- FILE writes the example again: FILE is test/command/pipelines/audit-year.test.ts, then this one.";
