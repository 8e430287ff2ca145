import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { enumerate, PageGuardError, parseZoneId } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import { CommandError } from "./command-error";
import { isZoneName, type ZoneFlags, type ZoneRef, zoneNameRule } from "./options";
import { readBytes } from "./read-text";
import type { Session } from "./session";
import { UsageError } from "./usage-error";
import { distinct } from "./values";
import { readYamlList } from "./yaml-list";

export type { ZoneRef };

/** Number of zones to read at a time. A few are enough: requests for a zone overlap, and all zones share the rate limit. */
export const zonesAtOnce = 4;

const expected = (what: string) => ({ error: `expected ${what}` });
const text = z.string(expected("text"));

/** Schema of a zone. Programs read `hosts`; `page-guard fleet` reads `wave` and `stage`. */
const zoneSchema = z.strictObject(
  {
    id: z
      .string(
        expected(
          "32 hexadecimal characters in quotes; without quotes, YAML reads an id that has only digits as a number",
        ),
      )
      .refine((id) => parseZoneId(id) !== undefined, expected("32 hexadecimal characters"))
      .toLowerCase(),
    /** The name of the zone and of its stack. */
    name: text.refine(isZoneName, { error: zoneNameRule.replace(/\.$/, "") }).optional(),
    hosts: z.array(text, expected("a list of hosts")).default([]),
    wave: z.int(expected("a whole number from 1")).min(1, expected("a whole number from 1")).default(1),
    /** The last stage that the migration of the zone may reach. */
    stage: z.enum(["validation", "finished"], expected("validation or finished")).optional(),
    tags: z
      .union(
        [z.array(text), z.record(text, text)],
        expected("a list of strings, or a map of names to strings"),
      )
      .default([])
      .transform((tags) =>
        Array.isArray(tags) ? tags : Object.entries(tags).map(([key, value]) => `${key}=${value}`),
      ),
  },
  expected("{ id, name?, hosts?, wave?, stage?, tags? }"),
);

/** A zone in a `zones.yaml`. */
export type ListedZone = Readonly<z.output<typeof zoneSchema>>;

/** Returns the zones of `--zone` and `--zones`, each once, with their names. @throws CommandError */
export function readZoneFlags(session: Session, flags: ZoneFlags): readonly ZoneRef[] {
  const named = makeZoneNamer(session, flags);
  const ids = distinct([...(flags.zone ?? []), ...zonesInFile(session, flags).map(({ id }) => id)]);
  return ids.map((id) => ({ id, name: named(id) }));
}

/** Like `readZoneFlags`, but throws a UsageError if there is no zone. */
export function someZones(session: Session, flags: ZoneFlags): readonly ZoneRef[] {
  const zones = readZoneFlags(session, flags);
  if (zones.length > 0) return zones;
  throw new UsageError(
    "No zone is given. Name one with --zone ID (repeatable), or a list with --zones FILE. The dashboard shows the id on the overview page of a zone.",
  );
}

/**
 * Returns a function that returns the name of a zone, such as `shop-de`, or the id of a zone without a name. Names come from the
 * flags and then from a `zones.yaml` in the working directory. Use them only in output for people: machines and keys need the id.
 * Call this function once per run of a command.
 *
 * @throws CommandError for a `zones.yaml` that is not a list of zones, and for two zones of the same name.
 */
export function makeZoneNamer(session: Session, flags: ZoneFlags = {}): (id: string) => string {
  const given = [...zonesInFile(session, flags), ...(flags.name ?? [])];
  const found = findZones(session, flags).filter(
    (one) => !given.some(({ id, name }) => id === one.id || isSameName(name, one.name)),
  );
  const named = [...found, ...given].flatMap(({ id, name }) => (name ? [[id, name] as const] : []));
  const names = new Map(named);
  for (const [id, name] of names) {
    const twin = [...names].find(([other, its]) => other !== id && isSameName(its, name));
    if (twin)
      throw new UsageError(`The zones ${id} and ${twin[0]} are both named ${name}. Give each its own name.`);
  }
  return (id) => names.get(id) ?? id;
}

