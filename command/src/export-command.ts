import { basename, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { allInFlight } from "pulumi-page-guard/tools";
import { checkSlugs } from "./export/check-slugs";
import { countsOf, declare } from "./export/declared";
import { refuseUsedFolder, writeFiles } from "./export/empty-folder";
import { exportMarkdown, type ZoneExport } from "./export/export-md";
import { importFile } from "./export/import-file";
import { type LanguageName, languageOption, languages } from "./export/languages";
import { kebabCase, named, slugOf } from "./export/naming";
import { type Form, zoneProgram } from "./export/program";
import { readExported } from "./export/read-zone";
import { zonesYaml } from "./export/zones-yaml";
import { type ReadFlags, withReading } from "./options";
import { type Output, print } from "./output";
import { reading } from "./reader";
import { forTerminal } from "./reports/escape";
import type { ReportFinding } from "./reports/report";
import { type Conclude, type ExitCode, packageVersion, type Session } from "./session";
import { someZones, zonesAtOnce } from "./zones";

interface ExportFlags extends ReadFlags {
  readonly out: string;
  readonly language: LanguageName;
  readonly form: Form;
}

const example = `
Example:
  page-guard export --zone 8f14e45fceea167a5a36dedd4bea2543 --name 8f14e45fceea167a5a36dedd4bea2543=shop --out infra

An export is written once. Later, \`page-guard drift\` says what differs, and \`drift --declare\` prints the code of what nobody declared.

Exit codes: 0 written; 1 failed.`;

/** `page-guard export`: a project that declares what zones have. */
export function exportCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("export")
    .description("Write a Pulumi project that declares what zones have, and the file that imports it")
    .requiredOption("--out <dir>", "folder of the project: empty, or created")
    .addOption(languageOption("language of the program"))
    .addOption(
      new Option("--form <form>", "one CspPolicySet a zone, or single policies")
        .choices(["set", "single"])
        .default("set"),
    );
  return withReading(command)
    .addHelpText("after", example)
    .action((flags: ExportFlags) => conclude(exportZones(session, flags)));
}

async function exportZones(session: Session, flags: ExportFlags): Promise<ExitCode> {
  const { form } = flags;
  const path = resolve(session.cwd, flags.out);
  refuseUsedFolder(session.cwd, path, "--out");
  const language = languages[flags.language];
  // By name, so that the order of flags makes no difference.
  const zones = [...someZones(session, flags)].sort((one, other) => (one.name < other.name ? -1 : 1));
  checkSlugs(zones, language);
  const found = await reading(session, flags, "Reading zones", (client) =>
    allInFlight(zonesAtOnce, zones, (zone) => readExported(client, zone)),
  );
  const used = new Set<string>();
  const exported = found.map((one): ZoneExport => {
    const declared = declare(one, language.refusal);
    const wholeName = (name: string): string => `${slugOf(one.zone)}-${name}`;
    const objects = named(declared.objects, (name) => used.has(wholeName(name)));
    for (const { name } of objects) used.add(wholeName(name));
    return { found: one, declared, objects };
  });
  const programs = exported.map(({ found: { zone }, objects, declared }) =>
    zoneProgram(zone, objects, form, declared.remarks),
  );
  const imports = exported.map(({ found: one }, at) => ({
    found: one,
    resources: programs[at]?.resources ?? [],
  }));
  const commands = commandsOf(
    language.commands,
    imports.some(({ resources }) => resources.length > 0),
  );
  writeFiles(path, {
    ...language.project(kebabCase(basename(path)) || "zones"),
    ...language.files(programs),
    "zones.yaml": zonesYaml(zones),
    "import.json": await importFile(imports, flags.language !== "typescript", session.now),
    "EXPORT.md": exportMarkdown(exported, packageVersion(), language, commands),
  });
  return print(session, flags, outputOf(session, path, form, exported, Object.keys(commands)));
}

const importing = "pulumi import --file import.json --generate-code=false --yes";

/** What to run in the folder, and why. */
function commandsOf(first: Readonly<Record<string, string>>, isImporting: boolean) {
  return {
    ...first,
    "pulumi stack init production": "",
    ...(isImporting && { [importing]: "records what exists; sends no request" }),
    [isImporting ? "pulumi preview --expect-no-changes" : "pulumi preview"]: "",
  };
}

function outputOf(
  { cwd }: Session,
  path: string,
  form: Form,
  zones: readonly ZoneExport[],
  commands: readonly string[],
): Output {
  const out = forTerminal(relative(cwd, path) || ".");
  return {
    text: [
      ...zones.flatMap(linesOf),
      `Written to ${out}. Its EXPORT.md says what was found, and what was left out and why.`,
      `Next: ${[...(out === "." ? [] : [`cd ${out}`]), ...commands].join(" && ")}`,
      "",
    ].join("\n"),
    json: { out, form, zones: zones.map(toJson) },
    isFound: false,
    title: "page-guard export",
    examined: zones.map(({ found }) => found.zone.name),
    findings: zones.flatMap(findingsOf),
  };
}

/** `3`, or `3 of 4` if not all of them can be declared. */
function share({ declared, all }: { readonly declared: number; readonly all: number }): string {
  return declared === all ? `${all}` : `${declared} of ${all}`;
}

function linesOf({ found, declared }: ZoneExport): readonly string[] {
  const { hasSettings, policies, rules } = countsOf(found, declared);
  return [
    `${found.zone.name}: ${hasSettings ? "settings, " : ""}${share(policies)} policies, ${share(rules)} WAF rules`,
    ...declared.leftOut.map((one) => `  left out: ${forTerminal(one.what)}: ${forTerminal(one.why, 300)}`),
  ];
}

function toJson({ found, declared, objects }: ZoneExport): object {
  return {
    ...found.zone,
    declared: countsOf(found, declared),
    objects: objects.map(({ kind, policyId, name, remarks }) => ({ kind, policyId, name, remarks })),
    leftOut: declared.leftOut,
    remarks: declared.remarks,
  };
}

function findingsOf({ found, declared, objects }: ZoneExport): readonly ReportFinding[] {
  const zone = found.zone.name;
  const leftOut = declared.leftOut.map(({ what, why }) => ({ subject: what, message: why }));
  const decisions = objects.flatMap(({ name, remarks }) =>
    remarks.map((message) => ({ subject: name, message })),
  );
  return [
    ...leftOut.map((one) => ({ code: "left-out", severity: "warning", zone, ...one }) as const),
    ...decisions.map((one) => ({ code: "to-decide", severity: "note", zone, ...one }) as const),
  ];
}
