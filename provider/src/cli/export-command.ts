import { basename, resolve } from "node:path";
import { Command, Option } from "commander";
import { allInFlight } from "../lifecycle/in-flight";
import { forTerminal } from "../reports/escape";
import { CommandError } from "./command-error";
import { changesOf, type ExportChange } from "./export/changes";
import { declare, type ZoneDeclared } from "./export/declared";
import { countsOf, exportMarkdown, type ZoneExport } from "./export/export-md";
import { checkOutputOf, exportOutputOf } from "./export/export-output";
import { ExportFolder } from "./export/folder";
import { type DeclaredObject, importedResources } from "./export/import-file";
import type { Language } from "./export/language";
import { go } from "./export/languages/go";
import { python } from "./export/languages/python";
import { typescript } from "./export/languages/typescript";
import { yaml } from "./export/languages/yaml";
import {
  type LanguageName,
  type Lock,
  type LockedZone,
  languageNames,
  lockFile,
  lockText,
  readLock,
} from "./export/lock";
import { checkFileName, checkSlugs, kebabCase, type Named, named, slugOf } from "./export/naming";
import type { Form, ZoneProgram } from "./export/program";
import { readExported, type ZoneFound } from "./export/read-zone";
import { kindOf, type Standings, standingsOf, unreadOf } from "./export/standing";
import { writeZone, type ZoneWritten } from "./export/write-zone";
import { type ReadFlags, withReading } from "./options";
import { print, writeText } from "./output";
import { reading } from "./reader";
import { type Conclude, type ExitCode, packageVersion, type Session } from "./session";
import { someZones, type ZoneRef, zonesAtOnce, zonesOf } from "./zones";

const languages: Readonly<Record<LanguageName, Language>> = { typescript, yaml, python, go };

interface ExportFlags extends ReadFlags {
  readonly out: string;
  readonly language?: LanguageName;
  readonly form?: Form;
  readonly check?: boolean;
  readonly resolved?: boolean;
  readonly importFile?: string;
}

const example = `
Examples:
  page-guard export --zone 8f14e45fceea167a5a36dedd4bea2543 --name 8f14e45fceea167a5a36dedd4bea2543=shop --out infra
  page-guard export --out infra --check

Exit codes: 0 written, or no differences; 1 failed; 2 with --check: a zone differs from the files.`;

/** `page-guard export`: a program that declares what zones have. */
export function exportCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("export")
    .description("Write a Pulumi program that declares what zones have, ready to be adopted without a change")
    .requiredOption("--out <dir>", "folder of the program; created if missing")
    .addOption(
      new Option("--language <name>", "language of the program (default: typescript)").choices(languageNames),
    )
    .addOption(
      new Option("--form <form>", "one CspPolicySet a zone, or single policies (default: set)").choices([
        "set",
        "single",
      ]),
    )
    .option("--check", "write nothing; list the differences between zones and files")
    .addOption(
      new Option(
        "--resolved",
        "treat code that cannot be read in edited files as declaring what the zones have",
      ).conflicts("check"),
    )
    .option(
      "--import-file <file>",
      "also write a file for `pulumi import --file`: adoption without any request",
    );
  return withReading(command)
    .addHelpText("after", example)
    .action((flags: ExportFlags) => conclude(exportZones(session, flags)));
}

async function exportZones(session: Session, flags: ExportFlags): Promise<ExitCode> {
  const path = resolve(session.cwd, flags.out);
  const lock = readLock(path);
  const name = languageFor(flags, lock);
  const language = languages[name];
  const zones = zonesFor(session, flags, lock, language);
  const fileOf = (zone: ZoneRef): string => language.files(slugOf(zone))[0];
  for (const zone of zones) if (!lock?.zones[zone.id]) checkFileName(zone, fileOf(zone));
  const all = [...zones, ...knownZones(lock).filter(({ id }) => !zones.some((zone) => zone.id === id))];
  checkSlugs(all, fileOf, (file) => file in language.index([]));
  if (flags.check && !lock)
    throw new CommandError(
      `${forTerminal(flags.out)} has no ${lockFile}: nothing was exported there yet. Run the export without --check first.`,
    );
  const found = await reading(session, flags, "Reading zones", (client) =>
    allInFlight(zonesAtOnce, zones, (zone) => readExported(client, zone)),
  );
  const folder = new ExportFolder(path, lock?.files ?? {}, session.cwd);
  const program = language.read(folder, all.map(slugOf));
  const broken = program.unread.find(({ kind }) => kind === undefined);
  if (flags.resolved && broken) {
    throw new CommandError(`${forTerminal(broken.place)} cannot be read. Fix it before you use --resolved.`);
  }
  const read = found.map((one): ZoneRead => {
    const declared = declare(one, language.refusal);
    const locked = lock?.zones[one.zone.id];
    refuseToForget(one.zone, declared, locked);
    const standings = standingsOf(one, declared.objects, locked, folder, program, fileOf(one.zone));
    return {
      found: one,
      declared,
      locked,
      standings,
      changes: changesOf(declared.objects, standings, locked),
    };
  });
  return flags.check ? check(session, flags, read) : write(session, flags, folder, name, lock, read);
}

function languageFor({ out, language }: ExportFlags, lock: Lock | undefined): LanguageName {
  const known = lock?.language;
  if (known === undefined || language === undefined || known === language)
    return language ?? known ?? "typescript";
  throw new CommandError(
    `${forTerminal(out)} has a program in ${known}. Name another folder with --out for one in ${language}.`,
  );
}

