import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "./deviation.mjs";
import { showText, showTitle } from "./show.mjs";

/** Writes a report on the zones of the acts. It remains after the demo, so that a person can open it. */
export async function report(stage) {
  showTitle("A report on these zones, for an assessor and for whoever has to act");
  const folder = mkdtempSync(join(tmpdir(), "page-guard-report-"));
  const zones = stage.sim.zones.ids().flatMap((id) => ["--zone", id]);
  const { code } = await stage.pageGuard(folder).run(["report", ...zones, "--out", "."]);
  expect(code === 0, `\`page-guard report\` had to end with exit code 0, but ended with ${code}.`);
  showText(`Open it: ${join(folder, "report.html")}`);
}
