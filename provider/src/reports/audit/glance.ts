import { compareTexts, grouped } from "../../text/grouped";
import { dayMs } from "./cadence";
import { type Bar, type Chart, inWords } from "./charts";
import type { AuditData, AuditReport, AuditScript, AuditZone } from "./report-data";

const mostHosts = 10;
const months = 12;

/** Charts: scripts by host, first seen, scores; policies and WAF. */
export function glanceOf({ head, data }: Pick<AuditReport, "head" | "data">) {
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
  const all = [...grouped(scripts, ({ host }) => host)].sort(
    ([left, some], [right, others]) => others.length - some.length || compareTexts(left, right),
  );
  const rest = all.slice(mostHosts);
  return [
    ...all.slice(0, mostHosts).map(([host, some]) => hostBar(host || "(no host)", some)),
    ...(rest.length > 0
      ? [
          hostBar(
            `${rest.length} more hosts`,
            rest.flatMap(([, some]) => some),
          ),
        ]
      : []),
  ];
}

function hostBar(label: string, scripts: readonly AuditScript[]): Bar {
  return {
    label,
    value: scripts.length,
    alarm: scripts.filter(({ malicious }) => malicious !== null).length,
  };
}

const monthNames = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The last twelve months; what is older comes before them. */
function firstSeen(scripts: readonly AuditScript[], now: number): Bar[] {
  const end = new Date(now);
  const keys = Array.from({ length: months }, (_, index) =>
    new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - (months - 1 - index)))
      .toISOString()
      .slice(0, 7),
  );
  const [first = ""] = keys;
  const times = scripts.flatMap((script) => script.firstSeen ?? []);
  const byMonth = grouped(times, (time) => time.slice(0, 7));
  const older = times.filter((time) => time !== "" && time < first && Date.parse(time) < now + dayMs);
  return [
    { label: "older", value: older.length },
    ...keys.map((key) => ({
      label: monthNames[Number(key.slice(5)) - 1] ?? key,
      value: byMonth.get(key)?.length ?? 0,
    })),
  ];
}

function scores(scripts: readonly AuditScript[], threshold: number): Bar[] {
  const bins = grouped(scripts, ({ score }) =>
    score === null ? "none" : Math.min(9, Math.max(0, Math.floor(score / 10))),
  );
  const count = (bin: number | "none"): number => bins.get(bin)?.length ?? 0;
  return [
    ...Array.from({ length: 10 }, (_, bin) => ({
      ...{ label: bin === 0 ? "1–9" : `${bin * 10}s`, value: count(bin) },
      ...((bin + 1) * 10 <= threshold && { alarm: count(bin) }),
    })),
    { label: "none", value: count("none") },
  ];
}

export const wafNames = {
  previous: "previous version",
  both: "both (validation)",
  next: "new managed rules",
  none: "none",
  unknown: "not known",
};

export function inForce(waf: AuditZone["waf"]): keyof typeof wafNames {
  if (!waf || waf.previous === null || waf.next === null)
    return waf?.position === "finished" ? "next" : "unknown";
  if (waf.next) return waf.previous ? "both" : "next";
  return waf.previous ? "previous" : "none";
}

function wafInForce({ zones }: AuditData): Bar[] {
  const zonesBy = grouped(zones, ({ waf }) => wafNames[inForce(waf)]);
  return Object.values(wafNames).flatMap((label) => {
    const value = zonesBy.get(label)?.length ?? 0;
    return value === 0 ? [] : [{ label, value, ...(label === wafNames.none && { alarm: value }) }];
  });
}
