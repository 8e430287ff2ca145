import { basename, resolve } from "node:path";
import { Command, Option } from "commander";
import { forTerminal } from "../reports/escape";
import type { ReportFinding } from "../reports/report";
import { CommandError } from "./command-error";
import { type Change, changesOf } from "./export/changes";
import { declare } from "./export/declared";
import { exportMarkdown, type ZoneExport } from "./export/export-md";
import { ExportFolder } from "./export/folder";
import { importedResources } from "./export/import-file";
import { type Lock, lockFile, lockText, readLock } from "./export/lock";
import { checkSlugs, named, slugOf } from "./export/naming";
import { indexText, projectFiles } from "./export/project-files";
import { readZone, type ZoneFound } from "./export/read-zone";
import { writeZone } from "./export/write-zone";
import type { Form } from "./export/zone-program";
import { inTurn } from "./in-turn";
import {
  type ConnectionFlags,
  type OutputFlags,
  withConnection,
  withOutput,
  withZones,
  type ZoneFlags,
} from "./options";
import { checkOutput, print, writeText } from "./output";
import { Progress } from "./progress";
import { Reader } from "./reader";
import { type Conclude, type ExitCode, exitCode, packageVersion, type Session } from "./session";
import { someZones, type ZoneRef, zonesOf } from "./zones";

interface ExportFlags extends ConnectionFlags, ZoneFlags, OutputFlags {
  readonly out: string;
  readonly form?: Form;
  readonly check?: boolean;
  readonly importFile?: string;
}

const example = `
Examples:
  page-guard export --zone 8f14e45fceea167a5a36dedd4bea2543 --name 8f14e45fceea167a5a36dedd4bea2543=shop --out infra
  page-guard export --out infra --check

Exit codes: 0 written, or nothing differs; 1 could not do it; 2 with --check: a zone differs from the last export.`;

/** `page-guard export`: the program that declares what zones have. */
export function exportCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("export")
    .description("Write a Pulumi program that declares what zones have, ready to be adopted without a change")
    .requiredOption("--out <dir>", "folder of the program; made when it is not there")
    .addOption(
      new Option("--form <form>", "one CspPolicySet a zone, or single policies (default: set)").choices([
        "set",
        "single",
      ]),
    )
    .option("--check", "write nothing; say what differs from the last export")
    .option(
      "--import-file <file>",
      "also write what `pulumi import --file` reads: adoption without any request",
    );
  return withOutput(withConnection(withZones(command)))
    .addHelpText("after", example)
    .action((flags: ExportFlags) => conclude(exportZones(session, flags)));
}

async function exportZones(session: Session, flags: ExportFlags): Promise<ExitCode> {
  checkOutput(flags);
  const path = resolve(session.cwd, flags.out);
  const lock = readLock(path);
  const zones = zonesFor(session, flags, lock);
  checkSlugs([
    ...zones,
    ...Object.entries(lock?.zones ?? {})
      .filter(([id]) => !zones.some((zone) => zone.id === id))
      .map(([id, { name }]) => ({ id, name })),
  ]);
  if (flags.check && !lock)
    throw new CommandError(
      `There is no ${lockFile} in ${forTerminal(flags.out)}: nothing was exported there yet.`,
    );
  const progress = new Progress(session);
  const client = new Reader({ session, flags, progress }).client();
  const found = await progress.during("Reading zones", () => inTurn(zones, (zone) => readZone(client, zone)));
  return flags.check && lock ? check(session, flags, lock, found) : write(session, flags, path, lock, found);
}

/** What is locked keeps its name; without `--zone` it is what was exported before. */
function zonesFor(session: Session, flags: ExportFlags, lock: Lock | undefined): readonly ZoneRef[] {
  const known = Object.entries(lock?.zones ?? {}).map(([id, { name }]) => ({ id, name }));
  const given = zonesOf(session, flags);
  const zones = given.length > 0 ? given : known.length > 0 ? known : someZones(session, flags);
  return zones.map((zone) => known.find(({ id }) => id === zone.id) ?? zone);
}

function check(session: Session, flags: ExportFlags, lock: Lock, found: readonly ZoneFound[]): ExitCode {
  const changes = found.flatMap((one) =>
    changesOf(declare(one).objects, lock.zones[one.zone.id]).map((change) => ({ zone: one.zone, change })),
  );
  print(session, flags, {
    text:
      changes.length === 0
        ? "Nothing differs from the last export.\n"
        : `${changes.map(({ zone, change }) => `${zone.name}: ${sentence(change)}`).join("\n")}\n`,
    json: { differs: changes.map(({ zone, change }) => ({ zone: zone.id, zoneName: zone.name, ...change })) },
    report: {
      title: "page-guard export --check",
      version: packageVersion(),
      examined: found.map(({ zone }) => zone.name),
      findings: changes.map(
        ({ zone, change }): ReportFinding => ({
          code: `${change.what}-since-export`,
          severity: "error",
          message: sentence(change),
          zone: zone.name,
          subject: change.name,
          ...(change.file !== undefined && { file: `${flags.out}/${change.file}` }),
        }),
      ),
    },
  });
  return changes.length === 0 ? exitCode.fine : exitCode.found;
}

