import type { Rule } from "../../api/client-types";
import { shown } from "../../text/shown";
import { changedFields, fieldMeaning, paired } from "../../zone/compare";
import type { ApprovedObject, ApprovedZone } from "./approved-file";
import { type DigestKey, secretDigest } from "./keyed-digest";
import type { ZoneContents, ZoneObject } from "./zone-contents";

/** An object of a zone that is not as it was approved. */
export interface Moved {
  readonly zoneId: string;
  readonly what: "changed" | "gone" | "new";
  readonly kind: ZoneObject["kind"];
  readonly id: string;
  /** As it was; undefined when it is new, or held as a digest only. */
  readonly approved?: ZoneObject["fields"] | undefined;
  /** As it is; undefined when it is gone. */
  readonly live?: ZoneObject["fields"] | undefined;
  /** A live rule, as it came. */
  readonly rule?: Rule | undefined;
  /** Nothing of it is to be shown: it may hold something secret. */
  readonly isClosed: boolean;
}

/** A zone as an approved file keeps it. `isClosed`: of what it holds only digests. */
export async function asApproved(
  { zoneId, parts, objects }: ZoneContents,
  isClosed: boolean,
  key: DigestKey,
): Promise<ApprovedZone> {
  return {
    zoneId,
    parts: [...parts],
    objects: await Promise.all(
      objects.map(async ({ kind, id, fields }) =>
        isClosed && mayHoldSecrets(kind)
          ? { kind, id, digest: await digestOf(key, zoneId, { kind, id, fields }) }
          : { kind, id, fields: { ...fields } },
      ),
    ),
  };
}

/** What in a zone is not as it was approved. */
export async function movedIn(
  approved: ApprovedZone,
  live: ZoneContents,
  key: DigestKey,
): Promise<readonly Moved[]> {
  const { zoneId } = approved;
  const isClosed = approved.objects.some(({ digest }) => digest !== undefined);
  const place = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind} ${id}`;
  const moved: Moved[] = [];
  for (const { left, right } of paired(approved.objects, place, live.objects, place)) {
    if (left && right && (await isSame(left, right, zoneId, key))) continue;
    const { kind, id } = left ?? right;
    moved.push({
      ...{ zoneId, kind, id },
      what: left && right ? "changed" : left ? "gone" : "new",
      approved: left?.fields,
      live: right?.fields,
      rule: right?.rule,
      isClosed: left ? left.digest !== undefined : isClosed && mayHoldSecrets(kind),
    });
  }
  return moved;
}

/** `the policy "checkout" (1a2b…): expression is "…", was "…"`. */
export function movedText({ what, kind, id, approved, live, isClosed }: Moved): string {
  const label = labelOf(kind, id, isClosed ? undefined : (approved ?? live));
  if (what === "new") return `${label} is new`;
  if (what === "gone") return `${label} is gone`;
  if (isClosed || !approved || !live)
    return `${label} has changed (not shown: something in its zone is secret)`;
  return `${label}: ${changedFields(kind, approved, live)
    .map((name) => `${name} is ${valueText(live[name])}, was ${valueText(approved[name])}`)
    .join(", ")}`;
}

async function isSame(
  approved: ApprovedObject,
  live: ZoneObject,
  zoneId: string,
  key: DigestKey,
): Promise<boolean> {
  if (approved.digest !== undefined) return approved.digest === (await digestOf(key, zoneId, live));
  return changedFields(live.kind, approved.fields, live.fields).length === 0;
}

/** Switches and states of a migration are no secrets, whatever else is. */
function mayHoldSecrets(kind: ZoneObject["kind"]): boolean {
  return kind !== "settings" && kind !== "migration";
}

function digestOf(key: DigestKey, zoneId: string, { kind, id, fields }: ZoneObject): Promise<string> {
  const meaning = Object.entries(fields).map(([name, value]) => [name, fieldMeaning(kind, name, value)]);
  return secretDigest(key, `${zoneId}/${kind}/${id}`, Object.fromEntries(meaning));
}

function labelOf(kind: ZoneObject["kind"], id: string, fields: ZoneObject["fields"] | undefined): string {
  const { description } = fields ?? {};
  const called =
    typeof description === "string" && description.trim() !== ""
      ? ` "${shown(description, { max: 60 })}"`
      : "";
  switch (kind) {
    case "settings":
      return "the settings";
    case "entrypoint":
      return "the list of WAF rules";
    case "migration":
      return "the state of the WAF migration";
    case "policy":
    case "rule":
      return `the ${kind === "policy" ? "policy" : "WAF rule"}${called} (${shown(id, { max: 60 })})`;
  }
}

function valueText(value: unknown): string {
  if (value === undefined) return "absent";
  return shown(typeof value === "string" ? `"${value}"` : JSON.stringify(value), { max: 200 });
}
