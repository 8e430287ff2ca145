import { basename } from "node:path";
import { CommandError } from "../command-error";
import type { ZoneRef } from "../zones";
import type { Files, Language } from "./language";
import { slugOf } from "./naming";

/** Devices of Windows, with any extension. */
const devices = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])\./;

/** @throws CommandError if two zones would have the same names, or the file of one cannot be written everywhere. */
export function checkSlugs(zones: readonly ZoneRef[], language: Language): void {
  const owners = new Map<string, string>();
  for (const zone of zones) {
    const slug = slugOf(zone);
    const why = problemOf(language.file(slug), owners.get(slug), slug === "index" ? language.files([]) : {});
    if (why !== undefined)
      throw new CommandError(`${why}. Give zone ${zone.id} another name with --name ID=name.`);
    owners.set(slug, zone.id);
  }
}

function problemOf(file: string, owner: string | undefined, index: Files): string | undefined {
  if (owner !== undefined) return `Zone ${owner} has these names`;
  if (devices.test(basename(file))) return `${file} cannot exist on Windows`;
  return file in index ? `${file} is the list of zones` : undefined;
}
