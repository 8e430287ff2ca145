import { changedFields, paired, shown } from "pulumi-page-guard/tools";
import { type ApprovedZone, isSealed, type ZoneObject } from "./zone-contents";

/** An object of a zone that is not as it was approved. */
export interface Moved {
  readonly zoneId: string;
  readonly kind: ZoneObject["kind"];
  readonly id: string;
  /** As it was; undefined if it is new. */
  readonly approved: ZoneObject | undefined;
  /** As it is; undefined if it is gone. */
  readonly live: ZoneObject | undefined;
}

/** What differs in a zone, both sides sealed or none. */
export function movedIn(approved: ApprovedZone, now: ApprovedZone): readonly Moved[] {
  const { zoneId } = approved;
  const place = ({ kind, id }: ZoneObject): string => `${kind} ${id}`;
  return paired(approved.objects, place, now.objects, place).flatMap(({ left, right }) => {
    const { kind, id } = left ?? right;
    if (left && right && changedFields(kind, left.fields, right.fields).length === 0) return [];
    return [{ zoneId, kind, id, approved: left, live: right }];
  });
}

/** `the policy "checkout" (1a2b…): expression is "…", was "…"`. Safe to show. */
export function movedText({ kind, id, approved, live }: Moved): string {
  const label = labelOf(kind, id, (approved ?? live)?.fields);
  if (!approved) return `${label} is new`;
  if (!live) return `${label} is gone`;
  if (isSealed(approved) || isSealed(live))
    return `${label} has changed (not shown: something in its zone is secret)`;
  const [before, now] = [approved.fields, live.fields];
  return `${label}: ${changedFields(kind, before, now)
    .map((name) => `${name} is ${valueText(now[name])}, was ${valueText(before[name])}`)
    .join(", ")}`;
}

function labelOf(kind: ZoneObject["kind"], id: string, fields: ZoneObject["fields"] = {}): string {
  const { description } = fields;
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