/** Returns the zones of `zones.yaml` in the working directory, or none if a flag names a list. Use only their names and order. */
export function findZones(session: Session, { zones }: ZoneFlags): readonly ListedZone[] {
  const isFound = zones === undefined && existsSync(join(session.cwd, "zones.yaml"));
  return isFound ? parseZonesFile(session, "zones.yaml") : [];
}

function zonesInFile(session: Session, { zones: file }: ZoneFlags): readonly ListedZone[] {
  return file === undefined ? [] : readZonesFile(session, file);
}

/** Reads a file that `--zones` names. @throws CommandError if the file has faults (named with their lines) or lists no zone */
export function readZonesFile(session: Session, file: string): readonly ListedZone[] {
  const zones = parseZonesFile(session, file);
  if (zones.length > 0) return zones;
  throw new CommandError(
    `${forTerminal(file)} contains no zone, so nothing was done. Add a line for each zone, such as \`- { id: "0123456789abcdef0123456789abcdef", name: shop }\`.`,
  );
}

/**
 * Returns the zones in a file that `--zones` names, and in the other lists of zones in its folder. Leaves out faulty entries of
 * the other lists.
 *
 * @throws UsageError if another list gives a different name to a zone in `file`, or a name in `file` to a different zone
 */
export function readAllLists(session: Session, file: string): readonly ListedZone[] {
  const folder = dirname(file);
  const files = readdirSync(resolve(session.cwd, folder)).filter((name) => /\.ya?ml$/.test(name));
  const findInList = (list: string): readonly ListedZone[] => {
    try {
      return findListed(session, list).zones;
    } catch (error) {
      if (error instanceof CommandError) return [];
      throw error;
    }
  };
  const own = parseZonesFile(session, file);
  const others = files
    .map((name) => join(folder, name))
    .flatMap((list) => {
      const zones = findInList(list);
      for (const { id, name } of own) {
        const rival = zones.find(
          (one) => one.name !== undefined && (one.id === id) !== isSameName(one.name, name),
        );
        if (rival)
          throw new UsageError(
            `${forTerminal(file)} has zone ${id} with the name ${name}, but ${forTerminal(list)} has zone ${rival.id} with the name ${rival.name}. Correct one of the two lists.`,
          );
      }
      return zones;
    });
  return [...own, ...others];
}

function parseZonesFile(session: Session, file: string): readonly ListedZone[] {
  const { zones, faults } = findListed(session, file);
  if (faults.length === 0) return zones;
  const texts = faults
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, message }) => `${forTerminal(file)}:${line}: ${message}`);
  throw new CommandError(`${enumerate(texts, { separator: "\n" })} Nothing was done.`);
}

function findListed(session: Session, file: string) {
  const { items, faults } = readYamlList(readBytes(session, file), {
    expected: "a list of zones, each with an id",
    docs: "docs/commands/fleet.md",
    schemaOf: () => zoneSchema,
  });
  const zones: ListedZone[] = [];
  for (const { value: zone, line } of items) {
    const twin = zones.find(({ id, name }) => id === zone.id || isSameName(name, zone.name));
    const same = twin?.id === zone.id ? "id" : "name";
    if (twin)
      faults.push({ line, message: `an earlier zone, ${twin.name ?? twin.id}, has the same ${same}.` });
    zones.push(zone);
  }
  return { zones, faults };
}

function isSameName(one = "", other = ""): boolean {
  return one !== "" && one.toLowerCase() === other.toLowerCase();
}

/** Adds the name of the zone to an expected error, if the zone has a name. Returns any other error unchanged. */
export function nameFailedZone({ id, name }: ZoneRef, error: unknown): unknown {
  if (!(error instanceof PageGuardError) || name === id) return error;
  return new CommandError(`${name}: ${forTerminal(error.message, 2000)}`, error.code);
}
