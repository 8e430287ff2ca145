import { forMarkdown, forMarkdownCode } from "../reports/escape";
import { countsOf, type ZoneDeclared } from "./declared";
import type { Files, Language } from "./language";
import { type Named, slugOf } from "./naming";
import type { ZoneFound } from "./read-zone";

/** The export of one zone. */
export interface ZoneExport {
  readonly found: ZoneFound;
  readonly declared: ZoneDeclared;
  readonly objects: readonly Named[];
}

/** EXPORT.md, without a date: git has it. */
export function exportMarkdown(
  zones: readonly ZoneExport[],
  version: string,
  language: Language,
  commands: Files,
): string {
  return [
    "# What was exported",
    "",
    `Written once by \`page-guard export\` (pulumi-page-guard ${version}). Everything here is yours to edit.`,
    "",
    "| zone | id | settings | policies | WAF rules | file |",
    "|---|---|---|---|---|---|",
    ...zones.map((zone) => row(zone, language)),
    "",
    ...list("Left out", zones.flatMap(leftOut), "Nothing: everything can be declared."),
    ...list("To decide", zones.flatMap(decisions)),
    "## Next",
    "",
    "In this folder:",
    "",
    "```sh",
    ...Object.entries(commands).map(([command, why]) =>
      why === "" ? command : `${command.padEnd(20)} # ${why}`,
    ),
    "```",
    "",
    'Then everything has `protect: true` in the program and in the state, and `onDestroy: "keep"`: nothing is deleted by accident.',
    "Delete `import.json` when it is done. In place of the import, `pulumi up` adopts the same: it reads the zones, and sends no",
    "changing request.",
    "",
    "From then on `page-guard drift` says what was changed, deleted or never declared, and `page-guard drift --declare` prints the",
    "code of what nobody declared.",
    "",
  ].join("\n");
}

function row({ found, declared }: ZoneExport, language: Language): string {
  const { hasSettings, policies, rules } = countsOf(found, declared);
  const cells = [
    forMarkdown(found.zone.name),
    `\`${found.zone.id}\``,
    hasSettings ? "yes" : "no",
    `${policies.declared} of ${policies.all}`,
    `${rules.declared} of ${rules.all}`,
    `\`${language.file(slugOf(found.zone))}\``,
  ];
  return `| ${cells.join(" | ")} |`;
}

function leftOut({ found, declared }: ZoneExport): readonly string[] {
  return declared.leftOut.map(
    ({ what, why }) => `${forMarkdown(found.zone.name)}: ${forMarkdown(what)}: ${forMarkdown(why, 500)}`,
  );
}

function decisions({ found, objects, declared }: ZoneExport): readonly string[] {
  const zone = forMarkdown(found.zone.name);
  return [
    ...declared.remarks.map((remark) => `${zone}: ${forMarkdown(remark, 500)}`),
    ...objects.flatMap(({ name, remarks }) =>
      remarks.map((remark) => `${zone}: ${forMarkdownCode(name)}: ${forMarkdown(remark, 500)}`),
    ),
  ];
}

function list(title: string, entries: readonly string[], otherwise?: string): readonly string[] {
  if (entries.length === 0) return otherwise === undefined ? [] : [`## ${title}`, "", otherwise, ""];
  return [`## ${title}`, "", ...entries.map((entry) => `- ${entry}`), ""];
}
