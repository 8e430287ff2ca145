import { CommandError } from "../command-error";
import type { ZoneRef } from "../zones";
import type { Declared, DeclaredKind } from "./declared";
import type { Lock } from "./lock";
import { kebabCase, namesFor, wishedName } from "./names";
import type { Named } from "./zone-program";

/** What a zone has one of; and `policies`, the set. No policy is called so, nor as what every object has. */
const fixed: Readonly<Record<string, string>> = { settings: "settings", entrypoint: "waf" };
const reserved = new Set(["settings", "waf", "policies"]);

const kinds: readonly DeclaredKind[] = ["PageGuardSettings", "CspPolicy", "ManagedWafEntrypoint"];

/** What a zone's file and the names of its resources begin with. */
export function slugOf({ name }: Pick<ZoneRef, "name">): string {
  return kebabCase(name) || name.toLowerCase();
}

/** Devices of Windows, with any ending: no file of such a name can be checked out there. */
const devices = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** @throws CommandError when the zone's file could not be checked out everywhere. */
export function checkFileName(zone: ZoneRef): void {
  if (!devices.test(slugOf(zone))) return;
  throw new CommandError(
    `zones/${slugOf(zone)}.ts cannot exist on Windows. Give zone ${zone.id} another name with --name ID=name.`,
  );
}

/** @throws CommandError when two zones would have one file. */
export function checkSlugs(zones: readonly ZoneRef[]): void {
  const owners = new Map<string, string>();
  for (const zone of zones) {
    const slug = slugOf(zone);
    const other = owners.get(slug);
    if (slug === "index" || other !== undefined) {
      const why = other === undefined ? "is the list of zones" : `would be the file of zone ${other} too`;
      throw new CommandError(
        `zones/${slug}.ts ${why}. Give zone ${zone.id} another name with --name ID=name.`,
      );
    }
    owners.set(slug, zone.id);
  }
}

/** The objects of a zone with their names, in the order of a program. Locked names stay. */
export function named(zone: ZoneRef, objects: readonly Declared[], lock: Lock | undefined): readonly Named[] {
  const locked = new Map(
    Object.entries(lock?.zones[zone.id]?.objects ?? {}).map(([key, { name }]) => [key, name]),
  );
  const elsewhere = new Set(
    Object.entries(lock?.zones ?? {})
      .filter(([id]) => id !== zone.id)
      .flatMap(([, theirs]) => Object.values(theirs.objects).map(({ name }) => `${slugOf(theirs)}-${name}`)),
  );
  const wishes = new Map(
    objects.filter(({ kind }) => kind === "CspPolicy").map(({ key, args }) => [key, wishedName(args)]),
  );
  const names = namesFor(
    wishes,
    locked,
    (name) => reserved.has(name) || name in {} || elsewhere.has(`${slugOf(zone)}-${name}`),
  );
  return objects
    .map((object) => ({
      ...object,
      name: names.get(object.key) ?? locked.get(object.key) ?? fixed[object.key] ?? object.key,
    }))
    .sort(
      (left, right) =>
        kinds.indexOf(left.kind) - kinds.indexOf(right.kind) || (left.name < right.name ? -1 : 1),
    );
}
