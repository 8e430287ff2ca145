import { listed } from "../text/listed";
import { shown } from "../text/shown";
import type { InventoryEntry } from "./inventory-file";
import { MatchIndex } from "./match";
import { groupsOf, type ScriptGroup, type SeenScript } from "./seen-script";

/** What an inventory and a zone disagree about. */
export interface InventoryFinding {
  readonly code: InventoryCode;
  /** `info` asks for nothing. */
  readonly severity: "error" | "warning" | "info";
  /** One or two sentences, safe to show. */
  readonly text: string;
  /** Which script it is about: the `match` of its entry, else what it would be. */
  readonly subject: string;
  /** Of the entry. Absent: no entry is to blame. */
  readonly line?: number | undefined;
  readonly entry?: InventoryEntry | undefined;
  /** The scripts that it is about; none where nothing matches an entry. */
  readonly scripts: readonly SeenScript[];
}

export type InventoryCode =
  | "inventory-changed"
  | "inventory-gone"
  | "inventory-hash-unknown"
  | "inventory-incomplete"
  | "inventory-invalid"
  | "inventory-malicious"
  | "inventory-matched-twice"
  | "inventory-matches-nothing"
  | "inventory-no-integrity"
  | "inventory-no-justification"
  | "inventory-not-allowed"
  | "inventory-not-listed"
  | "inventory-nothing-enforced"
  | "inventory-returned"
  | "inventory-review-overdue"
  | "inventory-unapproved"
  | "inventory-weak-integrity";

export interface JudgeOptions {
  /** `2026-11-23` */
  readonly today: string;
  /** Whether the zone enforces any policy; undefined: not known. */
  readonly enforces: boolean | undefined;
}

/** An entry and the scripts that it matches. */
export interface MatchedEntry {
  readonly entry: InventoryEntry;
  readonly scripts: readonly SeenScript[];
}

/** Who matches whom. */
export interface Matched {
  readonly entries: readonly MatchedEntry[];
  /** Scripts that no entry matches. */
  readonly unlisted: readonly SeenScript[];
  /** Scripts that several entries match. */
  readonly twice: readonly { readonly script: SeenScript; readonly entries: readonly InventoryEntry[] }[];
}

export function matchEntries(entries: readonly InventoryEntry[], seen: readonly SeenScript[]): Matched {
  const index = new MatchIndex<{ entry: InventoryEntry; scripts: SeenScript[] }>();
  const matched = entries.map((entry) => ({ entry, scripts: [] as SeenScript[] }));
  for (const one of matched) index.add(one.entry.match, one);
  const unlisted: SeenScript[] = [];
  const twice: { script: SeenScript; entries: InventoryEntry[] }[] = [];
  for (const script of seen) {
    const found = index.find(script.url);
    for (const { scripts } of found) scripts.push(script);
    if (found.length === 0) unlisted.push(script);
    if (found.length > 1) twice.push({ script, entries: found.map(({ entry }) => entry) });
  }
  return { entries: matched, unlisted, twice };
}

/** What a person has to do or to know, in the order of the file; scripts without an entry come first. */
export function judgeInventory(
  entries: readonly InventoryEntry[],
  seen: readonly SeenScript[],
  options: JudgeOptions,
): readonly InventoryFinding[] {
  const matched = matchEntries(entries, seen);
  const unlisted = groupsOf(matched.unlisted, seen);
  return [
    ...(options.enforces === false && seen.length > 0 ? [nothingEnforced] : []),
    ...unlisted.flatMap((group) => [
      notListed(group),
      ...onScripts({ subject: subjectOf(group), scripts: group.scripts }, options),
    ]),
    ...matchedTwice(matched),
    ...matched.entries.flatMap((one) => onEntry(one, options)),
  ];
}

const nothingEnforced: InventoryFinding = {
  code: "inventory-nothing-enforced",
  severity: "warning",
  text: "The zone enforces no policy, so nothing keeps scripts out that are not in the inventory.",
  subject: "policies",
  scripts: [],
};

