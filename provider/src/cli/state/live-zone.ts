import type { Entrypoint, Policy, Settings } from "../../api/client-types";
import { NotFoundError } from "../../errors/not-found-error";
import type { ReadClient } from "../reader";
import type { DeclaredZone } from "./declared-zone";

/** What a zone has now: one request a kind. */
export interface LiveZone {
  /** The zone itself is gone, or the token does not see it. */
  readonly isGone: boolean;
  readonly settings?: Settings;
  readonly policies: readonly Policy[];
  readonly entrypoint?: Entrypoint;
  /** Both versions of the WAF, as far as the service tells. */
  readonly waf?: { readonly oldEnabled?: boolean; readonly newEnabled?: boolean };
}

/**
 * Asks for policies and rules in any case, for the migration where the state declares it, for settings where it does or
 * where they are `wanted`.
 */
export async function readLiveZone(
  client: ReadClient,
  { zoneId, settings, migration }: DeclaredZone,
  wanted: { readonly settings: boolean },
): Promise<LiveZone> {
  const gone: unknown[] = [];
  const unlessGone = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      gone.push(error);
      return undefined;
    }
  };
  const [live, policies, entrypoint, waf] = await Promise.all([
    settings || wanted.settings ? unlessGone(() => client.getSettings(zoneId)) : undefined,
    unlessGone(() => client.listPolicies(zoneId)),
    unlessGone(async () => (await client.getEntrypoint(zoneId)) ?? { rules: [] }),
    // Once the migration is over its interface may end with the previous WAF.
    migration && unlessGone(() => client.getWafStatus(zoneId)),
  ]);
  return {
    isGone: policies === undefined && entrypoint === undefined,
    ...(live && { settings: live }),
    policies: policies ?? [],
    ...(entrypoint && { entrypoint }),
    ...(waf && { waf }),
  };
}
