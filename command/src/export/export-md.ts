import { forMarkdown, forMarkdownCode } from "../documents/escape";
import { packageVersion } from "../package-version";
import { countObjects, type ZoneDeclared } from "./declared";
import type { Files, Language } from "./languages";
import { makeSlug, type NamedObject } from "./naming";
import type { ZoneProgram } from "./program";
import type { ZoneFound } from "./read-zone";

export interface ZoneExport extends ZoneProgram {
  readonly found: ZoneFound;
  readonly declared: ZoneDeclared;
  readonly objects: readonly NamedObject[];
}

/** Returns the remarks that ask a person for a decision. A remark without `name` is about the whole zone. */
export function decisions({ declared, objects }: ZoneExport): readonly { name?: string; remark: string }[] {
  const own = objects.flatMap(({ name, remarks }) => remarks.map((remark) => ({ name, remark })));
  return [...declared.remarks.map((remark) => ({ remark })), ...own];
}

/** Returns the text of EXPORT.md. It contains no date, because git records the date. */
export function exportMarkdown(zones: readonly ZoneExport[], language: Language, commands: Files): string {
  const leftOut = zones.flatMap(({ found, declared }) =>
    declared.leftOut.map(({ what, why }) => line(found, `${forMarkdown(what)}: ${forMarkdown(why, 500)}`)),
  );
  const toDecide = zones.flatMap((zone) =>
    decisions(zone).map(({ name, remark }) => {
      const about = name === undefined ? "" : `${forMarkdownCode(name)}: `;
      return line(zone.found, `${about}${forMarkdown(remark, 500)}`);
    }),
  );
  return [
    "# What was exported",
    "",
    `Written once by \`page-guard export\` (pulumi-page-guard ${packageVersion()}). Everything here is yours to edit.`,
    "",
    "| zone | id | settings | policies | WAF rules | file |",
    "|---|---|---|---|---|---|",
    ...zones.map((zone) => row(zone, language)),
    "",
    "## Left out",
    "",
    ...(leftOut.length > 0 ? leftOut : ["Nothing: everything can be declared."]),
    "",
    ...(toDecide.length > 0 ? ["## To decide", "", ...toDecide, ""] : []),
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
    'After that, every resource is protected (`protect: true`) and has `onDestroy: "keep"`, so nothing is deleted by accident.',
    "Delete `import.json` after the import. Instead of importing, you can run `pulumi up`. It adopts the same objects: it only reads",
    "the zones and changes nothing in them.",
    "",
    "From then on `page-guard drift` lists what was changed, deleted or never declared, and `page-guard drift --declare` prints the",
    "code for objects that no program declares.",
    "",
  ].join("\n");
}

function line({ zone }: ZoneFound, text: string): string {
  return `- ${forMarkdown(zone.name)}: ${text}`;
}

function row({ found, declared, objects }: ZoneExport, language: Language): string {
  const { hasSettings, policies, rules } = countObjects(found, declared);
  const cells = [
    forMarkdown(found.zone.name),
    `\`${found.zone.id}\``,
    hasSettings ? "yes" : "no",
    `${policies.declared} of ${policies.all}`,
    `${rules.declared} of ${rules.all}`,
    objects.length > 0 ? `\`${language.file(makeSlug(found.zone))}\`` : "none",
  ];
  return `| ${cells.join(" | ")} |`;
}
