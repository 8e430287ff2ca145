import {
  isEnforced,
  PageGuardError,
  readZone,
  requireValues,
  type ZonePart,
  type ZoneValues,
} from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import type { ReadClient } from "../shared/reader";
import type { ZoneRef } from "../shared/zones";

export interface LeftOut {
  readonly what: string;
  readonly why: string;
}

/** The objects in a zone. `leftOut` names the parts that could not be read. */
export interface ZoneFound extends ZoneValues {
  readonly zone: ZoneRef;
  /**
   * Whether to declare the list of WAF rules even if it is empty. Only `--undo` sets this: if the update adds rules to an empty
   * list, undoing the update has to empty the list again.
   */
  readonly isListWritten?: boolean;
  readonly leftOut?: readonly LeftOut[];
}

const exported = new Map<ZonePart, string>([
  ["settings", "the settings"],
  ["policies", "the policies"],
  ["entrypoint", "the WAF rules"],
]);

/**
 * Reads the parts of a zone that an export declares. Leaves out parts that are gone or that the token may not read.
 *
 * @throws the error of a part that cannot be read for another reason, or of any part if none can be read
 */
export async function readExported(client: ReadClient, zone: ZoneRef): Promise<ZoneFound> {
  const read = await readZone(client, zone.id, [...exported.keys(), "wafStatus"]);
  // If no part can be read, the id or the token is wrong.
  const isNothing = read.unread.filter(({ part }) => exported.has(part)).length === exported.size;
  const values = requireValues(read, ({ part, why, error }) => {
    const isUnseen = why === "gone" || (error instanceof PageGuardError && error.facts.httpStatus === 403);
    return part === "wafStatus" || (isUnseen && !isNothing);
  });
  // Reads the scripts and connections in use only if the zone has enforced policies, whose impact depends on them.
  const isEnforcing = values.policies?.some(isEnforced);
  return {
    zone,
    ...values,
    ...(isEnforcing && requireValues(await readZone(client, zone.id, ["inUse"]))),
    leftOut: read.unread.flatMap(({ part, error }) => {
      const what = exported.get(part);
      return what && error instanceof Error ? [{ what, why: forTerminal(error.message, 500) }] : [];
    }),
  };
}