function sentence({ what, kind, key, name, fields }: Change): string {
  const id = kind === "CspPolicy" ? ` (${forTerminal(key)})` : "";
  const which = fields.length === 0 ? "" : `: ${fields.map((field) => forTerminal(field)).join(", ")}`;
  return `${what} ${kind} ${forTerminal(name, 80)}${id}${which}`;
}

async function write(
  session: Session,
  flags: ExportFlags,
  path: string,
  before: Lock | undefined,
  found: readonly ZoneFound[],
): Promise<ExitCode> {
  const form = flags.form ?? before?.form ?? "set";
  const folder = new ExportFolder(path, before?.files ?? {});
  const lock: Lock = { version: 1, form, zones: { ...before?.zones }, files: folder.digests };
  const zones: ZoneExport[] = [];
  const modules = new Map<string, readonly string[]>(
    Object.values(lock.zones).map((zone) => {
      const slug = slugOf(zone);
      return [slug, [slug, ...(folder.has(`zones/${slug}.new.ts`) ? [`${slug}.new`] : [])]] as const;
    }),
  );
  const imported = [];
  for (const one of found) {
    const { zone } = one;
    const declared = declare(one);
    const locked = lock.zones[zone.id];
    const objects = named(zone, declared.objects, lock);
    const changes = changesOf(declared.objects, locked);
    const written = writeZone(folder, zone, objects, declared, locked, form);
    lock.zones[zone.id] = written.locked;
    modules.set(slugOf(zone), written.modules);
    zones.push({ zone, found: one, declared, objects, changes, isAgain: locked !== undefined, written });
    if (flags.importFile !== undefined)
      imported.push(...(await importedResources(one, objects, form, session.now)));
  }
  folder.write("zones/index.ts", indexText([...modules.values()].flat().sort()));
  const madeNew = Object.entries(projectFiles(basename(path))).filter(([file, text]) =>
    folder.writeIfAbsent(file, text),
  );
  if (flags.importFile !== undefined) {
    writeText(session, flags.importFile, `${JSON.stringify({ resources: imported }, undefined, 2)}\n`);
  }
  folder.put("EXPORT.md", exportMarkdown(zones, packageVersion(), flags.importFile));
  // Last: a run that was cut off leaves files that it would write again.
  folder.put(lockFile, lockText(lock));
  print(session, flags, {
    text: textOf(
      flags,
      zones,
      madeNew.map(([file]) => file),
    ),
    json: { out: flags.out, form, zones: zones.map(toJson) },
    report: {
      title: "page-guard export",
      version: packageVersion(),
      examined: zones.map(({ zone }) => zone.name),
      findings: zones.flatMap(findingsOf),
    },
  });
  return exitCode.fine;
}

function textOf(flags: ExportFlags, zones: readonly ZoneExport[], made: readonly string[]): string {
  const lines = zones.flatMap(({ zone, objects, declared, written, changes, isAgain }) => {
    const policies = objects.filter(({ kind }) => kind === "CspPolicy").length;
    const settings = objects.some(({ kind }) => kind === "PageGuardSettings") ? "settings, " : "";
    return [
      `${zone.name}: ${settings}${policies} policies, ${declared.ruleCount} WAF rules`,
      ...declared.leftOut.map(
        ({ what, why }) => `  left out: ${forTerminal(what)}: ${forTerminal(why, 300)}`,
      ),
      ...(isAgain ? changes.map((change) => `  ${sentence(change)}`) : []),
      ...written.edited.map((file) => `  ${file} was edited, and was left alone`),
    ];
  });
  const out = forTerminal(flags.out);
  const inFolder = flags.out === "." ? "" : `cd ${out} && `;
  return [
    ...lines,
    `Written to ${out}; EXPORT.md there says what was found, what is left out and why.${made.length > 0 ? ` New: ${made.join(", ")}.` : ""}`,
    `Next: ${inFolder}npm install && pulumi preview`,
    "",
  ].join("\n");
}

function toJson({ zone, objects, declared, written, changes }: ZoneExport): object {
  return {
    id: zone.id,
    name: zone.name,
    objects: objects.map(({ kind, key, name, remarks }) => ({ kind, key, name, remarks })),
    leftOut: declared.leftOut,
    remarks: declared.remarks,
    changes,
    edited: written.edited,
    inNoFile: written.nowhere.map(({ key }) => key),
  };
}

function findingsOf({ zone, objects, declared }: ZoneExport): readonly ReportFinding[] {
  return [
    ...declared.leftOut.map(
      ({ what, why }): ReportFinding => ({
        code: "left-out",
        severity: "warning",
        message: why,
        zone: zone.name,
        subject: what,
      }),
    ),
    ...objects.flatMap(({ name, remarks }) =>
      remarks.map(
        (message): ReportFinding => ({
          code: "to-decide",
          severity: "note",
          message,
          zone: zone.name,
          subject: name,
        }),
      ),
    ),
  ];
}
