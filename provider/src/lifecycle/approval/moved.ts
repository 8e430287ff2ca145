import { isDeepStrictEqual } from "node:util";
import type { Rule } from "../../api/client-types";
import { normaliseExpression, policyMeaning } from "../../csp";
import { shown } from "../../text/shown";
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
  /** Nothing of it is to be shown: something secret may stand in it. */
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
  const now = new Map(live.objects.map((object) => [place(object), object]));
  const moved: Moved[] = [];
  for (const object of approved.objects) {
    const { kind, id, fields } = object;
    const there = now.get(place(object));
    now.delete(place(object));
    if (there && (await isSame(object, there, zoneId, key))) continue;
    moved.push({
      zoneId,
      what: there ? "changed" : "gone",
      kind,
      id,
      approved: fields,
      live: there?.fields,
      rule: there?.rule,
      isClosed: object.digest !== undefined,
    });
  }
  for (const { kind, id, fields, rule } of now.values()) {
    moved.push({
      zoneId,
      what: "new",
      kind,
      id,
      live: fields,
      rule,
      isClosed: isClosed && mayHoldSecrets(kind),
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
    return `${label} is another one (something in its zone is secret: not shown)`;
  return `${label}: ${changedFields({ approved, live })
    .map((name) => `${name} is ${valueText(live[name])}, was ${valueText(approved[name])}`)
    .join(", ")}`;
}

export function changedFields({
  approved = {},
  live = {},
}: Pick<Moved, "approved" | "live">): readonly string[] {
  return [...new Set([...Object.keys(approved), ...Object.keys(live)])].filter(
    (name) => !isSameField(name, approved[name], live[name]),
  );
}

/** By meaning: spelling is no move. */
export function isSameField(name: string, left: unknown, right: unknown): boolean {
  if (isDeepStrictEqual(left, right)) return true;
  if (typeof left !== "string" || typeof right !== "string") return false;
  if (name === "expression") return normaliseExpression(left) === normaliseExpression(right);
  return name === "value" && policyMeaning(left) === policyMeaning(right);
}

async function isSame(
  approved: ApprovedObject,
  live: ZoneObject,
  zoneId: string,
  key: DigestKey,
): Promise<boolean> {
  if (approved.digest !== undefined) return approved.digest === (await digestOf(key, zoneId, live));
  return changedFields({ approved: approved.fields, live: live.fields }).length === 0;
}

/** Switches and states of a migration are no secrets, whatever else is. */
function mayHoldSecrets(kind: ZoneObject["kind"]): boolean {
  return kind !== "settings" && kind !== "migration";
}

function digestOf(key: DigestKey, zoneId: string, { kind, id, fields }: ZoneObject): Promise<string> {
  const meaning = Object.entries(fields).map(([name, value]) => [name, meaningOf(name, value)]);
  return secretDigest(key, `${zoneId}/${kind}/${id}`, Object.fromEntries(meaning));
}

function meaningOf(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (name === "expression") return normaliseExpression(value);
  return name === "value" ? policyMeaning(value) : value;
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