function notListed(group: ScriptGroup): InventoryFinding {
  const way =
    group.match === undefined
      ? "No pattern can be written for its URL, so it cannot be listed: remove it from the pages."
      : "Run `page-guard inventory update`, or remove it from the pages.";
  const subject = subjectOf(group);
  const text = `${subject} is not in the inventory${since(group.scripts)}. ${way}`;
  return { code: "inventory-not-listed", severity: "error", text, subject, scripts: group.scripts };
}

function subjectOf({ match, scripts }: ScriptGroup): string {
  return shown(match ?? scripts[0]?.url ?? "");
}

function since(scripts: readonly SeenScript[]): string {
  const first = scripts.flatMap(({ firstSeen }) => firstSeen ?? []).sort()[0];
  const pages = [...new Set(scripts.flatMap((script) => script.pages))].map((page) => shown(page));
  const where = pages.length === 0 ? "" : ` on ${listed(pages, { most: 3, separator: ", " })}`;
  return first === undefined && where === "" ? "" : ` (first seen${first ? ` on ${first}` : ""}${where})`;
}

/** One for each set of entries, however many scripts they share. */
function matchedTwice({ twice }: Matched): readonly InventoryFinding[] {
  const sets = new Map<string, { entries: readonly InventoryEntry[]; scripts: SeenScript[] }>();
  for (const { script, entries } of twice) {
    const key = entries.map(({ line }) => line).join();
    const known = sets.get(key);
    if (known) known.scripts.push(script);
    else sets.set(key, { entries, scripts: [script] });
  }
  return [...sets.values()].map(({ entries, scripts }) => {
    const [first, ...others] = [...entries].sort((a, b) => a.line - b.line);
    const lines = others.map(({ line }) => String(line));
    return {
      code: "inventory-matched-twice",
      severity: "warning",
      text: `${urls(scripts)} ${is(scripts)} also matched by the entry at line ${listed(lines, { most: 5, separator: ", " })}. Narrow one of them, so that each script has one entry.`,
      ...about(first, scripts),
    };
  });
}

function onEntry({ entry, scripts }: MatchedEntry, options: JudgeOptions): readonly InventoryFinding[] {
  const place = about(entry, scripts);
  if (scripts.length === 0) return onUnseen(entry, place);
  const { approved, justification, reviewBy, gone, integrity } = entry;
  const findings: InventoryFinding[] = [];
  const add = (code: InventoryCode, severity: InventoryFinding["severity"], text: string) =>
    void findings.push({ code, severity, text, ...place });

  if (approved === undefined) {
    const lacks = [
      ...(justification === undefined ? ["a justification"] : []),
      ...(integrity === undefined ? ["an integrity method"] : []),
    ];
    const also = lacks.length === 0 ? "" : ` It also lacks ${lacks.join(" and ")}.`;
    add("inventory-unapproved", "error", `Nobody has approved it.${also}`);
  } else {
    if (justification === undefined)
      add(
        "inventory-no-justification",
        "error",
        "It is approved without a justification: write why the page needs it.",
      );
    if (integrity === undefined)
      add("inventory-no-integrity", "error", "Nothing says how its integrity is assured: add `integrity`.");
    findings.push(...onContents(entry, scripts, approved.on));
  }
  if (reviewBy !== undefined && reviewBy < options.today)
    add(
      "inventory-review-overdue",
      "warning",
      `Its review was due by ${reviewBy}. Review it and set \`reviewBy\` to a later day.`,
    );
  if (gone !== undefined)
    add(
      "inventory-returned",
      "warning",
      `It was marked as gone on ${gone} and is seen again. Check why, then remove the line \`gone\`.`,
    );
  if (integrity && "any" in integrity)
    add("inventory-weak-integrity", "info", `Nothing checks its contents: ${shown(integrity.any)}`);
  if (integrity && "policy" in integrity)
    add(
      "inventory-weak-integrity",
      "info",
      `A policy restricts where it comes from; nothing checks its contents.${unknownPolicy(integrity.policy, scripts)}`,
    );
  return [...findings, ...onScripts(place, options)];
}

/** The service knows descriptions, not names of resources: so this is no more than a note. */
function unknownPolicy(policy: string, scripts: readonly SeenScript[]): string {
  const others = scripts.filter(({ allowedBy }) => allowedBy !== undefined && !allowedBy.includes(policy));
  if (others.length === 0) return "";
  return ` No enforced policy with the description ${shown(policy)} allows ${urls(others)}: check the name.`;
}

