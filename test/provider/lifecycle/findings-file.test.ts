import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dynamicProvider } from "../../../provider/src/lifecycle/dynamic-provider";
import { tell, writeFinding, writePosition } from "../../../provider/src/lifecycle/findings-file";
import { createRun } from "../../../provider/src/lifecycle/run";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { startSimulator } from "../../../simulator/src";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const finding = { severity: "warning", code: "csp-near-miss", property: "", message: "found." } as const;

describe("The file that PAGE_GUARD_FINDINGS names", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-findings-"));
  const before = process.env["PAGE_GUARD_FINDINGS"];

  afterEach(() => {
    if (before === undefined) delete process.env["PAGE_GUARD_FINDINGS"];
    else process.env["PAGE_GUARD_FINDINGS"] = before;
  });
  after(() => rmSync(folder, { recursive: true }));

  it("gets a line for each finding and each position, appended to its content", () => {
    const file = join(folder, "findings.jsonl");
    const position = { file: "/shop/index.ts", line: 3 };
    process.env["PAGE_GUARD_FINDINGS"] = file;
    writePosition("urn:p", position);
    writeFinding({ ...finding, data: { rules: ["a"] } }, { urn: "urn:p", zoneId });
    writeFinding(finding, { urn: "", zoneId: "no id\n", position });
    const text = readFileSync(file, "utf8");
    const rest = { code: "csp-near-miss", severity: "warning" };
    assert.deepEqual(
      text.split("\n").map((line) => (line === "" ? line : JSON.parse(line))),
      [
        { kind: "position", urn: "urn:p", ...position },
        { ...rest, zone: zoneId, urn: "urn:p", property: "", text: "found.", data: { rules: ["a"] } },
        { ...rest, property: "", text: "found.", ...position },
        "",
      ],
    );
  });

  it("given resources that adopt objects of two zones, then the first message of each zone is shown, and the file and --debug contain all", async () => {
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
    assert.deepEqual(said, ["info settings", "debug set", "info waf", "info other"]);
    assert.equal(readFileSync(file, "utf8").trim().split("\n").length, 4);
  });

  it("contains the findings of a check and the error of a failed create, with code, zone and URN", async () => {
    const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/page-guard:PageGuardSettings::monitor";
    const file = join(folder, "run.jsonl");
    process.env["PAGE_GUARD_FINDINGS"] = file;
    const sim = await startSimulator();
    sim.zones.seed(zoneId, {});
    const run = createRun({ env: { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token } });
    const provider = dynamicProvider(() => pageGuardSettings, run);
    await provider.check({}, { zoneId, enabled: "yes", __urn: urn });
    const checked = await provider.check({}, { zoneId, enabled: true, __urn: urn });
    await sim.stop();
    await assert.rejects(async () => provider.create(checked.inputs));
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => {
        const { code, severity, zone, urn: of, property } = JSON.parse(line);
        return [code, severity, zone, of, property];
      }),
      [
        ["input-invalid", "error", zoneId, urn, "enabled"],
        ["PG_NETWORK", "error", zoneId, urn, ""],
      ],
    );
  });

  it("never fails the run: neither if the file cannot be written nor if the variable is not set", () => {
    process.env["PAGE_GUARD_FINDINGS"] = join(folder, "no/such/folder/f");
    writeFinding(finding, { urn: "" });
    delete process.env["PAGE_GUARD_FINDINGS"];
    writeFinding(finding, { urn: "" });
  });
});
