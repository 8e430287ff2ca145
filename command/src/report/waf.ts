import { migrationFacts, pluralize, readMessage, readZone, type ZonePart } from "pulumi-page-guard/tools";
import { dayAndTime } from "../documents/audit/cadence";
import { renderCsv } from "../documents/audit/csv";
import { type Columns, entry, makeLinesCell, tableChapter } from "../documents/blocks/document";
import { page, section } from "../documents/blocks/html";
import { fitSections, renderSections } from "../documents/blocks/markdown";
import { forJson } from "../documents/escape";
import type { ReadClient } from "../shared/reader";
import type { ZoneRef } from "../shared/zones";

type WafReadiness = Awaited<ReturnType<typeof readiness>>;

/** Parts of a zone that show the stage of its migration. */
const positionParts: readonly ZonePart[] = ["compatibility", "wafStatus", "entrypoint"];

/** Parts of a zone that decide whether its migration may begin. They no longer exist after the migration. */
const beginParts: readonly ZonePart[] = ["wafConfiguration", "uriOverrides"];

const positions = {
  old: "not started",
  validation: "validation mode",
  finishing: "finishing",
  finished: "finished",
  unclear: "ambiguous",
  unknown: "not known",
} as const;

const answers = { yes: "yes", no: "no", unknown: "not known", begun: "has begun", done: "done" };

type BeginAnswer = readonly [keyof typeof answers, ...reasons: string[]];

/** Reads the stage of a zone's migration. If the migration has not begun, also reads whether it may begin. */
export async function readiness(client: ReadClient, zone: ZoneRef) {
  const first = await readZone(client, zone.id, positionParts);
  const isKnown = first.unread.every(({ part, why }) => part !== "entrypoint" && why === "gone");
  const at: keyof typeof positions = (isKnown && migrationFacts(first.values).at) || "unknown";
  const isOpen = at === "old" || at === "unclear";
  const more = await readZone(client, zone.id, isOpen ? beginParts : []);
  const unread = [...first.unread, ...more.unread];
  const values = { ...first.values, ...more.values };
  const { wafStatus, compatibility, wafConfiguration, uriOverrides } = values;
  const { overLimits, rulesToMove, runsOwasp } = migrationFacts(values);
  const overrides = uriOverrides ?? [];
  const refusal = unread.find(({ part, why }) => part === "wafConfiguration" && why === "refused");
  const against = [
    ...(overrides.length > 0
      ? [`Delete ${pluralize(overrides.length, "URI override")} first.`]
      : compatibility?.compatible === false
        ? ["The service says that the zone is not eligible, but does not say why."]
        : []),
    ...overLimits.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`),
    ...(refusal ? [`The service proposes no configuration: ${readMessage(refusal.error)}`] : []),
  ];
  const isSure = compatibility?.compatible === true && wafConfiguration && uriOverrides;
  const unknown: BeginAnswer = ["unknown", "Some of the facts that decide this could not be read."];
  const unopposed: BeginAnswer = isSure ? ["yes"] : unknown;
  const begins: Readonly<Record<keyof typeof positions, BeginAnswer>> = {
    old: against.length > 0 ? ["no", ...against] : unopposed,
    validation: ["begun", "The zone is in validation mode."],
    finishing: ["done"],
    finished: ["done"],
    unclear: ["unknown", "The migration state is ambiguous."],
    unknown,
  };
  const [mayBegin, ...reasons] = begins[at];
  return {
    zone: zone.name,
    zoneId: zone.id,
    position: at,
    migrationState: wafStatus?.migrationState ?? compatibility?.migrationState ?? null,
    // Whether the previous WAF and the new rules are on; null if they were not read.
    previous: wafStatus?.oldEnabled ?? null,
    next: wafStatus?.newEnabled ?? null,
    mayBegin,
    reasons,
    uriOverrides: overrides.map(({ id, description, urls }) => ({ name: description ?? id, urls })),
    rulesToMove,
    runsOwasp,
    // Leaves out parts that are gone and a refusal to propose a configuration, because both are valid responses. But keeps the
    // error about a missing entry point: every zone has one, even if it has no rules, so a zone without one does not exist.
    unread: unread
      .filter((one) => (one.why !== "gone" || one.part === "entrypoint") && one !== refusal)
      .map(({ part, error }) => `${part}: ${readMessage(error)}`),
  };
}

/** Returns functions that render a page for planning the migrations, one function for each format. */
export function wafFiles(zones: readonly WafReadiness[], madeAt: string) {
  const title = "Readiness for the new WAF managed rules";
  const note = `As of ${dayAndTime(madeAt)}. The migration cannot be undone.`;
  const looks = { wide: ["why not", "URI overrides"] };
  const chapter = tableChapter({ title, what: "zones", entries: [entry(note)] }, zones, columns, looks);
  const rows = zones.map((one) => ({
    ...one,
    reasons: one.reasons.join(" "),
    uriOverrides: renderOverrides(one).join("; "),
  }));
  return {
    html: () => page(title, section(chapter)),
    md: () => fitSections("", renderSections(chapter), "", Number.POSITIVE_INFINITY),
    json: () => forJson({ madeAt, zones }),
    csv: () => renderCsv(csvColumns, rows),
  };
}

function renderOverrides({ uriOverrides }: WafReadiness): string[] {
  return uriOverrides.map(({ name, urls }) => `${name} (${urls.join(", ") || "no URL"})`);
}

const columns: Columns<WafReadiness> = {
  zone: ({ zone }) => ({ code: zone }),
  migration: ({ position: at, migrationState: state }) => [
    positions[at],
    ...(state === null ? [] : [" ", { tag: state }]),
  ],
  active: ({ previous, next }) =>
    previous === null || next === null
      ? "not known"
      : [...(previous ? ["previous version"] : []), ...(next ? ["new managed rules"] : [])].join(" and ") ||
        "none",
  "may it begin?": ({ mayBegin }) => answers[mayBegin],
  "why not": ({ reasons, unread }) => makeLinesCell([...reasons, ...unread]),
  "URI overrides": (one) => makeLinesCell(renderOverrides(one)),
  "rules to move": ({ rulesToMove }) => rulesToMove,
  OWASP: ({ runsOwasp: runs }) => (runs === null ? null : runs ? "in use, moves only in part" : "not used"),
};

const csvColumns =
  "zone zoneId position migrationState previous_waf=previous new_waf=next mayBegin reasons uriOverrides rulesToMove runsOwasp";
