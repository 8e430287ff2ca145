import { basename, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { pluralize, runInFlight } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import type { ReportFinding } from "../documents/report";
import { CommandError } from "../shared/command-error";
import { type ReadFlags, withReading } from "../shared/options";
import { print } from "../shared/output";
import { readWith } from "../shared/reader";
import type { Conclude, ExitCode, Session } from "../shared/session";
import { nameFailedZone, someZones, type ZoneRef, zonesAtOnce } from "../shared/zones";
import { countObjects, declare } from "./declared";
import { refuseUsedFolder, writeFiles } from "./empty-folder";
import { decisions, exportMarkdown, type ZoneExport } from "./export-md";
import { type Files, type LanguageName, languageOption, languages } from "./languages";
import { makeSlug, nameObjects, toKebabCase } from "./naming";
import { type Form, importFile, zoneProgram } from "./program";
import { readExported } from "./read-zone";
import { yamlText } from "./yaml-text";

interface ExportFlags extends ReadFlags {
  readonly out: string;
  readonly language: LanguageName;
  readonly form: Form;
}

const example = `
Example:
  page-guard export --zone 8f14e45fceea167a5a36dedd4bea2543 --name 8f14e45fceea167a5a36dedd4bea2543=shop --out infra

Export a zone only once. Later, \`page-guard drift\` lists what was changed outside of Pulumi, and \`drift --declare\` prints code for objects that no program declares.

Exit codes: 0 written; 1 failed.`;

export function exportCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("export")
    .description("Write a Pulumi project that declares the objects in zones, and a file to import them")
    .requiredOption("--out <dir>", "folder of the project, which must be new or empty")
    .addOption(languageOption("language of the program"))
    .addOption(
      new Option("--form <form>", "one CspPolicySet per zone, or single policies")
        .choices(["set", "single"])
        .default("set"),
    );
  return withReading(command)
    .addHelpText("after", example)
    .action((flags: ExportFlags) => conclude(exportZones(session, flags)));
}

async function exportZones(session: Session, flags: ExportFlags): Promise<ExitCode> {
  const path = resolve(session.cwd, flags.out);
  refuseUsedFolder(session.cwd, path, "--out");
  const language = languages[flags.language];
  // Sort by name, so that the order of the flags makes no difference.
  const zones = [...someZones(session, flags)].sort((one, other) => (one.name < other.name ? -1 : 1));
  checkFiles(zones);
  const found = await readWith(session, flags, "Reading zones", (client) =>
    runInFlight(zonesAtOnce, zones, (zone) =>
      readExported(client, zone).catch((error: unknown) => {
        throw nameFailedZone(zone, error);
      }),
    ),
  );
  const used = new Set<string>();
  const exported = found.map((one): ZoneExport => {
    const declared = declare(one, language.refusal);
    const wholeName = (name: string): string => `${makeSlug(one.zone)}-${name}`;
    const objects = nameObjects(declared.objects, (name) => used.has(wholeName(name)));
    for (const { name } of objects) used.add(wholeName(name));
    return { found: one, declared, objects, ...zoneProgram(one.zone, objects, flags.form) };
  });
  const isImporting = exported.some(({ resources }) => resources.length > 0);
  /** Commands to run in the folder, each with its purpose. */
  const commands: Files = {
    ...language.commands,
    "pulumi stack init production": "",
    ...(isImporting && {
      [importing]: "adds the existing objects to the state, as described in the file; sends no requests",
    }),
    [isImporting ? "pulumi preview --expect-no-changes" : "pulumi preview"]: "",
  };
  writeFiles(path, {
    ...language.project(toKebabCase(basename(path)) || "zones"),
    ...language.files(exported),
    "zones.yaml": `${yamlText(zones.map(({ id, name }) => ({ id, ...(name !== id && { name }) })))}\n`,
    "import.json": await importFile(exported, flags.language !== "typescript", session.now),
    "EXPORT.md": exportMarkdown(exported, language, commands),
  });
  const out = forTerminal(relative(session.cwd, path) || ".");
  return print(session, flags, {
    text: [
      ...exported.flatMap(renderLines),
      `Written to ${out}. Its EXPORT.md says what was found, what was left out, and why.`,
      `Next: ${[...(out === "." ? [] : [`cd ${out}`]), ...Object.keys(commands)].join(" && ")}`,
      "",
    ].join("\n"),
    json: { out, form: flags.form, zones: exported.map(toJson) },
    isFound: false,
    title: "page-guard export",
    examined: zones.map(({ name }) => name),
    findings: exported.flatMap(listFindings),
  });
}

/** Checks the names of the zones' files. @throws CommandError if a name is already taken, or if Windows does not allow it. */
function checkFiles(zones: readonly ZoneRef[]): void {
  const taken = new Set(["index"]);
  for (const zone of zones) {
    const slug = makeSlug(zone);
    if (taken.has(slug) || /^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(slug))
      throw new CommandError(
        `No file can be named ${slug} for zone ${zone.id}: the name is taken, or Windows does not allow it. Give the zone another name with --name ID=name.`,
      );
    taken.add(slug);
  }
}

const importing = "pulumi import --file import.json --generate-code=false --yes";

function renderLines({ found, declared }: ZoneExport): readonly string[] {
  const { hasSettings, policies, rules } = countObjects(found, declared);
  /** Returns `3 rules`, or `2 of 3 rules` if not all of them can be declared. */
  const share = ({ declared: some, all }: typeof rules, one: string, many?: string) => {
    const objects = pluralize(all, one, many);
    return some === all ? objects : `${some} of ${objects}`;
  };
  const settings = hasSettings ? "settings, " : "";
  return [
    `${found.zone.name}: ${settings}${share(policies, "policy", "policies")}, ${share(rules, "WAF rule")}`,
    ...declared.leftOut.map((one) => `  left out: ${forTerminal(one.what)}: ${forTerminal(one.why, 300)}`),
  ];
}

function toJson({ found, declared, objects }: ZoneExport): object {
  return {
    ...found.zone,
    declared: countObjects(found, declared),
    objects: objects.map(({ args: _, ...object }) => object),
    leftOut: declared.leftOut,
    remarks: declared.remarks,
  };
}

function listFindings(one: ZoneExport): readonly ReportFinding[] {
  const zone = one.found.zone.name;
  return [
    ...one.declared.leftOut.map(
      ({ what: subject, why: message }) =>
        ({ code: "left-out", severity: "warning", zone, subject, message }) as const,
    ),
    ...decisions(one).map(
      ({ name: subject = zone, remark: message }) =>
        ({ code: "to-decide", severity: "note", zone, subject, message }) as const,
    ),
  ];
}
