import { type Chapter, entry, type Inline, line, linesCell, linesOf } from "../blocks/document";
import { type InForce, inForce } from "./glance";
import { unreadEntry } from "./head";
import type { AuditData, AuditWaf, AuditZone } from "./report-data";

const positions: Readonly<Record<AuditWaf["position"], string>> = {
  old: "not begun",
  validation: "validation mode",
  finishing: "finishing",
  finished: "finished",
  unclear: "ambiguous",
  unknown: "not known",
};

const answers: Readonly<Record<AuditWaf["mayBegin"], string>> = {
  yes: "yes",
  no: "no",
  unknown: "not known",
  begun: "has begun",
  done: "done",
};

/** Where the migration of each zone is: a page to plan a season of migrations by. */
export function wafChapter({ zones }: AuditData): Chapter {
  const read = zones.flatMap(({ waf, name }) => (waf ? [{ waf, name }] : []));
  const notes = new Map<string, string[]>();
  for (const { waf, name } of read) {
    if (waf.notes.length === 0) continue;
    const text = waf.notes.join("\n");
    notes.set(text, [...(notes.get(text) ?? []), name]);
  }
  return {
    id: "waf",
    title: "WAF and its migration",
    count: zones.length,
    look: "open",
    what: "zones",
    entries: [
      entry("The migration to the new WAF managed rules cannot be undone."),
      ...unreadEntry(zones, "waf", "WAF"),
    ],
    table: {
      search: "zones",
      heads: [
        { name: "zone" },
        { name: "migration" },
        { name: "in force" },
        { name: "may it begin?" },
        { name: "why not", width: "wide" },
        { name: "URI overrides", width: "wide" },
        { name: "rules to move", isNumber: true },
        { name: "OWASP" },
      ],
      rows: zones.map((zone) => rowOf(zone)),
    },
    details: [
      ...(notes.size === 0
        ? []
        : [
            {
              ...{ title: "What the migration moves, maps and loses", what: "notes", look: "open" as const },
              entries: [...notes].map(([text, names]) => ({
                lines: [line({ strong: "Zones: " }, { names }), ...linesOf(text)],
              })),
            },
          ]),
      rulesChapter(read),
    ],
  };
}

function rowOf({ name, waf }: AuditZone): Inline[][] {
  if (waf === null) return [[{ code: name }], ["not read"], [], [], [], [], [], []];
  return [
    [{ code: name }],
    [positions[waf.position], ...(waf.migrationState === null ? [] : [" ", { tag: waf.migrationState }])],
    [inForceNames[inForce(waf)]],
    waf.mayBegin === "no" ? [{ strong: answers.no }] : [answers[waf.mayBegin]],
    linesCell(waf.reasons),
    linesCell(
      waf.uriOverrides.map(
        ({ id, description, urls }) => `${description ?? id} (${urls.join(", ") || "no URL"})`,
      ),
    ),
    waf.rulesToMove === null ? [] : [String(waf.rulesToMove)],
    waf.runsOwasp === null ? [] : [waf.runsOwasp ? "mapped and partly lost, see below" : "not used"],
  ];
}

const inForceNames: Readonly<Record<InForce, string>> = {
  previous: "previous version",
  both: "both",
  next: "new managed rules",
  none: "none",
  unknown: "not known",
};

function rulesChapter(read: readonly { readonly waf: AuditWaf; readonly name: string }[]): Chapter {
  const rows = read.flatMap(({ waf, name }) => waf.rules.map((rule, index) => ({ rule, name, index })));
  return {
    title: "Rules of the managed entry points",
    count: rows.length,
    look: "open",
    what: "rules",
    entries: rows.length === 0 ? [entry("No zone has one.")] : [],
    ...(rows.length > 0 && {
      table: {
        search: "rules",
        heads: [
          { name: "zone", width: "narrow" },
          { name: "rule" },
          { name: "does" },
          { name: "if" },
          { name: "enabled", width: "narrow" },
        ],
        rows: rows.map(({ rule, name, index }): Inline[][] => [
          [{ code: name }],
          [`${index + 1}. ${rule.description}`],
          [rule.does],
          [{ code: rule.expression, isWhole: true }],
          rule.enabled ? ["yes"] : [{ strong: "no" }],
        ]),
      },
    }),
  };
}
