import { forMarkdown, forMarkdownCode } from "../../reports/escape";
import type { ZoneRef } from "../zones";
import type { ExportChange } from "./changes";
import type { Declared, ZoneDeclared } from "./declared";
import type { Files, Language } from "./language";
import { fieldDigest } from "./lock";
import { type Named, slugOf } from "./naming";
import { policySet, single } from "./program";
import type { ZoneFound } from "./read-zone";
import { type Standings, unreadOf } from "./standing";
import type { ZoneWritten } from "./write-zone";

/** The export of one zone. */
export interface ZoneExport {
  readonly zone: ZoneRef;
  readonly declared: ZoneDeclared;
  readonly objects: readonly Named[];
  readonly counts: ReturnType<typeof countsOf>;
  readonly changes: readonly ExportChange[];
  /** False for the first export of a zone: its changes are not listed. */
  readonly isAgain: boolean;
  readonly written: ZoneWritten;
}

/** EXPORT.md, without a date: git has it. */
export function exportMarkdown(
  zones: readonly ZoneExport[],
  version: string,
  importFile: string | undefined,
  language: Language,
  notes: readonly string[],
  commands: Files,
): string {
  return [
    "# What was exported",
    "",
    `Written by \`page-guard export\` (pulumi-page-guard ${version}) each time it runs. Everything else here is yours: edited files are never overwritten.`,
    "",
    "| zone | id | settings | policies | WAF rules | file |",
    "|---|---|---|---|---|---|",
    ...zones.map((zone) => row(zone, language)),
    "",
    ...list(
      "Left out",
      zones.flatMap(({ zone, declared }) =>
        declared.leftOut.map(
          ({ what, why }) => `${forMarkdown(zone.name)}: ${forMarkdown(what)}: ${forMarkdown(why, 500)}`,
        ),
      ),
      "Nothing: everything can be declared.",
    ),
    ...list("To decide", zones.flatMap(decisions)),
    ...list("Since the last export", zones.flatMap(since)),
    ...list("Your edits", zones.flatMap(leftToYou)),
    ...zones.flatMap((zone) => asTheZoneHasIt(zone, language)),
    "## Next",
    "",
    ...notes.flatMap((note) => [note, ""]),
    "```sh",
    ...Object.entries(commands).map(([command, why]) =>
      why === "" ? command : `${command.padEnd(20)} # ${why}`,
    ),
    "pulumi stack init",
    "pulumi preview       # adopts what exists, changes nothing",
    "pulumi up            # records it; sends no write request",
    "```",
    "",
    importFile === undefined
      ? "After that `pulumi preview --expect-no-changes` exits with 0."
      : `To adopt without any request to the service, run \`pulumi import --file ${importFile} --generate-code=false\` instead of the \`up\`. After that \`pulumi preview --expect-no-changes\` exits with 0.`,
    'Everything has `protect: true` and `onDestroy: "keep"`, so nothing is deleted by accident.',
    "Later, `page-guard export --check` lists differences between zones and files, and `page-guard coverage` what no program declares.",
    "",
  ].join("\n");
}

function row({ zone, counts }: ZoneExport, { files }: Language): string {
  const { hasSettings, policies, rules } = counts;
  const cells = [
    forMarkdown(zone.name),
    `\`${zone.id}\``,
    hasSettings ? "yes" : "no",
    `${policies.declared} of ${policies.all}`,
    `${rules.declared ?? "?"} of ${rules.all}`,
    `\`${files(slugOf(zone))[0]}\``,
  ];
  return `| ${cells.join(" | ")} |`;
}

function decisions({ zone, objects, declared }: ZoneExport): string[] {
  return [
    ...declared.remarks.map((remark) => `${forMarkdown(zone.name)}: ${forMarkdown(remark, 500)}`),
    ...objects.flatMap(({ name, remarks }) => {
      const subject = `${forMarkdown(zone.name)}: ${forMarkdownCode(name)}`;
      return remarks.map((remark) => `${subject}: ${forMarkdown(remark, 500)}`);
    }),
  ];
}

function since({ zone, changes, isAgain, written }: ZoneExport): string[] {
  if (!isAgain) return [];
  const open = new Set(written.unresolved.map(({ key }) => key));
  return changes
    .filter(({ key }) => !open.has(key))
    .map((change) => `${forMarkdown(zone.name)}: ${sentence(change)}`);
}

