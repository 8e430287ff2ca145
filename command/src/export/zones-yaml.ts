import { quoted } from "../reports/escape";
import type { ZoneRef } from "../zones";

/** `zones.yaml`: ids and names, as `--zones` reads them. */
export function zonesYaml(zones: readonly ZoneRef[]): string {
  // An id without letters would be a number.
  return zones
    .map(({ id, name }) => `- id: ${quoted(id)}\n${name === id ? "" : `  name: ${quoted(name)}\n`}`)
    .join("");
}
