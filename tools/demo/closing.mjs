import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellQuoted } from "../setup/shell.mjs";
import { showText, showTitle, styled } from "./show.mjs";
import { byMethod, countsText } from "./stage.mjs";
import { zonePicture } from "./zone-picture.mjs";

/** Writes a report on the zones of the acts. The file stays after the demo, so that a person can open it. */
export async function report({ sim, pageGuard }) {
  showTitle("A report on these zones, for an assessor and for whoever has to act");
  const folder = mkdtempSync(join(tmpdir(), "page-guard-report-"));
  const zones = sim.zones.ids().flatMap((id) => ["--zone", id]);
  const { code } = await pageGuard(folder).run(["report", ...zones, "--out", "."]);
  assert.equal(code, 0, `\`page-guard report\` should end with exit code 0, but ended with ${code}.`);
  showText(`Open it: ${join(folder, "report.html")}`);
}

/** Shows the final contents of the zones, the number of requests, and the time that the demo took. */
export function closing({ sim, steps }, durationMs) {
  showTitle("At the end");
  for (const id of sim.zones.ids()) showText(`${zonePicture(sim.zone(id))}\n`);
  showText(`The API got ${sim.journal.length} requests: ${countsText(byMethod(sim.journal))}.`);
  const seconds = Math.round(durationMs / 1000);
  showText(styled("green", `All ${steps} steps succeeded, in ${seconds} s.`));
}

/** Shows shell commands with which a person can use the simulator and the backend, which keep running. */
export function playOn({ sim, connection, stacks }, engine) {
  const [zoneId] = sim.zones.ids();
  showTitle("The simulator and the backend stay up. Try these lines in another shell");
  for (const [name, value] of Object.entries(connection)) showText(`export ${name}=${shellQuoted(value)}`);
  showText(`export PATH=${shellQuoted(engine)}:"$PATH"`);
  for (const { project, name, configFile } of stacks)
    showText(`pulumi -C ${shellQuoted(project)} up --stack ${name} --config-file ${shellQuoted(configFile)}`);
  showText(`curl ${sim.controlUrl}/zones/${zoneId}     # the zone as the dashboard would show it`);
  showText("npx page-guard-simulator --help     # what else it can do: faults, edits by people, rate limits");
  showText("\nCtrl+C ends both and removes the backend.");
}
