import {
  changedFields,
  type Entrypoint,
  fieldMeaning,
  isApiError,
  migrationParts,
  NotFoundError,
  paired,
  type Rule,
  readZone,
  shown,
  valuesOf,
  type ZoneReader,
  type ZoneValues,
  z,
  zoneIdOf,
} from "pulumi-page-guard/tools";
import { sealOf } from "./seal";

const usual = ["settings", "policies", "entrypoint"] as const;
/** Parts of a zone that an approval can hold. */
export const zoneParts = [...usual, "compatibility", "wafStatus", "wafConfiguration"] as const;
export type ApprovedPart = (typeof zoneParts)[number];

export const zoneSchema = z.strictObject({
  zoneId: z.string(),
  parts: z.array(z.enum(zoneParts)),
  objects: z.array(
    z.strictObject({
      kind: z.enum(["settings", "policy", "entrypoint", "rule", "migration"]),
      /** Empty where a zone has just one. */
      id: z.string(),
      fields: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** What a zone holds, as far as it was read. */
export type ApprovedZone = z.output<typeof zoneSchema>;

/** One object of a zone: what it means, without what the service makes (versions, times). */
export type ZoneObject = ApprovedZone["objects"][number];

/**
 * Reads a zone. One that is gone has no objects. A part that is not `needed` may be unreadable: the plan or the token may
 * not show it.
 */
export async function readZoneContents(
  client: ZoneReader,
  zoneId: string,
  needed: ReadonlySet<ApprovedPart>,
  isFirst: boolean,
): Promise<ApprovedZone> {
  const wanted = zoneParts.filter(
    (part) => needed.has(part) || (isFirst && usual.some((one) => one === part)),
  );
  const read = await readZone(client, zoneId, wanted);
  const values = valuesOf(read, ({ part, why, error }) => {
    // The interface of the migration ends with the previous WAF, in whatever words.
    if (migrationParts.includes(part)) return why === "gone" || isApiError(error, "PG_REFUSED");
    const isNeeded = zoneParts.some((one) => one === part && needed.has(one));
    return isNeeded ? error instanceof NotFoundError : why !== "failed";
  });
  const unread = new Set(read.unread.map(({ part }) => part));
  return {
    zoneId: zoneIdOf(zoneId) ?? zoneId,
    parts: wanted.filter((part) => needed.has(part) || !unread.has(part)),
    objects: objectsOf(values, wanted.includes("wafStatus")),
  };
}

function objectsOf(
  {
    settings,
    policies = [],
    entrypoint,
    compatibility: check,
    wafStatus: status,
    wafConfiguration,
  }: ZoneValues,
  hasMigration: boolean,
): ZoneObject[] {
  const { updatedAt: _made, ...switches } = settings ?? {};
  const migration = {
    compatible: check?.compatible,
    migrationState: status?.migrationState ?? check?.migrationState,
    oldEnabled: status?.oldEnabled,
    newEnabled: status?.newEnabled,
    // What a migration sends, unless the program gives the whole of it.
    proposed: wafConfiguration,
  };
  const objects = [
    ...(settings ? [{ kind: "settings", id: "", fields: switches } as const] : []),
    ...policies.map(({ policyId: id, description, action, expression, enabled, value }) => ({
      ...({ kind: "policy", id } as const),
      fields: { description, action, expression, enabled, value },
    })),
    ...(entrypoint ? rulesOf(entrypoint) : []),
    ...(hasMigration ? [{ kind: "migration", id: "", fields: migration } as const] : []),
  ];
  // As it will be after its way through JSON.
  return JSON.parse(JSON.stringify(objects)) as ZoneObject[];
}

function rulesOf({ name, rules }: Entrypoint): ZoneObject[] {
  const idOf = (rule: Rule, index: number): string => rule.id ?? `without an id, ${index + 1}`;
  return [
    // Rules run in their order.
    { kind: "entrypoint", id: "", fields: { name, order: rules.map(idOf) } },
    ...rules.map((rule, index): ZoneObject => {
      const { id: _id, version: _version, lastUpdated: _updated, ...fields } = rule;
      return { kind: "rule", id: idOf(rule, index), fields };
    }),
  ];
}

const sealName = "sealed";

/** A zone with secret inputs: of its policies and rules only digests, because one of them may be what is secret. */
export function sealed(zone: ApprovedZone, salt: string, key: string | undefined): ApprovedZone {
  const objects = zone.objects.map((object): ZoneObject => {
    const { kind, id, fields } = object;
    if (kind !== "policy" && kind !== "rule") return object;
    const meaning = Object.entries(fields).map(([name, value]) => [name, fieldMeaning(kind, name, value)]);
    const digest = sealOf([salt, zone.zoneId, kind, id, Object.fromEntries(meaning)], key);
    return { kind, id, fields: { [sealName]: digest } };
  });
  return { ...zone, objects };
}

export function isSealed({ fields }: ZoneObject): boolean {
  return sealName in fields;
}

/** An object of a zone that is not as it was approved. */
export interface Moved extends Pick<ZoneObject, "kind" | "id"> {
  /** As it was; undefined if it is new. */
  readonly approved: ZoneObject | undefined;
  /** As it is; undefined if it is gone. */
  readonly live: ZoneObject | undefined;
}

/** What differs in a zone, both sides sealed or none. */
export function movedIn(approved: ApprovedZone, now: ApprovedZone): readonly Moved[] {
  const place = ({ kind, id }: ZoneObject): string => `${kind} ${id}`;
  return paired(approved.objects, place, now.objects, place).flatMap(({ left, right }) => {
    const { kind, id } = left ?? right;
    if (left && right && changedFields(kind, left.fields, right.fields).length === 0) return [];
    return [{ kind, id, approved: left, live: right }];
  });
}

/** `the policy "checkout" (1a2b…): expression is "…", was "…"`. Safe to show. */
export function movedText({ kind, id, approved, live }: Moved): string {
  const { description = "" } = (approved ?? live)?.fields ?? {};
  const called = description === "" ? "" : `"${shown(String(description), { max: 60 })}" `;
  const label =
    kind === "policy" || kind === "rule"
      ? `the ${kind === "policy" ? "policy" : "WAF rule"} ${called}(${shown(id, { max: 60 })})`
      : `the ${{ settings: "settings", entrypoint: "list of WAF rules", migration: "state of the WAF migration" }[kind]}`;
  if (!approved) return `${label} is new`;
  if (!live) return `${label} is gone`;
  if (isSealed(live)) return `${label} has changed (not shown: something in its zone is secret)`;
  return `${label}: ${changedFields(kind, approved.fields, live.fields)
    .map((name) => `${name} is ${valueText(live.fields[name])}, was ${valueText(approved.fields[name])}`)
    .join(", ")}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return "absent";
  return shown(JSON.stringify(value), { max: 200 });
}
