import type { Entrypoint, Policy, Rule, Settings } from "../../api/client-types";
import { NotFoundError } from "../../errors/not-found-error";
import { RequestRefusedError } from "../../errors/request-refused-error";
import {
  migrationParts,
  readZone,
  valuesOf,
  type ZonePart,
  type ZoneReader,
  type ZoneValues,
} from "../../zone/read-zone";
import { zoneIdOf } from "../../zone/zone-id";

/** What of a zone is read, one or two requests each. */
export const zoneParts = ["settings", "policies", "rules", "migration"] as const;
export type ApprovedPart = (typeof zoneParts)[number];

/** One object of a zone: what it means, without what the service makes (versions, times). */
export interface ZoneObject {
  readonly kind: "settings" | "policy" | "entrypoint" | "rule" | "migration";
  /** Empty where a zone has just one. */
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** As it came; of a rule that was just read. */
  readonly rule?: Rule;
}

export interface ZoneContents {
  readonly zoneId: string;
  /** What was read, and so what can be compared. */
  readonly parts: readonly ApprovedPart[];
  readonly objects: readonly ZoneObject[];
}

const requests: Readonly<Record<ApprovedPart, readonly ZonePart[]>> = {
  settings: ["settings"],
  policies: ["policies"],
  rules: ["entrypoint"],
  migration: migrationParts,
};

/**
 * Reads a zone once. A zone that is gone has no objects. A failure to read a `needed` part is one; `wished` ones, which the
 * plan or the token may not show, are left out then.
 */
export async function readZoneContents(
  client: ZoneReader,
  zoneId: string,
  { needed, wished = [] }: { needed: ReadonlySet<ApprovedPart>; wished?: readonly ApprovedPart[] },
): Promise<ZoneContents> {
  const wanted = zoneParts.filter((part) => needed.has(part) || wished.includes(part));
  const partOf = (one: ZonePart): ApprovedPart | undefined =>
    wanted.find((part) => requests[part].includes(one));
  const read = await readZone(
    client,
    zoneId,
    wanted.flatMap((part) => requests[part]),
  );
  const values = valuesOf(read, ({ part, why, error }) => {
    // The interface of the migration ends with the previous WAF, in whatever words.
    if (migrationParts.includes(part)) return why === "gone" || error instanceof RequestRefusedError;
    const isNeeded = needed.has(partOf(part) ?? "settings");
    return isNeeded ? error instanceof NotFoundError : why !== "failed";
  });
  const unseen = new Set(read.unread.map(({ part }) => partOf(part)));
  const parts = wanted.filter((part) => part === "migration" || needed.has(part) || !unseen.has(part));
  return {
    zoneId: zoneIdOf(zoneId) ?? zoneId,
    parts,
    objects: [
      ...(values.settings ? settingsOf(values.settings) : []),
      ...(values.policies ?? []).map(policyOf),
      ...(values.entrypoint ? rulesOf(values.entrypoint) : []),
      ...(parts.includes("migration") ? [migrationOf(values)] : []),
    ],
  };
}

function settingsOf({ updatedAt: _made, ...fields }: Settings): ZoneObject[] {
  return [{ kind: "settings", id: "", fields: known(fields) }];
}

function policyOf({ policyId, description, action, expression, enabled, value }: Policy): ZoneObject {
  return { kind: "policy", id: policyId, fields: { description, action, expression, enabled, value } };
}

function rulesOf({ name, rules }: Entrypoint): ZoneObject[] {
  const idOf = (rule: Rule, index: number): string => rule.id ?? `without an id, ${index + 1}`;
  return [
    // Rules run in their order.
    { kind: "entrypoint", id: "", fields: known({ name, order: rules.map(idOf) }) },
    ...rules.map((rule, index): ZoneObject => {
      const { id: _id, version: _version, lastUpdated: _updated, ...fields } = rule;
      return { kind: "rule", id: idOf(rule, index), fields: known(fields), rule };
    }),
  ];
}

function migrationOf({ compatibility: check, wafStatus: status, wafConfiguration }: ZoneValues): ZoneObject {
  const fields = {
    compatible: check?.compatible,
    migrationState: status?.migrationState ?? check?.migrationState,
    oldEnabled: status?.oldEnabled,
    newEnabled: status?.newEnabled,
    // What a migration would send, unless the program gives the whole of it.
    proposed: wafConfiguration,
  };
  return { kind: "migration", id: "", fields: known(fields) };
}

/** As it will be after its way through JSON. */
function known(fields: object): Readonly<Record<string, unknown>> {
  const plain: Record<string, unknown> = JSON.parse(JSON.stringify(fields));
  return plain;
}
