import {
  type MigrationFacts,
  messageOf,
  migrationFacts,
  readZone,
  type ZonePart,
  type ZoneRead,
  type ZoneReader,
} from "pulumi-page-guard/tools";
import type { WafReadiness } from "../reports/audit/waf-page";
import type { ZoneRef } from "../zones";

/** What says where a zone's migration is. */
const positionParts: readonly ZonePart[] = ["compatibility", "wafStatus", "entrypoint"];

/** What decides whether it may begin; there is no more of it once it has ended. */
const beginParts: readonly ZonePart[] = ["wafConfiguration", "uriOverrides"];

/** Requests for one zone. */
export const wafRequests = positionParts.length + beginParts.length;

/** Where the migration of a zone is, and whether it may begin. What decides about one that has ended is not asked for. */
export async function readiness(client: ZoneReader, zone: ZoneRef): Promise<WafReadiness> {
  const first = await readZone(client, zone.id, positionParts);
  const isKnown = first.unread.every(({ part, why }) => part !== "entrypoint" && why === "gone");
  const at = isKnown ? migrationFacts(first.values, Date.now()).at : undefined;
  const more = await readZone(client, zone.id, at === "old" || at === "unclear" ? beginParts : []);
  const read = { values: { ...first.values, ...more.values }, unread: [...first.unread, ...more.unread] };
  const { wafStatus, compatibility, uriOverrides = [] } = read.values;
  const { overLimits, rulesToMove, runsOwasp } = migrationFacts(read.values, Date.now());
  return {
    zone: zone.name,
    zoneId: zone.id,
    position: at ?? "unknown",
    migrationState: wafStatus?.migrationState ?? compatibility?.migrationState ?? null,
    previous: wafStatus?.oldEnabled ?? null,
    next: wafStatus?.newEnabled ?? null,
    ...mayBegin(read, at, overLimits),
    uriOverrides: uriOverrides.map(({ id, description, urls }) => ({ name: description ?? id, urls })),
    rulesToMove,
    runsOwasp,
    // The interface of the migration may be gone, and may refuse to propose a configuration: both are answers.
    unread: read.unread
      .filter(({ part, why }) => why !== "gone" && !(part === "wafConfiguration" && why === "refused"))
      .map(({ part, error }) => `${part}: ${messageOf(error)}`),
  };
}

const notAllRead = "Not all of what decides it could be read.";

function mayBegin(
  { values, unread }: ZoneRead,
  at: MigrationFacts["at"],
  overLimits: readonly string[],
): Pick<WafReadiness, "mayBegin" | "reasons"> {
  if (at === "finished" || at === "finishing") return { mayBegin: "done", reasons: [] };
  if (at === "validation") return { mayBegin: "begun", reasons: ["The zone is in validation mode."] };
  if (at === undefined) return { mayBegin: "unknown", reasons: [notAllRead] };
  if (at !== "old") return { mayBegin: "unknown", reasons: ["The migration state is ambiguous."] };
  const { compatibility, wafConfiguration, uriOverrides } = values;
  const count = uriOverrides?.length ?? 0;
  const refusal = unread.find(({ part, why }) => part === "wafConfiguration" && why === "refused");
  const against = [
    ...(count > 0
      ? [`Delete ${count === 1 ? "the URI override" : `the ${count} URI overrides`} first.`]
      : []),
    ...(compatibility?.compatible === false && count === 0
      ? ["The service says that the zone is not eligible, and does not say why."]
      : []),
    ...overLimits.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`),
    ...(refusal ? [`The service proposes no configuration: ${messageOf(refusal.error)}`] : []),
  ];
  if (against.length > 0) return { mayBegin: "no", reasons: against };
  const isSure = compatibility?.compatible === true && wafConfiguration && uriOverrides;
  return isSure ? { mayBegin: "yes", reasons: [] } : { mayBegin: "unknown", reasons: [notAllRead] };
}
