import { ApiError } from "../../errors/api-error";
import { forTerminal } from "../../reports/escape";
import { readZone, type Unread, valuesOf, type ZonePart, type ZoneValues } from "../../zone/read-zone";
import type { ReadClient } from "../reader";
import type { ZoneRef } from "../zones";

/** Something of a zone that is in no program, and why. */
export interface LeftOut {
  readonly what: string;
  /** As in the lock; of the policies as a whole none. */
  readonly key?: string;
  readonly why: string;
}

/** What a zone has. A part that could not be read is absent, and in `leftOut`. */
export interface ZoneFound extends ZoneValues {
  readonly zone: ZoneRef;
  readonly leftOut?: readonly LeftOut[];
}

const exported: readonly (readonly [part: ZonePart, left: Omit<LeftOut, "why">])[] = [
  ["settings", { what: "the settings", key: "settings" }],
  ["policies", { what: "the policies" }],
  ["entrypoint", { what: "the WAF rules", key: "entrypoint" }],
];

/** Reads all that an export declares. A part that the token may not see is left out; any other failure is one. */
export async function readExported(client: ReadClient, zone: ZoneRef): Promise<ZoneFound> {
  const read = await readZone(client, zone.id, [...exported.map(([part]) => part), "wafStatus"]);
  // Nothing at all: that is no zone with gaps, but a wrong id or a wrong token.
  const isNothing = exported.every(([part]) => read.unread.some((one) => one.part === part));
  const values = valuesOf(read, (one) => one.part === "wafStatus" || (!isNothing && isUnseen(one)));
  // What a policy that enforces may block.
  const isEnforcing = values.policies?.some(({ action, enabled }) => action === "allow" && enabled) ?? false;
  return {
    zone,
    ...values,
    ...(isEnforcing && valuesOf(await readZone(client, zone.id, ["inUse"]))),
    leftOut: read.unread.flatMap(({ part, error }) => {
      const [, left] = exported.find(([one]) => one === part) ?? [];
      return left && error instanceof Error ? [{ ...left, why: forTerminal(error.message, 500) }] : [];
    }),
  };
}

function isUnseen({ why, error }: Unread): boolean {
  return why === "gone" || (error instanceof ApiError && error.facts.httpStatus === 403);
}