function knownZones(lock: Lock | undefined): readonly ZoneRef[] {
  return Object.entries(lock?.zones ?? {}).map(([id, { name }]) => ({ id, name }));
}

/** An export without an object that was exported before would remove it from the program, and the next update would delete it. */
function refuseToForget({ name }: ZoneRef, { leftOut }: ZoneDeclared, locked: LockedZone | undefined): void {
  const keys = Object.keys(locked?.objects ?? {});
  const lost = leftOut.find(({ key }) =>
    key === undefined ? keys.some((one) => kindOf(one) === "CspPolicy") : keys.includes(key),
  );
  if (!lost) return;
  throw new CommandError(
    `Failed to export ${name}: ${forTerminal(lost.what)} can no longer be exported, and without it the next update would delete it. Nothing was written. ${forTerminal(lost.why, 500)}`,
  );
}

interface ZoneRead {
  readonly found: ZoneFound;
  readonly declared: ZoneDeclared;
  readonly locked: LockedZone | undefined;
  readonly standings: Standings;
  readonly changes: readonly ExportChange[];
}

/** Exported zones keep their names; without `--zone` they are exported again, as they are where all have one file. */
function zonesFor(
  session: Session,
  flags: ExportFlags,
  lock: Lock | undefined,
  { files }: Language,
): readonly ZoneRef[] {
  const known = knownZones(lock);
  const given = zonesOf(session, flags);
  if (given.length === 0) return known.length > 0 ? known : someZones(session, flags);
  const isShared = files("a")[0] === files("b")[0];
  const added = given.filter((zone) => !known.some(({ id }) => id === zone.id));
  return isShared
    ? [...known, ...added]
    : given.map((zone) => known.find(({ id }) => id === zone.id) ?? zone);
}

function check(session: Session, flags: ExportFlags, zones: readonly ZoneRead[]): ExitCode {
  const changes = zones.flatMap(({ found: { zone }, changes: found }) =>
    found.map((change) => ({ zone, change })),
  );
  const refs = zones.map(({ found }) => found.zone);
  const unread = [...new Set(zones.flatMap(({ standings }) => unreadOf(standings)))];
  return print(session, flags, checkOutputOf(flags.out, refs, changes, unread));
}

async function write(
  session: Session,
  flags: ExportFlags,
  folder: ExportFolder,
  name: LanguageName,
  before: Lock | undefined,
  read: readonly ZoneRead[],
): Promise<ExitCode> {
  const language = languages[name];
  const readFile = (file: string): string | undefined => folder.read(file);
  const project = language.project(kebabCase(basename(folder.path)) || "zones", readFile);
  const form = flags.form ?? before?.form ?? "set";
  const lock: Lock = {
    version: 1,
    language: name,
    form,
    zones: { ...before?.zones },
    files: folder.digests,
  };
  const filesOf = (zone: Pick<ZoneRef, "name">): readonly string[] => language.files(slugOf(zone));
  folder.refuseLinks([
    ...read.flatMap(({ found }) => filesOf(found.zone)),
    ...Object.keys({ ...language.index([]), ...project }),
    "EXPORT.md",
    lockFile,
  ]);
  const zones: ZoneExport[] = [];
  const programs = new Map<string, ZoneProgram[]>();
  const imported = [];
  for (const { found, declared, locked, standings, changes } of read) {
    const { zone } = found;
    const objects = named(zone, declared.objects, lock);
    const options = { language, form, isResolved: flags.resolved ?? false };
    const written = writeZone(folder, zone, objects, declared, locked, standings, options);
    lock.zones[zone.id] = written.locked;
    for (const [file, program] of Object.entries(written.programs))
      programs.set(file, [...(programs.get(file) ?? []), program]);
    const counts = countsOf(found, objects, written.standings);
    zones.push({ zone, declared, objects, counts, changes, isAgain: locked !== undefined, written });
    if (flags.importFile !== undefined)
      imported.push(
        await importedResources(found, declaredObjects(objects, written), name !== "typescript", session.now),
      );
  }
  for (const [file, texts] of programs) folder.write(file, language.text(texts));
  const loaded = Object.values(lock.zones)
    .flatMap((zone) => filesOf(zone).filter((file, index) => index === 0 || folder.has(file)))
    .sort();
  for (const [file, text] of Object.entries(language.index(loaded))) folder.write(file, text);
  const added = Object.entries(project).filter(([file, text]) => folder.writeIfAbsent(file, text));
  if (flags.importFile !== undefined) {
    writeText(session, flags.importFile, `${JSON.stringify({ resources: imported.flat() }, undefined, 2)}\n`);
  }
  const commands = language.commands(readFile);
  const notes = language.notes(readFile, loaded);
  const report = exportMarkdown(zones, packageVersion(), flags.importFile, language, notes, commands);
  folder.put("EXPORT.md", report);
  // Last: an interrupted run leaves files that the next one writes again.
  folder.put(lockFile, lockText(lock));
  const files = added.map(([file]) => file);
  return print(session, flags, exportOutputOf(flags.out, form, zones, files, Object.keys(commands)));
}

/** Only these may be imported: the next update would delete a resource that no file declares. */
function declaredObjects(
  objects: readonly Named[],
  { locked, standings }: ZoneWritten,
): readonly DeclaredObject[] {
  return objects.flatMap((object) => {
    const standing = standings.get(object.key);
    const name = locked.objects[object.key]?.name ?? object.name;
    return standing ? [{ ...object, name, isInSet: standing.isInSet === true }] : [];
  });
}
