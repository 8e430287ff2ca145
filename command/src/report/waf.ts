import {
  limitProblems,
  observationOf,
  type MigrationPosition as Position,
  migrationPosition as position,
  rulesToMove,
  runsOwasp,
  type ZonePart,
  type ZoneRead,
} from "pulumi-page-guard/tools";
import type { AuditWaf } from "../reports/audit/report-data";

/** What says where a zone's migration is. */
export const positionParts: readonly ZonePart[] = ["compatibility", "wafStatus", "entrypoint"];

/** What decides whether it may begin; there is no more of it once it has ended. */
export const beginParts: readonly ZonePart[] = ["wafConfiguration", "uriOverrides"];

/** Undefined: one of the three could not be read. */
export function positionOf({ values, unread }: ZoneRead): Position | undefined {
  const isKnown = unread.every(
    ({ part, why }) => !positionParts.includes(part) || (part !== "entrypoint" && why === "gone"),
  );
  return isKnown ? position(observationOf(values)) : undefined;
}

/** Where the migration of a zone is, and whether it may begin. Null: nothing of it could be read. */
export function auditWaf(read: ZoneRead): AuditWaf | null {
  const { values } = read;
  const { entrypoint, wafStatus, compatibility, wafConfiguration, uriOverrides = [] } = values;
  if (entrypoint === undefined && wafStatus === undefined && compatibility === undefined) return null;
  const at = positionOf(read);
  const overLimits = wafConfiguration ? limitProblems(wafConfiguration) : [];
  const { answer, reasons } = mayBegin(read, at, overLimits);
  return {
    position: at ?? "unknown",
    migrationState: wafStatus?.migrationState ?? compatibility?.migrationState ?? null,
    previous: wafStatus?.oldEnabled ?? null,
    next: wafStatus?.newEnabled ?? null,
    mayBegin: answer,
    reasons: [...reasons],
    uriOverrides: uriOverrides.map(({ id, description, urls }) => ({
      id,
      description: description ?? null,
      urls: [...urls],
    })),
    rulesToMove: wafConfiguration ? rulesToMove(wafConfiguration) : null,
    overLimits: [...overLimits],
    runsOwasp: wafConfiguration ? runsOwasp(wafConfiguration) : null,
  };
}

const notAllRead = "Not all of what decides it could be read.";

function mayBegin(
  { values, unread }: ZoneRead,
  at: Position | undefined,
  overLimits: readonly string[],
): { readonly answer: AuditWaf["mayBegin"]; readonly reasons: readonly string[] } {
  if (at === "finished" || at === "finishing") return { answer: "done", reasons: [] };
  if (at === "validation") return { answer: "begun", reasons: ["The zone is in validation mode."] };
  if (at === undefined) return { answer: "unknown", reasons: [notAllRead] };
  if (at !== "old") return { answer: "unknown", reasons: ["The migration state is ambiguous."] };
  const { compatibility, wafConfiguration, uriOverrides } = values;
  const count = uriOverrides?.length ?? 0;
  const failed = unread.filter(({ part, why }) => beginParts.includes(part) && why !== "refused");
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
  if (against.length > 0) return { answer: "no", reasons: against };
  const isUnsure = failed.length > 0 || compatibility?.compatible !== true || !wafConfiguration;
  return isUnsure ? { answer: "unknown", reasons: [notAllRead] } : { answer: "yes", reasons: [] };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
