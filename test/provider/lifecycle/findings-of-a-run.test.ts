import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dynamicProvider } from "../../../provider/src/lifecycle/dynamic-provider";
import { createRun } from "../../../provider/src/lifecycle/run";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { startSimulator } from "../../../simulator/src";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/page-guard:PageGuardSettings::monitor";

describe("What the provider process writes for machines", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-run-"));
  const file = join(folder, "findings.jsonl");
  const before = process.env["PAGE_GUARD_FINDINGS"];

  after(() => {
    if (before === undefined) delete process.env["PAGE_GUARD_FINDINGS"];
    else process.env["PAGE_GUARD_FINDINGS"] = before;
    rmSync(folder, { recursive: true });
  });

  it("has what a check has found and why an apply has failed, with code, zone and resource", async () => {
    const sim = await startSimulator();
    try {
      sim.zones.seed(zoneId, {});
      process.env["PAGE_GUARD_FINDINGS"] = file;
      const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
      const provider = dynamicProvider(() => pageGuardSettings, createRun({ env }));
      const declared = { zoneId, enabled: "yes", __urn: urn };
      await provider.check?.({}, declared);
      const checked = await provider.check?.({}, { ...declared, enabled: true });
      await sim.stop();
      await assert.rejects(async () => provider.create?.(checked?.inputs));
    } finally {
      await sim.stop();
    }
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
});
