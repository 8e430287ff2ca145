import { paired } from "pulumi-page-guard/tools";
import type { AuditChange, AuditPolicy, AuditScript, AuditZone, ZoneRun } from "./report-data";

type Change = NonNullable<ZoneRun["changes"]>[number];
type Detail = AuditChange["details"][number];

const idOf = ({ id }: { readonly id: string }): string => id;

/** What is new, gone, changed or malicious in a zone since an earlier report. A part that either could not read is left out. */
export function zoneChanges(before: AuditZone, after: AuditZone): Change[] {
  return [
    ...onBoth(before.scripts, after.scripts, scriptChanges),
    ...onBoth(before.policies, after.policies, policyChanges),
    ...onBoth(before.settings, after.settings, (left, right) =>
      changed("settings", "Page Guard", [detail("enabled", left.enabled, right.enabled)]),
    ),
  ];
}

function onBoth<T>(before: T | null, after: T | null, compare: (before: T, after: T) => Change[]): Change[] {
  return before && after ? compare(before, after) : [];
}

type ScriptPair = readonly [before: AuditScript | undefined, after: AuditScript | undefined];

/** By key; else by a URL that both have: a script gets another key with its second version, and with its entry. */
function pairedScripts(before: readonly AuditScript[], after: readonly AuditScript[]): ScriptPair[] {
  const byKey = new Map(before.map((one) => [one.key, one]));
  const byUrl = new Map(before.flatMap((one) => one.urls.map((url) => [url, one] as const)));
  const open = new Set(before);
  const take = (one: AuditScript | undefined): AuditScript | undefined =>
    one !== undefined && open.delete(one) ? one : undefined;
  const withKey = new Map(after.map((one) => [one, take(byKey.get(one.key))]));
  const pairs = after.map((one): ScriptPair => {
    const shared = one.urls.map((url) => byUrl.get(url)).find((other) => other && open.has(other));
    return [withKey.get(one) ?? take(shared), one];
  });
  return [...pairs, ...[...open].map((one): ScriptPair => [one, undefined])];
}

function scriptChanges(before: readonly AuditScript[], after: readonly AuditScript[]): Change[] {
  return pairedScripts(before, after).flatMap(([left, right]): Change[] => {
    const subject = right?.url ?? left?.url ?? "";
    const wasSeen = left !== undefined && left.versions > 0;
    const isSeen = right !== undefined && right.versions > 0;
    const about = (change: Change["change"], details: Detail[] = []): Change[] => [
      { kind: "script", change, subject, details },
    ];
    const alarm =
      right && right.malicious !== null && !left?.malicious
        ? about("malicious", [{ field: "why", before: null, after: right.malicious }])
        : [];
    if (isSeen && !wasSeen) return [...about("new"), ...alarm];
    if (wasSeen && !isSeen) return about("gone");
    if (!left || !right) return [];
    return [
      ...changed("script", subject, [
        detail("URLs", left.urls.join(" "), right.urls.join(" ")),
        // An unknown hash is not another one.
        ...(left.hashes.length > 0 && right.hashes.length > 0
          ? [detail("hash", left.hashes.join(" "), right.hashes.join(" "))]
          : []),
        detail("served in between", null, right.served.map(({ hash }) => hash).join(" ") || null),
        detail("approved by", left.entry?.approved?.by, right.entry?.approved?.by),
        detail("approved on", left.entry?.approved?.on, right.entry?.approved?.on),
      ]),
      ...alarm,
    ];
  });
}

function policyChanges(before: readonly AuditPolicy[], after: readonly AuditPolicy[]): Change[] {
  return paired(before, idOf, after, idOf).flatMap(({ left, right }): Change[] => {
    const subject = right?.description ?? left?.description ?? "";
    if (left && right) {
      const fields = ["description", "action", "enabled", "expression", "value"] as const;
      return changed(
        "policy",
        subject,
        fields.map((field) => detail(field, left[field], right[field])),
      );
    }
    const { action, value } = left ?? right;
    const details = [
      detail("action", left && action, right && action),
      detail("value", left && value, right && value),
    ];
    return [{ kind: "policy", change: left ? "gone" : "new", subject, details }];
  });
}

function changed(kind: AuditChange["kind"], subject: string, details: readonly Detail[]) {
  const real = details.filter(({ before, after }) => before !== after);
  return real.length === 0 ? [] : [{ kind, change: "changed" as const, subject, details: real }];
}

function detail(
  field: string,
  before: string | boolean | null | undefined,
  after: string | boolean | null | undefined,
): Detail {
  return { field, before: before?.toString() ?? null, after: after?.toString() ?? null };
}