function onUnseen(entry: InventoryEntry, place: ReturnType<typeof about>): readonly InventoryFinding[] {
  // What runs in the processor's frame is not among what the zone's pages load.
  if (entry.gone !== undefined || entry.scope === "processor") return [];
  if (entry.firstSeen === undefined) {
    const text =
      "It matches no script that is on record. Correct `match`, or remove the entry if the script is no longer used.";
    return [{ code: "inventory-matches-nothing", severity: "warning", text, ...place }];
  }
  const text = "It is no longer on record. Run `page-guard inventory update`, which marks it as gone.";
  return [{ code: "inventory-gone", severity: "warning", text, ...place }];
}

/** An approval holds for the contents that it lists. A hash that is not known says nothing. */
function onContents(
  entry: InventoryEntry,
  scripts: readonly SeenScript[],
  approvedOn: string,
): readonly InventoryFinding[] {
  const { integrity } = entry;
  if (integrity === undefined || !("hashes" in integrity)) return [];
  const approved = new Set(integrity.hashes);
  const changed = new Map<string, SeenScript[]>();
  for (const script of scripts) {
    const later = script.versions
      .filter(({ on }) => on === undefined || on > approvedOn)
      .map(({ hash }) => hash);
    for (const hash of new Set([...(script.hash === undefined ? [] : [script.hash]), ...later]))
      if (!approved.has(hash)) addTo(changed, hash, script);
  }
  const unknown = scripts.filter(({ hash }) => hash === undefined);
  return [
    ...[...changed].map(([hash, having]): InventoryFinding => {
      const wasServed = having.every((script) => script.hash !== hash);
      const text = `${urls(having)} ${wasServed ? "had" : having.length === 1 ? "has" : "have"} the hash ${shown(hash)}, which is not approved: the approval no longer holds. Review the script, then add the hash with \`page-guard inventory approve --hash\`.`;
      return { code: "inventory-changed", severity: "error", text, ...about(entry, having) };
    }),
    ...(unknown.length === 0
      ? []
      : [
          {
            code: "inventory-hash-unknown",
            severity: "info",
            text: `The service gives no hash of ${urls(unknown)}, so its contents were not compared.`,
            ...about(entry, unknown),
          } as const,
        ]),
  ];
}

/** What is bad about a script, whoever has approved it. */
function onScripts(
  { scripts, ...place }: Pick<InventoryFinding, "subject" | "line" | "entry" | "scripts">,
  { enforces }: JudgeOptions,
): readonly InventoryFinding[] {
  const blocked = enforces === true ? scripts.filter(({ allowedBy }) => allowedBy?.length === 0) : [];
  return [
    ...scripts.flatMap((script): InventoryFinding[] =>
      script.malice === undefined
        ? []
        : [
            {
              code: "inventory-malicious",
              severity: "error",
              text: `${shown(script.url)} counts as malicious: ${shown(script.malice)}. Remove it from the pages.`,
              ...place,
              scripts: [script],
            },
          ],
    ),
    ...(blocked.length === 0
      ? []
      : [
          {
            code: "inventory-not-allowed",
            severity: "warning",
            text: `No enforced policy allows ${urls(blocked)}. Allow it in a policy, or remove it from the pages.`,
            ...place,
            scripts: blocked,
          } as const,
        ]),
  ];
}

function addTo(lists: Map<string, SeenScript[]>, key: string, script: SeenScript): void {
  const list = lists.get(key);
  if (list) list.push(script);
  else lists.set(key, [script]);
}

function about(entry: InventoryEntry | undefined, scripts: readonly SeenScript[]) {
  return { subject: shown(entry?.match.text ?? ""), line: entry?.line, entry, scripts };
}

function urls(scripts: readonly SeenScript[]): string {
  return listed(
    [...new Set(scripts.map(({ url }) => url))].map((url) => shown(url)),
    { most: 3, separator: ", " },
  );
}

function is(scripts: readonly SeenScript[]): string {
  return new Set(scripts.map(({ url }) => url)).size === 1 ? "is" : "are";
}
