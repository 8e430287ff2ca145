import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tell, writeFinding, writePosition } from "../../../provider/src/lifecycle/findings-file";
import { createRun } from "../../../provider/src/lifecycle/run";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const finding = {
  severity: "warning",
  code: "csp-near-miss",
  property: "",
  message: "taken over.",
} as const;

describe("The file that PAGE_GUARD_FINDINGS names", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-findings-"));
  const env = { PAGE_GUARD_FINDINGS: join(folder, "findings.jsonl") };
  after(() => rmSync(folder, { recursive: true }));

  it("gets a line for each finding and each position, after what is in it", () => {
    const position = { file: "/shop/index.ts", line: 3 };
    writePosition("urn:p", position, env);
    writeFinding({ ...finding, data: { rules: ["a"] } }, { urn: "urn:p", zoneId }, env);
    writeFinding(finding, { urn: "", zoneId: "no id\n", position }, env);
    const text = readFileSync(env.PAGE_GUARD_FINDINGS, "utf8");
    const rest = { code: "csp-near-miss", severity: "warning" };
    assert.deepEqual(
      text.split("\n").map((line) => (line === "" ? line : JSON.parse(line))),
      [
        { kind: "position", urn: "urn:p", ...position },
        { ...rest, zone: zoneId, urn: "urn:p", property: "", text: "taken over.", data: { rules: ["a"] } },
        { ...rest, property: "", text: "taken over.", ...position },
        "",
      ],
    );
  });

  it("given resources that adopt what two zones have, then one of each zone shows it, and the file and --debug have all", async () => {
    const said: string[] = [];
    const run = createRun({ log: async (severity, urn) => void said.push(`${severity} ${urn}`) });
    const file = join(folder, "adopted.jsonl");
    process.env["PAGE_GUARD_FINDINGS"] = file;
    for (const [urn, code, zone] of [
      ["settings", "settings-adopted", zoneId],
      ["set", "csp-adopted", zoneId.toUpperCase()],
      ["waf", "migration-adopted", zoneId],
      ["other", "waf-rules-adopted", "b".repeat(32)],
    ] as const)
      await tell(run, { ...finding, severity: "info", code }, { urn, zoneId: zone });
    delete process.env["PAGE_GUARD_FINDINGS"];
    assert.deepEqual(said, ["info settings", "debug set", "info waf", "info other"]);
    assert.equal(readFileSync(file, "utf8").trim().split("\n").length, 4);
  });

  it("never stops the run: not where it can't be written, not where no one asked", () => {
    writeFinding(finding, { urn: "" }, { PAGE_GUARD_FINDINGS: join(folder, "no/such/folder/f") });
    writeFinding(finding, { urn: "" }, {});
  });
});
