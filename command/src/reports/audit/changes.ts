import { groupBy } from "pulumi-page-guard/tools";
import { pairByKey } from "../../shared/values";
import type { AuditChange, AuditPolicy, AuditScript, AuditZone, ZoneRun } from "./report-data";

type Change = NonNullable<ZoneRun["changes"]>[number];
type Side = string | boolean | null | undefined;

const getId = ({ id }: { readonly id: string }): string => id;

/**
 * Returns changes in a zone since an earlier report: items that are new, gone, changed or malicious. Leaves out parts that
 * either report could not read.
 */
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

/**
 * Pairs scripts by URL. Scripts that share no URL are paired by `key`: the pattern of all versions, or the URL. A script that
 * several entries match has several rows. Such a script is new, or gone, only if the other side has no row for it.
 */
function scriptChanges(before: readonly AuditScript[], after: readonly AuditScript[]): Change[] {
  const byKey = groupBy(before, ({ key }) => key);
  const byUrl = groupBy(
    before.flatMap((row) => row.urls.map((url) => ({ url, row }))),
    ({ url }) => url,
  );
  const urlsNow = new Set(after.flatMap(({ urls }) => urls));
  const open = new Set(before);
  const take = (rows: readonly AuditScript[]): AuditScript | undefined => {
    const one = rows.find((row) => open.has(row));
    if (one) open.delete(one);
    return one;
  };
  const sharing = ({ urls }: AuditScript) =>
    urls.flatMap((url) => byUrl.get(url) ?? []).map(({ row }) => row);
  const pairs = after.map((one) => [take(sharing(one)), one] as const);
  return [
    ...pairs.flatMap(([left, right]) => {
      const known = sharing(right);
      if (left === undefined && known.length > 0) return makeAlarm(known, right);
      return scriptChange(left ?? take(byKey.get(right.key) ?? []), right);
    }),
    ...[...open]
      .filter(({ urls }) => !urls.some((url) => urlsNow.has(url)))
      .flatMap((left) => scriptChange(left, undefined)),
  ];
}

function makeAlarm(before: readonly AuditScript[], after: AuditScript): Change[] {
  if (!after.malicious || before.some(({ malicious }) => malicious)) return [];
  return makeChange("script", after.url, { why: [null, after.malicious] }, "malicious");
}

function scriptChange(left: AuditScript | undefined, right: AuditScript | undefined): Change[] {
  const subject = right?.url ?? left?.url ?? "";
  const wasSeen = (left?.versions ?? 0) > 0;
  const isSeen = (right?.versions ?? 0) > 0;
  const alarm = right ? makeAlarm(left ? [left] : [], right) : [];
  if (isSeen && !wasSeen) return [{ kind: "script", change: "new", subject, details: [] }, ...alarm];
  if (wasSeen && !isSeen) return [{ kind: "script", change: "gone", subject, details: [] }];
  if (!left || !right) return [];
  // An unknown hash does not count as a change.
  const isKnown = left.hashes.length > 0 && right.hashes.length > 0;
  return [
    ...makeChange("script", subject, {
      URLs: [left.urls.join(" "), right.urls.join(" ")],
      hash: isKnown ? [left.hashes.join(" "), right.hashes.join(" ")] : [null, null],
      "served in between": [null, right.served.map(({ hash }) => hash).join(" ") || null],
      "approved by": [left.entry?.approved?.by, right.entry?.approved?.by],
      "approved on": [left.entry?.approved?.on, right.entry?.approved?.on],
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
