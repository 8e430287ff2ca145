import { forMarkdown, forMarkdownCode } from "../../reports/escape";
import type { ZoneRef } from "../zones";
import type { Change } from "./changes";
import type { ZoneDeclared } from "./declared";
import { slugOf } from "./naming";
import type { ZoneFound } from "./read-zone";
import type { ZoneWritten } from "./write-zone";
import { type Named, single } from "./zone-program";

/** All that is told of one zone. */
export interface ZoneExport {
  readonly zone: ZoneRef;
  readonly found: ZoneFound;
  readonly declared: ZoneDeclared;
  readonly objects: readonly Named[];
  readonly changes: readonly Change[];
  /** False in the first export of a zone: then everything is new, and not worth a list. */
  readonly isAgain: boolean;
  readonly written: ZoneWritten;
}

/** EXPORT.md: what was found, what is left out and why, what a person has to decide, what to do next. No date: git has it. */
export function exportMarkdown(
  zones: readonly ZoneExport[],
  version: string,
  importFile: string | undefined,
): string {
  return [
    "# What was exported",
    "",
    `Written by \`page-guard export\` (pulumi-page-guard ${version}), and anew by each further one. Everything else here is yours: edited files are never written over.`,
    "",
    "| zone | id | settings | policies | WAF rules | file |",
    "|---|---|---|---|---|---|",
    ...zones.map(row),
    "",
    ...list(
      "Left out",
      zones.flatMap(({ zone, declared }) =>
        declared.leftOut.map(
          ({ what, why }) => `${forMarkdown(zone.name)}: ${forMarkdown(what)}: ${forMarkdown(why, 500)}`,
        ),
      ),
      "Nothing: all that was found is declared.",
    ),
    ...list("For a person to decide", zones.flatMap(decisions)),
    ...list("Since the last export", zones.flatMap(since)),
    ...zones.flatMap(nowhere),
    "## Next",
    "",
    "```sh",
    "npm install",
    "pulumi preview       # once: pulumi stack init; takes over what is there, and changes nothing",
    "pulumi up            # records it; sends no changing request",
    "```",
    "",
    importFile === undefined
      ? "After that `pulumi preview --expect-no-changes` ends with 0."
      : `Without any request to the service: \`pulumi import --file ${importFile} --generate-code=false\` in place of the \`up\`. After that \`pulumi preview --expect-no-changes\` ends with 0.`,
    'Everything is declared with `protect: true` and `onDestroy: "keep"`: nothing of a zone goes away by accident.',
    "`page-guard export --check` tells later what somebody has changed in a zone, `page-guard coverage` what no program declares.",
    "",
  ].join("\n");
}

function row({ zone, found, objects, declared }: ZoneExport): string {
  const policies = objects.filter(({ kind }) => kind === "CspPolicy").length;
  const hasSettings = objects.some(({ kind }) => kind === "PageGuardSettings");
  const cells = [
    forMarkdown(zone.name),
    `\`${zone.id}\``,
    hasSettings ? "yes" : "no",
    `${policies} of ${found.policies?.length ?? 0}`,
    `${declared.ruleCount} of ${found.entrypoint?.rules.length ?? 0}`,
    `\`zones/${slugOf(zone)}.ts\``,
  ];
  return `| ${cells.join(" | ")} |`;
}

function decisions({ zone, objects, declared }: ZoneExport): string[] {
  return [
    ...declared.remarks.map((remark) => `${forMarkdown(zone.name)}: ${forMarkdown(remark, 500)}`),
    ...objects.flatMap(({ name, remarks }) =>
      remarks.map(
        (remark) => `${forMarkdown(zone.name)}: ${forMarkdownCode(name)}: ${forMarkdown(remark, 500)}`,
      ),
    ),
  ];
}

function since({ zone, changes, isAgain, written }: ZoneExport): string[] {
  if (!isAgain) return [];
  return [
    ...changes.map(({ what, kind, name, fields, file }) => {
      const which = fields.length > 0 ? ` (${fields.map((field) => forMarkdownCode(field)).join(", ")})` : "";
      const where =
        file !== undefined && written.edited.includes(file)
          ? `; look at \`${file}\`, which was edited and stays as it is`
          : "";
      return `${forMarkdown(zone.name)}: ${what}: ${kind} ${forMarkdownCode(name)}${which}${where}`;
    }),
    ...written.edited.map((file) => `${forMarkdown(zone.name)}: \`${file}\` was edited, and was left alone`),
  ];
}

function nowhere({ zone, written }: ZoneExport): string[] {
  if (written.nowhere.length === 0) return [];
  const code = written.nowhere.map((object) => single(slugOf(zone), object)).join("\n\n");
  const fence = "`".repeat(Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return [`## In no file yet: ${forMarkdown(zone.name)}`, "", `${fence}ts`, code, fence, ""];
}

function list(title: string, entries: readonly string[], otherwise?: string): string[] {
  if (entries.length === 0) return otherwise === undefined ? [] : [`## ${title}`, "", otherwise, ""];
  return [`## ${title}`, "", ...entries.map((entry) => `- ${entry}`), ""];
}
