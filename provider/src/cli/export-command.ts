import { basename, resolve } from "node:path";
import { Command, Option } from "commander";
import { allInFlight } from "../lifecycle/in-flight";
import { forTerminal } from "../reports/escape";
import { CommandError } from "./command-error";
import { type Change, changesOf } from "./export/changes";
import { countsOf } from "./export/counts";
import { declare, type ZoneDeclared } from "./export/declared";
import { exportMarkdown, type ZoneExport } from "./export/export-md";
import { checkOutputOf, exportOutputOf } from "./export/export-output";
import { ExportFolder } from "./export/folder";
import { type DeclaredObject, importedResources } from "./export/import-file";
import { type Lock, type LockedZone, lockFile, lockText, readLock } from "./export/lock";
import { checkFileName, checkSlugs, named, slugOf } from "./export/naming";
import { indexProgram, indexText, projectFiles, projectNotes } from "./export/project-files";
import { readProgram } from "./export/read-program";
import { readExported, type ZoneFound } from "./export/read-zone";
import { kindOf, type Standings, standingsOf, unreadOf } from "./export/standing";
import { writeZone, type ZoneWritten } from "./export/write-zone";
import type { Form, Named } from "./export/zone-program";
import {
  type ConnectionFlags,
  type OutputFlags,
  withConnection,
  withOutput,
  withZones,
  type ZoneFlags,
} from "./options";
import { print, writeText } from "./output";
import { Progress } from "./progress";
import { Reader } from "./reader";
import { type Conclude, type ExitCode, packageVersion, type Session } from "./session";
import { someZones, type ZoneRef, zonesAtOnce, zonesOf } from "./zones";

interface ExportFlags extends ConnectionFlags, ZoneFlags, OutputFlags {
  readonly out: string;
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
  return withOutput(withConnection(withZones(command)))
    .addHelpText("after", example)
    .action((flags: ExportFlags) => conclude(exportZones(session, flags)));
}

async function exportZones(session: Session, flags: ExportFlags): Promise<ExitCode> {
  const path = resolve(session.cwd, flags.out);
  const lock = readLock(path);
  const zones = zonesFor(session, flags, lock);
  for (const zone of zones) if (!lock?.zones[zone.id]) checkFileName(zone);
  checkSlugs([
    ...zones,
    ...Object.entries(lock?.zones ?? {})
      .filter(([id]) => !zones.some((zone) => zone.id === id))
      .map(([id, { name }]) => ({ id, name })),
  ]);
  if (flags.check && !lock)
    throw new CommandError(
      `${forTerminal(flags.out)} has no ${lockFile}: nothing was exported there yet. Run the export without --check first.`,
    );
  const progress = new Progress(session);
  const client = new Reader({ session, flags, progress }).client();
  const found = await progress.during("Reading zones", () =>
    allInFlight(zonesAtOnce, zones, (zone) => readExported(client, zone)),
  );
  const folder = new ExportFolder(path, lock?.files ?? {}, session.cwd);
  const roots = programRoots([...Object.values(lock?.zones ?? {}), ...zones]);
  const program = readProgram(
    folder,
    roots.filter((file) => folder.read(file) !== indexProgram),
  );
  const broken = program.unread.find(({ kind }) => kind === undefined);
  if (flags.resolved && broken) {
    throw new CommandError(`${forTerminal(broken.place)} cannot be read. Fix it before you use --resolved.`);
  }
  const read = found.map((one): ZoneRead => {
    const declared = declare(one);
    const locked = lock?.zones[one.zone.id];
    refuseToForget(one.zone, declared, locked);
    const standings = standingsOf(one, declared.objects, locked, folder, program);
    return {
      found: one,
      declared,
      locked,
      standings,
      changes: changesOf(declared.objects, standings, locked),
    };
  });
  return flags.check ? check(session, flags, read) : write(session, flags, folder, lock, read);
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

/** Where the program may declare something. */
function programRoots(zones: readonly Pick<ZoneRef, "name">[]): readonly string[] {
  const files = new Set(zones.map(slugOf).flatMap((slug) => [`zones/${slug}.ts`, `zones/${slug}.new.ts`]));
  return ["index.ts", "zones/index.ts", ...files];
}

/** A zone beside what the files declare of it. */
interface ZoneRead {
  readonly found: ZoneFound;
  readonly declared: ZoneDeclared;
  readonly locked: LockedZone | undefined;
  readonly standings: Standings;
  readonly changes: readonly Change[];
}

/** What is locked keeps its name; without `--zone` it is what was exported before. */
function zonesFor(session: Session, flags: ExportFlags, lock: Lock | undefined): readonly ZoneRef[] {
  const known = Object.entries(lock?.zones ?? {}).map(([id, { name }]) => ({ id, name }));
  const given = zonesOf(session, flags);
  const zones = given.length > 0 ? given : known.length > 0 ? known : someZones(session, flags);
  return zones.map((zone) => known.find(({ id }) => id === zone.id) ?? zone);
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
  before: Lock | undefined,
  read: readonly ZoneRead[],
): Promise<ExitCode> {
  const projectTexts = Object.entries(projectFiles(basename(folder.path)));
  folder.refuseLinks([
    ...programRoots(read.map(({ found }) => found.zone)),
    ...projectTexts.map(([file]) => file),
    "EXPORT.md",
    lockFile,
  ]);
  const form = flags.form ?? before?.form ?? "set";
  const lock: Lock = { version: 1, form, zones: { ...before?.zones }, files: folder.digests };
  const zones: ZoneExport[] = [];
  const modules = new Map<string, readonly string[]>(
    Object.values(lock.zones).map((zone) => {
      const slug = slugOf(zone);
      return [slug, [slug, ...(folder.has(`zones/${slug}.new.ts`) ? [`${slug}.new`] : [])]] as const;
    }),
  );
  const imported = [];
  for (const { found, declared, locked, standings, changes } of read) {
    const { zone } = found;
    const objects = named(zone, declared.objects, lock);
    const options = { form, isResolved: flags.resolved ?? false };
    const written = writeZone(folder, zone, objects, declared, locked, standings, options);
    lock.zones[zone.id] = written.locked;
    modules.set(slugOf(zone), written.modules);
    const counts = countsOf(found, objects, written.standings);
    zones.push({ zone, found, declared, objects, counts, changes, isAgain: locked !== undefined, written });
    if (flags.importFile !== undefined)
      imported.push(...(await importedResources(found, declaredObjects(objects, written), session.now)));
  }
  const loaded = [...modules.values()].flat().sort();
  folder.write("zones/index.ts", indexText(loaded));
  const added = projectTexts.filter(([file, text]) => folder.writeIfAbsent(file, text));
  if (flags.importFile !== undefined) {
    writeText(session, flags.importFile, `${JSON.stringify({ resources: imported }, undefined, 2)}\n`);
  }
  const notes = projectNotes((file) => folder.read(file), loaded);
  folder.put("EXPORT.md", exportMarkdown(zones, packageVersion(), flags.importFile, notes));
  // Last: a run that was cut off leaves files that it would write again.
  folder.put(lockFile, lockText(lock));
  const files = added.map(([file]) => file);
  return print(session, flags, exportOutputOf(flags.out, form, zones, files, notes.check));
}

/** What an import may record: a resource that no file declares would be deleted by the next update. */
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
