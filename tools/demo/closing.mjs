import { shellQuoted } from "../setup/shell.mjs";
import { green, showText, showTitle } from "./show.mjs";
import { byMethod, countsText } from "./stage.mjs";
import { zonePicture } from "./zone-picture.mjs";

/** Shows what the zones look like at the end, and the number of requests and the time that it took. */
export function closing({ sim, steps }, durationMs) {
  showTitle("At the end");
  for (const id of sim.zones.ids()) showText(`${zonePicture(sim.zone(id))}\n`);
  const total = sim.journal.length;
  showText(`The API was asked ${total} times: ${countsText(byMethod(sim.journal))}.`);
  showText(green(`All ${steps} steps came out as they had to, in ${Math.round(durationMs / 1000)} s.`));
}

/** Shows lines for a shell, with which a person can use the simulator and the backend that stay up. */
export function playOn({ sim, connection, stacks }, engine) {
  showTitle("Simulator and backend stay up: lines to play on with, in another shell");
  for (const [name, value] of Object.entries(connection)) showText(`export ${name}=${shellQuoted(value)}`);
  showText(`export PATH=${shellQuoted(engine)}:"$PATH"`);
  for (const { project, name, configFile } of stacks) {
    showText(`pulumi -C ${shellQuoted(project)} up --stack ${name} --config-file ${shellQuoted(configFile)}`);
  }
  showText(
    `curl ${sim.controlUrl}/zones/${sim.zones.ids()[0]}     # the zone as the dashboard would show it`,
  );
  showText(
    `npx page-guard-simulator --help     # what else can be done to it: faults, other people, rate limits`,
  );
  showText("\nCtrl+C ends both and removes the backend.");
}
