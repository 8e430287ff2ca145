import type { Bar, Chart } from "./charts";
import type { AuditData, AuditReport, AuditScript } from "./report-data";

const dayMs = 24 * 60 * 60 * 1000;
const mostHosts = 10;
const months = 12;

/** Scripts by host, first seen, scores; policies and WAF. */
export interface Glance {
  readonly bars: readonly Chart[];
  readonly columns: readonly Chart[];
}

export function glanceOf({ head, data }: Pick<AuditReport, "head" | "data">, threshold: number): Glance {
  const scripts = scriptsOf(data).filter(({ versions }) => versions > 0);
  const policies = data.zones.flatMap((zone) => zone.policies ?? []);
  const off = policies.filter(({ enabled }) => !enabled).length;
  const enforced = policies.filter(({ enabled, action }) => enabled && action === "allow").length;
  return {
    columns: [
      chart("first-seen", "Scripts by month of first sight", firstSeen(scripts, Date.parse(head.madeAt))),
      chart(
        "scores",
        `Scripts by integrity score (below ${threshold}: malicious)`,
        scores(scripts, threshold),
      ),
    ],
    bars: [
      chart("hosts", "Scripts by host", byHost(scripts)),
      chart("policies", "Policies", [
        { label: "enforced", value: enforced },
        { label: "logging", value: policies.length - off - enforced },
        { label: "switched off", value: off },
      ]),
      chart("waf", "WAF in force, by zone", wafInForce(data)),
    ],
  };
}

export function scriptsOf(data: AuditData): readonly AuditScript[] {
  return data.zones.flatMap(({ scripts }) => scripts ?? []);
}

function chart(id: string, title: string, bars: readonly Bar[]): Chart {
  const summary = bars.map(({ label, value }) => `${label}: ${value}`).join("; ");
  return { id: `chart-${id}`, title, summary, bars };
}

function byHost(scripts: readonly AuditScript[]): Bar[] {
  const counts = new Map<string, { value: number; isAlarm: boolean }>();
  for (const { host, malicious } of scripts) {
    const known = counts.get(host);
    const isAlarm = malicious !== null;
    counts.set(host, { value: (known?.value ?? 0) + 1, isAlarm: isAlarm || (known?.isAlarm ?? false) });
  }
  const all = [...counts].sort(
    ([left, one], [right, other]) => other.value - one.value || (left < right ? -1 : 1),
  );
  const rest = all.slice(mostHosts);
  const others = rest.reduce((sum, [, { value }]) => sum + value, 0);
  return [
    ...all.slice(0, mostHosts).map(([label, { value, isAlarm }]) => ({
      ...{ label: label || "(no host)", value },
      ...(isAlarm && { isAlarm }),
    })),
    ...(rest.length > 0 ? [{ label: `${rest.length} more hosts`, value: others }] : []),
  ];
}

/** The last twelve months; what is older comes before them. */
function firstSeen(scripts: readonly AuditScript[], now: number): Bar[] {
  const end = new Date(now);
  const keys = Array.from({ length: months }, (_, index) =>
    new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - (months - 1 - index), 1))
      .toISOString()
      .slice(0, 7),
  );
  const counts = new Map<string, number>(keys.map((key) => [key, 0]));
  let earlier = 0;
  for (const { firstSeen: seen } of scripts) {
    const key = seen?.slice(0, 7) ?? "";
    const known = counts.get(key);
    if (known !== undefined) counts.set(key, known + 1);
    else if (key !== "" && key < (keys[0] ?? "") && Date.parse(seen ?? "") < now + dayMs) earlier += 1;
  }
  return [
    { label: "before", value: earlier },
    ...[...counts].map(([key, value]) => ({ label: `${key.slice(5)}/${key.slice(2, 4)}`, value })),
  ];
}

function scores(scripts: readonly AuditScript[], threshold: number): Bar[] {
  const bins = Array.from({ length: 10 }, () => 0);
  let unknown = 0;
  for (const { score } of scripts) {
    const bin = score === null ? undefined : Math.min(9, Math.max(0, Math.floor(score / 10)));
    if (bin === undefined) unknown += 1;
    else bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return [
    ...bins.map((value, index) => ({
      label: index === 0 ? "1–9" : `${index * 10}s`,
      value,
      ...((index + 1) * 10 <= threshold && { isAlarm: true }),
    })),
    { label: "none", value: unknown },
  ];
}

const wafNames = {
  previous: "previous version",
  both: "both (validation)",
  next: "new managed rules",
  none: "none",
  unknown: "not known",
};

function wafInForce(data: AuditData): Bar[] {
  const kinds = data.zones.map(({ waf }): keyof typeof wafNames => {
    if (!waf || waf.previous === null || waf.next === null)
      return waf?.position === "finished" ? "next" : "unknown";
    if (waf.previous && waf.next) return "both";
    return waf.next ? "next" : waf.previous ? "previous" : "none";
  });
  return (["previous", "both", "next", "none", "unknown"] as const)
    .map((kind) => ({
      label: wafNames[kind],
      value: kinds.filter((one) => one === kind).length,
      ...(kind === "none" && { isAlarm: true }),
    }))
    .filter(({ value }) => value > 0);
}
