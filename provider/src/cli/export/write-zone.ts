import type { ZoneRef } from "../zones";
import type { ZoneDeclared } from "./declared";
import type { ExportFolder } from "./folder";
import { fieldDigests, type LockedZone } from "./lock";
import { slugOf } from "./naming";
import { type Form, type Named, zoneProgram } from "./zone-program";

/** What became of a zone's files. */
export interface ZoneWritten {
  readonly locked: LockedZone;
  /** Modules for the index. */
  readonly modules: readonly string[];
  /** Files that somebody has edited, and that were left alone. */
  readonly edited: readonly string[];
  /** New objects that are in no file, because all of the zone's files were edited. */
  readonly nowhere: readonly Named[];
}

/**
 * Writes a zone's file anew when nobody has edited it. Beside an edited one new objects go to a file of their own,
 * `zones/shop.new.ts`, as single resources: a person moves them to where they belong.
 */
export function writeZone(
  folder: ExportFolder,
  zone: ZoneRef,
  objects: readonly Named[],
  { remarks }: ZoneDeclared,
  before: LockedZone | undefined,
  form: Form,
): ZoneWritten {
  const slug = slugOf(zone);
  const main = `zones/${slug}.ts`;
  const beside = `zones/${slug}.new.ts`;
  const fileOf = ({ key }: Named): string | undefined => before?.objects[key]?.file;
  // Taken away by a person: what it declared was moved.
  const wasMoved = folder.digests[beside] !== undefined && !folder.has(beside);
  if (wasMoved) delete folder.digests[beside];

  let inMain: readonly Named[];
  let inBeside: readonly Named[];
  if (folder.isOurs(main)) {
    inBeside = folder.isOurs(beside) ? [] : objects.filter((object) => fileOf(object) === beside);
    inMain = objects.filter((object) => !inBeside.includes(object));
    if (inBeside.length === 0) folder.remove(beside);
    folder.write(main, zoneProgram(zone, slug, inMain, form, remarks));
  } else {
    inMain = objects.filter((object) => fileOf(object) === main || (wasMoved && fileOf(object) === beside));
    inBeside = objects.filter((object) => !inMain.includes(object));
  }
  const edited = folder.isOurs(main) ? [] : [main];
  let nowhere: readonly Named[] = [];
  if (inBeside.length > 0) {
    const text = zoneProgram(zone, slug, inBeside, "single", []);
    if (folder.write(beside, text) === "edited") {
      edited.push(beside);
      nowhere = inBeside.filter((object) => fileOf(object) !== beside);
    }
  } else if (folder.isOurs(beside)) folder.remove(beside);
  else edited.push(beside);

  const declared = objects.filter((object) => !nowhere.includes(object));
  return {
    locked: {
      name: zone.name,
      objects: Object.fromEntries(
        declared.map((object) => [
          object.key,
          {
            name: object.name,
            file: inMain.includes(object) ? main : beside,
            fields: fieldDigests(object.args),
          },
        ]),
      ),
    },
    modules: [slug, ...(folder.has(beside) ? [`${slug}.new`] : [])],
    edited,
    nowhere,
  };
}
