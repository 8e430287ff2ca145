import { canonical } from "pulumi-page-guard/tools";
import { sealOfText } from "../approval/seal";
import type { AuditRuns, RunLine } from "../reports/audit/report-data";
import { distinct } from "../shared/values";

/**
 * Returns a line that is chained to all ends: `after` lists the seals of the ends, and `chain` is the line's own seal. An end is a
 * chained line to which no other line is chained yet. Two jobs that add a line at the same time leave two ends, and the next line
 * joins them. So the order of lines and files does not matter.
 */
export function chained(line: RunLine, ends: readonly string[], key: string | undefined) {
  const joined = { ...line, after: [...ends] };
  return { ...joined, chain: sealOfLine(joined, key) };
}

function sealOfLine({ chain: _, ...line }: RunLine, key: string | undefined): string {
  return sealOfText(`${(line.after ?? []).join("\n")}\n${canonical(line)}`, key);
}

/**
 * Returns the ends and, as `chain`, whether all chained lines are as they were recorded: none was changed, copied or removed, and
 * none was added without `key`. The removal of only the last lines goes unnoticed. If the chain has no key, anyone can compute a
 * valid chain. Lines without `chain` are written by people. They may be about alerts, but not about zones.
 */
export function inspectChain(lines: readonly RunLine[], key: string | undefined) {
  const byJobs = lines.filter(({ chain }) => chain !== undefined);
  const chains = new Set(byJobs.map(({ chain = "" }) => chain));
  const joined = new Set(byJobs.flatMap(({ after = [] }) => after));
  const isWhole =
    chains.size === byJobs.length &&
    [...joined].every((one) => chains.has(one)) &&
    lines.every(({ chain, zones }) => chain !== undefined || zones === undefined);
  const [state = "none", ...others] = distinct(byJobs.map((line) => stateOf(line, key)));
  return {
    chain: isWhole && others.length === 0 ? state : "broken",
    ends: [...chains].filter((one) => !joined.has(one)).sort(),
  };
}

function stateOf(line: RunLine, key: string | undefined): AuditRuns["chain"] {
  const isKeyed = line.chain?.startsWith("hmac-") === true;
  if (isKeyed && key === undefined) return "not checked";
  if (line.chain !== sealOfLine(line, isKeyed ? key : undefined)) return "broken";
  // If the key is given, a line that was sealed without it comes from somebody who does not have the key.
  return isKeyed ? "keyed" : key === undefined ? "not keyed" : "broken";
}
