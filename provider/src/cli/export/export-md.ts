import { forMarkdown, forMarkdownCode } from "../../reports/escape";
import type { ZoneRef } from "../zones";
import type { Change } from "./changes";
import type { Counts } from "./counts";
import type { ZoneDeclared } from "./declared";
import { slugOf } from "./naming";
import type { ProjectNotes } from "./project-files";
import type { ZoneFound } from "./read-zone";
import { unreadOf } from "./standing";
import type { ZoneWritten } from "./write-zone";
import { type Named, setEntries, single } from "./zone-program";

/** All that is told of one zone. */
export interface ZoneExport {
  readonly zone: ZoneRef;
  readonly found: ZoneFound;
  readonly declared: ZoneDeclared;
  readonly objects: readonly Named[];
  /** Of what the files declare now. */
  readonly counts: Counts;
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
  { notes, check }: ProjectNotes,
): string {
  return [
    "# What was exported",
    "",
    `Written by \`page-guard export\` (pulumi-page-guard ${version}), and again by each further one. Everything else here is yours: edited files are never written over.`,
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
      "Nothing: all that was found can be declared.",
    ),
    ...list("For a person to decide", zones.flatMap(decisions)),
    ...list("Since the last export", zones.flatMap(since)),
    ...list("Left to you", zones.flatMap(leftToYou)),
    ...zones.flatMap(asTheZoneHasIt),
    "## Next",
    "",
    ...notes.flatMap((note) => [note, ""]),
    "```sh",
    "npm install",
    `${check.padEnd(20)} # types, which the engine does not check`,
    "pulumi stack init",
    "pulumi preview       # adopts what is there, and changes nothing",
    "pulumi up            # records it; sends no changing request",
    "```",
    "",
    importFile === undefined
      ? "After that `pulumi preview --expect-no-changes` ends with 0."
      : `Without any request to the service: \`pulumi import --file ${importFile} --generate-code=false\` in place of the \`up\`. After that \`pulumi preview --expect-no-changes\` ends with 0.`,
    'Everything is declared with `protect: true` and `onDestroy: "keep"`: nothing of a zone goes away by accident.',
    "Later `page-guard export --check` lists where zones and files differ, `page-guard coverage` what no program declares.",
    "",
  ].join("\n");
}

function row({ zone, counts }: ZoneExport): string {
  const { hasSettings, policies, rules } = counts;
  const cells = [
    forMarkdown(zone.name),
    `\`${zone.id}\``,
    hasSettings ? "yes" : "no",
    `${policies.declared} of ${policies.all}`,
    `${rules.declared ?? "?"} of ${rules.all}`,
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

/** What this export has written. */
function since({ zone, changes, isAgain, written }: ZoneExport): string[] {
  if (!isAgain) return [];
  const open = new Set(written.unresolved.map(({ key }) => key));
  return changes
    .filter(({ key }) => !open.has(key))
    .map((change) => `${forMarkdown(zone.name)}: ${sentence(change)}`);
}

/** Where zone and files differ, and no export may write. */
function leftToYou({ zone, written: { unresolved, edited, standings } }: ZoneExport): string[] {
  const told = new Set(unresolved.map(({ unread }) => unread));
  const unread = unreadOf(standings).filter((place) => !told.has(place));
  return [
    ...unresolved.map((change) => `${forMarkdown(zone.name)}: ${sentence(change)}; ${whatToDo(change)}`),
    ...edited.map((file) => `${forMarkdown(zone.name)}: \`${file}\` was edited, and was left alone`),
    ...unread.map(
      (place) =>
        `${forMarkdown(zone.name)}: ${forMarkdownCode(place)} cannot be read, because an export runs nothing: what was written last counts`,
    ),
  ];
}

function sentence({ what, kind, name, fields, missingRules = [] }: Change): string {
  const which = fields.length > 0 ? ` (${fields.map((field) => forMarkdownCode(field)).join(", ")})` : "";
  const rules = missingRules.map((rule) => forMarkdownCode(rule)).join(", ");
  return `${what}: ${kind} ${forMarkdownCode(name)}${which}${rules === "" ? "" : `; not declared: ${rules}`}`;
}

function whatToDo({ what, file, unread }: Change): string {
  if (unread !== undefined) {
    return `${forMarkdownCode(unread)} cannot be read, because an export runs nothing: compare it, then run \`page-guard export --resolved\``;
  }
  const where = file === undefined ? "" : ` ${forMarkdownCode(file)},`;
  if (what === "gone") return `look at${where} which was edited and still declares it`;
  if (what === "changed") return `look at${where} which was edited and stays as it is`;
  return what === "new" ? "no file declares it" : "no file declares it any more";
}

/** To be compared, or copied to where it belongs. */
function asTheZoneHasIt({ zone, objects, written: { unresolved, standings } }: ZoneExport): string[] {
  const open = new Set(unresolved.map(({ key }) => key));
  const wanted = objects.filter(({ key }) => open.has(key));
  if (wanted.length === 0) return [];
  const inSet = wanted.filter(({ key }) => standings.get(key)?.isInSet);
  const entries = inSet.length === 0 ? [] : [`${setEntries(inSet, 0).join(",\n")},`];
  const singles = wanted.filter((object) => !inSet.includes(object));
  const code = [...singles.map((object) => single(slugOf(zone), object)), ...entries].join("\n\n");
  const fence = "`".repeat(Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return [`## As the zone has it: ${forMarkdown(zone.name)}`, "", `${fence}ts`, code, fence, ""];
}

function list(title: string, entries: readonly string[], otherwise?: string): string[] {
  if (entries.length === 0) return otherwise === undefined ? [] : [`## ${title}`, "", otherwise, ""];
  return [`## ${title}`, "", ...entries.map((entry) => `- ${entry}`), ""];
}
