import type { ZoneRef } from "../zones";
import { changesOf, type ExportChange } from "./changes";
import type { ZoneDeclared } from "./declared";
import type { ExportFolder } from "./folder";
import type { Language } from "./language";
import { fieldDigests, isResourceName, type LockedObject, type LockedZone } from "./lock";
import { type Named, slugOf } from "./naming";
import { type Form, type ZoneProgram, zoneProgram } from "./program";
import type { Standings } from "./standing";

export interface ZoneWritten {
  readonly locked: LockedZone;
  readonly standings: Standings;
  /** Differences that remain, in edited files. */
  readonly unresolved: readonly ExportChange[];
  /** Edited files, which were not changed. */
  readonly edited: readonly string[];
  /** What is to be written, by file. */
  readonly programs: Readonly<Record<string, ZoneProgram>>;
}

export interface WriteOptions {
  readonly language: Language;
  readonly form: Form;
  /** With --resolved: what cannot be read declares what the zone has. */
  readonly isResolved: boolean;
}

/**
 * Decides what to write for a zone. An edited file stays. Beside it, new objects are written to `zones/shop.new.ts` as single
 * resources, for a person to move. What an edited file declares is not declared a second time.
 */
export function writeZone(
  folder: ExportFolder,
  zone: ZoneRef,
  objects: readonly Named[],
  { remarks }: ZoneDeclared,
  before: LockedZone | undefined,
  standings: Standings,
  { language, form, isResolved }: WriteOptions,
): ZoneWritten {
  const files = language.files(slugOf(zone));
  const [main, beside] = files;
  const known = before?.objects ?? {};
  // A person removed it, as EXPORT.md asks: what it declared is in an edited file now.
  const wasMoved = beside !== undefined && folder.isEdited(main) && !folder.has(beside);
  if (beside !== undefined && !folder.has(beside)) delete folder.digests[beside];
  const isTheirs = (file: string | undefined): boolean =>
    file !== undefined && (folder.isEdited(file) || (wasMoved && file === beside));
  const open = objects.filter(({ key }) => !isTheirs(standings.get(key)?.file ?? known[key]?.file));
  const edited = files.filter((file) => folder.isEdited(file));
  const target = files.find((file) => !edited.includes(file));
  const programs: Record<string, ZoneProgram> = {};
  if (target === main) programs[main] = zoneProgram(zone, open, form, remarks);
  if (beside !== undefined && target === beside && open.length > 0)
    programs[beside] = zoneProgram(zone, open, "single", []);
  else if (beside !== undefined) folder.remove(beside);

  const after = new Map([...standings].filter(([, { file }]) => isTheirs(file)));
  const locked: Record<string, LockedObject> = {};
  const live = new Map(objects.map((object) => [object.key, object]));
  for (const key of new Set([...Object.keys(known), ...after.keys()])) {
    const object = live.get(key);
    const standing = after.get(key);
    const last = known[key];
    const name = [standing?.name, object?.name, last?.name].find((one) => one && isResourceName(one));
    if (isResolved && standing?.unread !== undefined) {
      after.delete(key);
      if (!object || name === undefined) continue;
      const fields = fieldDigests(object.args);
      after.set(key, { ...standing, fields });
      locked[key] = { name, file: standing.file, fields };
      // Nothing was written, so the file must not count as written by an export.
      delete folder.digests[standing.file];
    } else if (name !== undefined && (object || standing)) {
      const isAsWritten = last !== undefined && folder.isEdited(last.file);
      locked[key] = {
        name,
        file: isAsWritten ? last.file : (standing?.file ?? main),
        fields: isAsWritten ? last.fields : {},
      };
    }
  }
  for (const { key, kind, name, args } of open) {
    if (target === undefined) break;
    const fields = fieldDigests(args);
    locked[key] = { name, file: target, fields };
    const isInSet = kind === "CspPolicy" && target === main && form === "set";
    after.set(key, { file: target, fields, isInSet });
  }
  return {
    locked: { name: zone.name, objects: locked },
    standings: after,
    unresolved: changesOf(objects, after, before),
    edited,
    programs,
  };
}
