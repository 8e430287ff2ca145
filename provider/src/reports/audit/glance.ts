import { type Bar, type Chart, inWords } from "./charts";
import type { AuditData, AuditReport, AuditScript, AuditZone } from "./report-data";

const dayMs = 24 * 60 * 60 * 1000;
const mostHosts = 10;
const months = 12;

/** Scripts by host, first seen, scores; policies and WAF. */
export interface Glance {
  readonly bars: readonly Chart[];
  readonly columns: readonly Chart[];
}

export function glanceOf({ head, data }: Pick<AuditReport, "head" | "data">): Glance {
  const { threshold } = head;
  const scripts = scriptsOf(data).filter(({ versions }) => versions > 0);
  const policies = data.zones.flatMap((zone) => zone.policies ?? []);
  const off = policies.filter(({ enabled }) => !enabled).length;
  const enforced = policies.filter(({ enabled, action }) => enabled && action === "allow").length;
  return {
    columns: [
      chart(
        "first-seen",
        "Scripts by month of first sight, the last twelve",
        firstSeen(scripts, Date.parse(head.madeAt)),
      ),
      chart("scores", `Scripts by integrity score (red: below ${threshold})`, scores(scripts, threshold)),
    ],
    bars: [
      chart("hosts", "Scripts by host (red: malicious)", byHost(scripts)),
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
  const summary = bars.map(inWords).join("; ");
  return { id: `chart-${id}`, title, summary, bars };
}

function byHost(scripts: readonly AuditScript[]): Bar[] {
  const counts = new Map<string, { value: number; alarm: number }>();
  for (const { host, malicious } of scripts) {
    const { value, alarm } = counts.get(host) ?? { value: 0, alarm: 0 };
    counts.set(host, { value: value + 1, alarm: alarm + Number(malicious !== null) });
  }
  const all = [...counts].sort(
    ([left, one], [right, other]) => other.value - one.value || (left < right ? -1 : 1),
  );
  const rest = all.slice(mostHosts).map(([, one]) => one);
  const sum = (of: "value" | "alarm") => rest.reduce((all, one) => all + one[of], 0);
  return [
    ...all.slice(0, mostHosts).map(([label, one]) => ({ label: label || "(no host)", ...one })),
    ...(rest.length > 0
      ? [{ label: `${rest.length} more hosts`, value: sum("value"), alarm: sum("alarm") }]
      : []),
  ];
}

const monthNames = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

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
    { label: "older", value: earlier },
    ...[...counts].map(([key, value]) => ({ label: monthNames[Number(key.slice(5)) - 1] ?? key, value })),
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
      ...((index + 1) * 10 <= threshold && { alarm: value }),
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

export type InForce = keyof typeof wafNames;

export function inForce(waf: AuditZone["waf"]): InForce {
  if (!waf || waf.previous === null || waf.next === null)
    return waf?.position === "finished" ? "next" : "unknown";
  if (waf.previous && waf.next) return "both";
  return waf.next ? "next" : waf.previous ? "previous" : "none";
}

function wafInForce(data: AuditData): Bar[] {
  const kinds = data.zones.map(({ waf }) => inForce(waf));
  return (["previous", "both", "next", "none", "unknown"] as const)
    .map((kind) => {
      const value = kinds.filter((one) => one === kind).length;
      return { label: wafNames[kind], value, ...(kind === "none" && { alarm: value }) };
    })
    .filter(({ value }) => value > 0);
}
