import {
  clean,
  fieldMeaning,
  PageGuardError,
  parseZoneId,
  type Rule,
  requireValues,
  type ZonePart,
  type ZoneValues,
} from "pulumi-page-guard/tools";
import * as z from "zod";
import {
  type PlannedZone,
  type ReadingContext,
  type ReadZone,
  readZones,
  usualParts,
} from "../review/read-zones";
import { findChangedFields, pairByKey } from "../shared/values";
import { makeZoneNamer, nameFailedZone } from "../shared/zones";
import { readApprovalKey, sealContent } from "./seal";

const zoneParts = [...usualParts, "compatibility", "wafStatus", "wafConfiguration"] as const;

export const zoneSchema = z.strictObject({
  zoneId: z.string(),
  parts: z.array(z.enum(zoneParts)),
  objects: z.array(
    z.strictObject({
      kind: z.enum(["settings", "policy", "entrypoint", "rule", "migration"]),
      /** Empty for kinds that have only one object per zone. */
      id: z.string(),
      fields: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** The parts of a zone that were read, with the objects in them. */
export type ApprovedZone = z.output<typeof zoneSchema>;

/** An object in a zone, without the fields that only the service sets (versions, times). */
export type ZoneObject = ApprovedZone["objects"][number];

/**
 * Reads the zones of a plan, and returns them as an approval stores them. A zone that is gone has no objects. A part
 * must be readable if a resource of the stack changes it or if the approval contains it. Other parts may be missing, because
 * some subscriptions lack them and some tokens may not read them.
 */
export async function readPlanned(
  reading: ReadingContext,
  zones: readonly PlannedZone[],
  approved: { readonly madeAt: string; readonly zones: readonly ApprovedZone[] },
): Promise<ApprovedZone[]> {
  const key = readApprovalKey(reading.session);
  const wanted = zones.map((zone) => {
    const before = approved.zones.find(({ zoneId }) => zoneId === zone.zoneId);
    const required = zoneParts.filter((part) => zone.needed.includes(part) || before?.parts.includes(part));
    const isWanted = (part: (typeof zoneParts)[number]): boolean =>
      required.includes(part) || (!before && usualParts.some((one) => one === part));
    return { ...zone, required, parts: zoneParts.filter(isWanted) };
  });
  const all = await readZones(reading, wanted, ({ parts }) => parts);
  return all.map((one) => {
    const { zoneId, required, parts, hasSecretInputs } = one.zone;
    const { values, unread } = requireRead(reading, one, ({ part, why, error }) => {
      // The endpoints of all parts that are not in `usualParts` disappear with the previous WAF. The service then does not always
      // respond with "not found".
      const code = error instanceof PageGuardError ? error.code : undefined;
      if (!usualParts.some((one) => one === part)) return why === "gone" || code === "PG_REFUSED";
      return required.some((name) => name === part) ? code === "PG_NOT_FOUND" : why !== "failed";
    });
    const isUnread = (part: ZonePart): boolean => unread.some((lacking) => lacking.part === part);
    const zone = {
      zoneId: parseZoneId(zoneId) ?? zoneId,
      parts: parts.filter((part) => required.includes(part) || !isUnread(part)),
      objects: listObjects(values, parts.includes("wafStatus")),
    };
    return hasSecretInputs ? sealZone(zone, approved.madeAt, key) : zone;
  });
}

/**
 * Returns the contents of a zone.
 *
 * @throws the error that prevented reading the zone, or a part for which `mayLack` returns false
 */
export function requireRead(
  { session }: ReadingContext,
  { zone: { zoneId: id }, ...one }: ReadZone<PlannedZone>,
  mayLack?: Parameters<typeof requireValues>[1],
): NonNullable<typeof one.read> {
  try {
    if (!one.read) throw one.error;
    requireValues(one.read, mayLack);
    return one.read;
  } catch (error) {
    throw nameFailedZone({ id, name: makeZoneNamer(session)(id) }, error);
  }
}

function listObjects(values: ZoneValues, hasMigration: boolean): ZoneObject[] {
  const { settings, policies = [], entrypoint, compatibility: check, wafStatus: status } = values;
  const identify = (rule: Rule, index: number): string => rule.id ?? `without an id, ${index + 1}`;
  const objects: object[] = [];
  const add = (kind: ZoneObject["kind"], id: string, fields: object) => objects.push({ kind, id, fields });
  if (settings) add("settings", "", { ...settings, updatedAt: undefined });
  for (const { policyId, ...fields } of policies) add("policy", policyId, fields);
  if (entrypoint) {
    const { name, rules } = entrypoint;
    // The order matters, because rules run one after the other.
    add("entrypoint", "", { name, order: rules.map(identify) });
    const made = { id: undefined, version: undefined, lastUpdated: undefined };
    for (const [index, rule] of rules.entries()) add("rule", identify(rule, index), { ...rule, ...made });
  }
  if (hasMigration) {
    const migrationState = status?.migrationState ?? check?.migrationState;
    const { oldEnabled, newEnabled } = status ?? {};
    // The configuration that a migration sends, unless the program declares all of it.
    const proposed = values.wafConfiguration;
    const fields = { compatible: check?.compatible, migrationState, oldEnabled, newEnabled, proposed };
    add("migration", "", fields);
  }
  // Converts to JSON and back, which drops undefined fields: objects that are read from a file have no such fields.
  return JSON.parse(JSON.stringify(objects)) as ZoneObject[];
}

const sealName = "sealed";

/** Replaces the fields of policies and rules with digests, because objects in the zone can contain secret inputs. */
function sealZone(zone: ApprovedZone, salt: string, key: string | undefined): ApprovedZone {
  const objects = zone.objects.map((object): ZoneObject => {
    const { kind, id, fields } = object;
    if (kind !== "policy" && kind !== "rule") return object;
    const meaning = Object.entries(fields).map(([name, value]) => [name, fieldMeaning(kind, name, value)]);
    const digest = sealContent([salt, zone.zoneId, kind, id, Object.fromEntries(meaning)], key);
    return { kind, id, fields: { [sealName]: digest } };
  });
  return { ...zone, objects };
}

/** An object in a zone that differs from the approval. A new object has no `approved`, and a deleted object has no `live`. */
export type Moved = ReturnType<typeof findMoved>[number];

/** Returns the objects that differ between the approved and the current contents of a zone. */
export function findMoved(before: ApprovedZone, now: ApprovedZone) {
  const place = ({ kind, id }: ZoneObject): string => `${kind} ${id}`;
  return pairByKey(before.objects, place, now.objects, place).flatMap(({ left: approved, right: live }) => {
    const { kind, id } = approved ?? live;
    if (approved && live && findChangedFields(kind, approved.fields, live.fields).length === 0) return [];
    // Only the digest of a sealed object is known.
    const isSealed = [approved, live].some((one) => one && sealName in one.fields);
    return [{ kind, id, approved, live, isSealed }];
  });
}

/** Describes how an object differs: `the policy "checkout" (1a2b…): expression is "…", was "…"`. Safe to show. */
export function movedText({ kind, id, approved, live, isSealed }: Moved): string {
  const { description = "" } = (approved ?? live)?.fields ?? {};
  const called = description === "" ? "" : `"${clean(String(description), { max: 60 })}" `;
  const named = `${called}(${clean(id, { max: 60 })})`;
  const label = {
    policy: `the policy ${named}`,
    rule: `the WAF rule ${named}`,
    settings: "the settings",
    entrypoint: "the list of WAF rules",
    migration: "the state of the WAF migration",
  }[kind];
  const [is, has] = kind === "settings" ? ["are", "have"] : ["is", "has"];
  if (!approved) return `${label} ${is} new`;
  if (!live) return `${label} ${is} gone`;
  if (isSealed) return `${label} ${has} changed (not shown: a resource in this zone has a secret input)`;
  const valueText = (value: unknown): string =>
    value === undefined ? "absent" : clean(JSON.stringify(value), { max: 200 });
  return `${label}: ${findChangedFields(kind, approved.fields, live.fields)
    .map((name) => `${name} is ${valueText(live.fields[name])}, was ${valueText(approved.fields[name])}`)
    .join(", ")}`;
}
