import { pairByKey } from "../../shared/values";
import { type MergedScript, mergeRows } from "./merge-rows";
import type { AuditChange, AuditPolicy, AuditScript, AuditZone, ZoneRun } from "./report-data";

type Change = NonNullable<ZoneRun["changes"]>[number];
type Side = string | boolean | null | undefined;

const getId = ({ id }: { readonly id: string }): string => id;

/** Returns the changes in a zone since an earlier report, except in parts that either report could not read. */
export function zoneChanges(before: AuditZone, after: AuditZone): Change[] {
  const settings = { enabled: [before.settings?.enabled, after.settings?.enabled] } as const;
  return [
    ...(before.scripts && after.scripts ? scriptChanges(before.scripts, after.scripts) : []),
    ...(before.policies && after.policies
      ? pairByKey(before.policies, getId, after.policies, getId).flatMap((pair) =>
          policyChanges(pair.left, pair.right),
        )
      : []),
    ...(before.settings && after.settings ? makeChange("settings", "Page Guard", settings) : []),
  ];
}

/** Pairs scripts that share a URL. Scripts that share no URL are paired if they have the same `key`. */
function scriptChanges(before: readonly AuditScript[], after: readonly AuditScript[]): Change[] {
  const lefts = mergeRows(before);
  const known = new Map(lefts.flatMap((one) => [one.key, ...one.urls].map((name) => [name, one])));
  const pairs = mergeRows(after).map((right) => {
    const [left] = [...right.urls, right.key].flatMap((name) => known.get(name) ?? []);
    return [left, right] as const;
  });
  const paired = new Set(pairs.map(([left]) => left));
  const gone = lefts.filter((one) => !paired.has(one)).map((left) => [left, undefined] as const);
  return [...pairs, ...gone].flatMap(([left, right]) => scriptChange(left, right));
}

function scriptChange(left: MergedScript | undefined, right: MergedScript | undefined): Change[] {
  const subject = right?.url ?? left?.url ?? "";
  const wasSeen = left !== undefined && left.urls.length > 0;
  const isSeen = right !== undefined && right.urls.length > 0;
  const isAlarm = right?.malicious && !left?.malicious;
  const alarm = isAlarm ? makeChange("script", subject, { why: [null, right.malicious] }, "malicious") : [];
  if (isSeen && !wasSeen) return [{ kind: "script", change: "new", subject, details: [] }, ...alarm];
  if (wasSeen && !isSeen) return [{ kind: "script", change: "gone", subject, details: [] }];
  if (!left || !right) return [];
  // An unknown hash does not count as a change.
  const isKnown = left.hashes.length > 0 && right.hashes.length > 0;
  return [
    ...makeChange("script", subject, {
      URLs: [left.urls.join(" "), right.urls.join(" ")],
      hash: isKnown ? [left.hashes.join(" "), right.hashes.join(" ")] : [null, null],
      "served in between": [null, right.served.join(" ") || null],
      "approved by": [left.approvedBy.join(", ") || null, right.approvedBy.join(", ") || null],
      "approved on": [left.approvedOn.join(", ") || null, right.approvedOn.join(", ") || null],
    }),
    ...alarm,
  ];
}

function policyChanges(left: AuditPolicy | undefined, right: AuditPolicy | undefined): Change[] {
  const isBoth = left !== undefined && right !== undefined;
  // For a policy that is new or gone, `enabled` is listed only if it is false.
  const isOff = (left ?? right)?.enabled === false;
  const fields = isBoth
    ? (["description", "action", "enabled", "expression", "value"] as const)
    : (["action", ...(isOff ? (["enabled"] as const) : []), "value"] as const);
  const sides = Object.fromEntries(fields.map((field) => [field, [left?.[field], right?.[field]] as const]));
  const subject = right?.description ?? left?.description ?? "";
  return makeChange("policy", subject, sides, isBoth ? "changed" : left ? "gone" : "new");
}

/** Returns a change with the fields that differ; empty if no field differs. */
function makeChange(
  kind: AuditChange["kind"],
  subject: string,
  fields: Readonly<Record<string, readonly [before: Side, after: Side]>>,
  change: AuditChange["change"] = "changed",
): Change[] {
  const details = Object.entries(fields)
    .map(([field, [before, after]]) => ({
      field,
      before: before?.toString() ?? null,
      after: after?.toString() ?? null,
    }))
    .filter(({ before, after }) => before !== after);
  return details.length === 0 ? [] : [{ kind, change, subject, details }];
}
