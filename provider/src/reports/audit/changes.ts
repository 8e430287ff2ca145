import { isDeepStrictEqual } from "node:util";
import { paired } from "../../zone/compare";
import type { AuditChange, AuditData, AuditPolicy, AuditScript, AuditZone } from "./report-data";

type Change = Omit<AuditChange, "zone">;
type Detail = AuditChange["details"][number];

/** What is new, gone, changed or malicious since an earlier report. A part that either could not read is left out. */
export function changesBetween(before: AuditData, after: AuditData): AuditChange[] {
  const pairs = paired(
    before.zones,
    ({ id }) => id,
    after.zones,
    ({ id }) => id,
  );
  return pairs.flatMap(({ left, right }) => (left && right ? zoneChanges(left, right) : []));
}

function zoneChanges(before: AuditZone, after: AuditZone): AuditChange[] {
  const changes: Change[] = [
    ...(before.scripts && after.scripts ? scriptChanges(before.scripts, after.scripts) : []),
    ...(before.policies && after.policies ? policyChanges(before.policies, after.policies) : []),
    ...(before.settings && after.settings
      ? changed("settings", "Page Guard", [
          detail("enabled", before.settings.enabled, after.settings.enabled),
        ])
      : []),
    ...(before.waf && after.waf
      ? changed("waf", "WAF migration", [detail("position", before.waf.position, after.waf.position)])
      : []),
    ...(before.waf && after.waf && !isDeepStrictEqual(before.waf.rules, after.waf.rules)
      ? changed("waf", "rules of the managed entry point", [
          { field: "rules", before: rulesText(before.waf.rules), after: rulesText(after.waf.rules) },
        ])
      : []),
  ];
  return changes.map((change) => ({ zone: after.name, ...change }));
}

function scriptChanges(before: readonly AuditScript[], after: readonly AuditScript[]): Change[] {
  const pairs = paired(
    before,
    ({ key }) => key,
    after,
    ({ key }) => key,
  );
  return pairs.flatMap(({ left, right }): Change[] => {
    const subject = right?.url ?? left?.url ?? "";
    const isMalicious = right !== undefined && right.malicious !== null && !left?.malicious;
    const alarm: Change[] = isMalicious
      ? [
          {
            kind: "script",
            change: "malicious",
            subject,
            details: [{ field: "why", before: null, after: right.malicious }],
          },
        ]
      : [];
    if (!left) return [{ kind: "script", change: "new", subject, details: [] }, ...alarm];
    if (!right) return [{ kind: "script", change: "gone", subject, details: [] }];
    return [
      ...changed("script", subject, [
        // An unknown hash is not another one.
        ...(left.hashes.length > 0 && right.hashes.length > 0
          ? [detail("hash", left.hashes.join(" "), right.hashes.join(" "))]
          : []),
        detail("approved by", left.entry?.approved?.by, right.entry?.approved?.by),
        detail("approved on", left.entry?.approved?.on, right.entry?.approved?.on),
      ]),
      ...alarm,
    ];
  });
}

function policyChanges(before: readonly AuditPolicy[], after: readonly AuditPolicy[]): Change[] {
  const pairs = paired(
    before,
    ({ id }) => id,
    after,
    ({ id }) => id,
  );
  return pairs.flatMap(({ left, right }): Change[] => {
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

function rulesText(rules: NonNullable<AuditZone["waf"]>["rules"]): string {
  return rules
    .map(
      ({ description, does, expression, enabled }) =>
        `${description || "(no description)"}: ${does} if ${expression}${enabled ? "" : ", disabled"}`,
    )
    .join("; ");
}