/** Differences in files that a person edited. */
function leftToYou({ zone, written: { unresolved, edited, standings } }: ZoneExport): string[] {
  const told = new Set(unresolved.map(({ unread }) => unread));
  const unread = unreadOf(standings).filter((place) => !told.has(place));
  return [
    ...unresolved.map((change) => `${forMarkdown(zone.name)}: ${sentence(change)}; ${whatToDo(change)}`),
    ...edited.map((file) => `${forMarkdown(zone.name)}: \`${file}\` was edited, so it was not changed`),
    ...unread.map(
      (place) =>
        `${forMarkdown(zone.name)}: ${forMarkdownCode(place)} cannot be read without running it: what was last written counts`,
    ),
  ];
}

function sentence({ what, kind, name, fields, missingRules = [] }: ExportChange): string {
  const which = fields.length > 0 ? ` (${fields.map((field) => forMarkdownCode(field)).join(", ")})` : "";
  const rules = missingRules.map((rule) => forMarkdownCode(rule)).join(", ");
  return `${what}: ${kind} ${forMarkdownCode(name)}${which}${rules === "" ? "" : `; not declared: ${rules}`}`;
}

function whatToDo({ what, file, unread }: ExportChange): string {
  if (unread !== undefined) {
    return `${forMarkdownCode(unread)} cannot be read without running it: compare it, then run \`page-guard export --resolved\``;
  }
  const where = file === undefined ? "" : ` ${forMarkdownCode(file)},`;
  if (what === "gone") return `edit${where} which still declares it`;
  if (what === "changed") return `edit${where} which an export does not change`;
  return what === "new" ? "no file declares it" : "no file declares it any longer";
}

function asTheZoneHasIt(
  { zone, objects, written: { unresolved, standings } }: ZoneExport,
  language: Language,
): string[] {
  const open = new Set(unresolved.map(({ key }) => key));
  const wanted = objects.filter(({ key }) => open.has(key));
  if (wanted.length === 0) return [];
  const inSet = wanted.filter(({ key }) => standings.get(key)?.isInSet);
  const entries = inSet.length === 0 ? [] : [language.policies(policySet(zone, inSet))];
  const singles = wanted.filter((object) => !inSet.includes(object));
  const code = [...singles.map((object) => language.resource(single(zone, object))), ...entries].join("\n\n");
  const fence = "`".repeat(Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return [`## Current values: ${forMarkdown(zone.name)}`, "", `${fence}${language.fence}`, code, fence, ""];
}

function list(title: string, entries: readonly string[], otherwise?: string): string[] {
  if (entries.length === 0) return otherwise === undefined ? [] : [`## ${title}`, "", otherwise, ""];
  return [`## ${title}`, "", ...entries.map((entry) => `- ${entry}`), ""];
}

interface Share {
  /** Undefined if only running the program would show it. */
  readonly declared: number | undefined;
  readonly all: number;
}

/** How much of a zone the files declare. */
export function countsOf(
  { policies, entrypoint }: ZoneFound,
  objects: readonly Declared[],
  standings: Standings,
) {
  const declared = objects.filter(({ key }) => standings.has(key));
  const rules = declared.find(({ kind }) => kind === "ManagedWafEntrypoint");
  const all = entrypoint?.rules.length ?? 0;
  return {
    hasSettings: declared.some(({ kind }) => kind === "PageGuardSettings"),
    policies: {
      declared: declared.filter(({ kind }) => kind === "CspPolicy").length,
      all: policies?.length ?? 0,
    },
    rules: { declared: rules ? rulesIn(rules, standings, all) : 0, all },
  };
}

function rulesIn({ key, args }: Declared, standings: Standings, all: number): number | undefined {
  const standing = standings.get(key);
  if (standing?.rules) return standing.rules.count;
  return standing?.fields["rules"] === fieldDigest(args["rules"]) ? all : undefined;
}

/** `3`, or `3 of 4` if the files do not declare all. */
export function shareText({ declared, all }: Share): string {
  return declared === all ? `${all}` : `${declared ?? "?"} of ${all}`;
}
