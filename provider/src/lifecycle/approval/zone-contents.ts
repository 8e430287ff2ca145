import type { Entrypoint, PageGuardClient, Rule } from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
import { EnrollmentRequiredError } from "../../errors/enrollment-required-error";
import { NotFoundError } from "../../errors/not-found-error";
import { RequestRefusedError } from "../../errors/request-refused-error";

/** What of a zone is read, one or two requests each. */
export const zoneParts = ["settings", "policies", "rules", "migration"] as const;
export type ZonePart = (typeof zoneParts)[number];

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
  readonly parts: readonly ZonePart[];
  readonly objects: readonly ZoneObject[];
}

/** What reading a zone takes: a client that can only read has it too. */
export type ZoneReader = Pick<
  PageGuardClient,
  | "getSettings"
  | "listPolicies"
  | "getEntrypoint"
  | "getCompatibility"
  | "getWafConfiguration"
  | "getWafStatus"
>;

export interface WantedParts {
  /** A failure to read one of these is one. */
  readonly needed: ReadonlySet<ZonePart>;
  /** Parts that the plan or the token may not show: left out then. */
  readonly wished?: readonly ZonePart[];
}

/** Reads a zone once. A zone that is gone has no objects. */
export async function readZoneContents(
  client: ZoneReader,
  zoneId: string,
  { needed, wished = [] }: WantedParts,
): Promise<ZoneContents> {
  const readers: Record<ZonePart, () => Promise<ZoneObject[]>> = {
    settings: () => settingsOf(client, zoneId),
    policies: () => policiesOf(client, zoneId),
    rules: () => rulesOf(client, zoneId),
    migration: () => migrationOf(client, zoneId),
  };
  const wanted = zoneParts.filter((part) => needed.has(part) || wished.includes(part));
  const read = await Promise.all(
    wanted.map(async (part) => {
      try {
        return { part, objects: await readers[part]() };
      } catch (error) {
        if (error instanceof NotFoundError && needed.has(part)) return { part, objects: [] };
        if (!needed.has(part) && isRefusal(error)) return undefined;
        throw error;
      }
    }),
  );
  const there = read.filter((found) => found !== undefined);
  return {
    zoneId: zoneId.toLowerCase(),
    parts: there.map(({ part }) => part),
    objects: there.flatMap(({ objects }) => objects),
  };
}

async function settingsOf(client: ZoneReader, zoneId: string): Promise<ZoneObject[]> {
  const { updatedAt: _made, ...fields } = await client.getSettings(zoneId);
  return [{ kind: "settings", id: "", fields: known(fields) }];
}

async function policiesOf(client: ZoneReader, zoneId: string): Promise<ZoneObject[]> {
  const policies = await client.listPolicies(zoneId);
  return policies.map(({ policyId, description, action, expression, enabled, value }) => ({
    kind: "policy",
    id: policyId,
    fields: { description, action, expression, enabled, value },
  }));
}

async function rulesOf(client: ZoneReader, zoneId: string): Promise<ZoneObject[]> {
  const { name, rules } = (await entrypointOf(client, zoneId)) ?? { name: undefined, rules: [] };
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

/** A zone on the previous WAF has none yet. */
async function entrypointOf(client: ZoneReader, zoneId: string): Promise<Entrypoint | undefined> {
  try {
    return await client.getEntrypoint(zoneId);
  } catch (error) {
    if (error instanceof EnrollmentRequiredError) return undefined;
    throw error;
  }
}

async function migrationOf(client: ZoneReader, zoneId: string): Promise<ZoneObject[]> {
  const [check, status, proposed] = await Promise.all([
    unlessGone(client.getCompatibility(zoneId)),
    unlessGone(client.getWafStatus(zoneId)),
    unlessGone(client.getWafConfiguration(zoneId)),
  ]);
  const fields = {
    compatible: check?.compatible,
    migrationState: status?.migrationState ?? check?.migrationState,
    oldEnabled: status?.oldEnabled,
    newEnabled: status?.newEnabled,
    // What a migration would send, unless the program gives the whole of it.
    proposed,
  };
  return [{ kind: "migration", id: "", fields: known(fields) }];
}

/** The previous WAF's interface ends with it: then there is nothing to compare. */
async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const status = error instanceof ApiError ? error.facts.httpStatus : undefined;
    if (status === 404 || status === 410 || error instanceof RequestRefusedError) return undefined;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  const status = error instanceof ApiError ? (error.facts.httpStatus ?? 0) : 0;
  return status >= 400 && status < 500 && status !== 429;
}

/** As it will be after its way through JSON. */
function known(fields: object): Readonly<Record<string, unknown>> {
  const plain: Record<string, unknown> = JSON.parse(JSON.stringify(fields));
  return plain;
}
