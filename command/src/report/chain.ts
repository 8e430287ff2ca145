import { canonical } from "pulumi-page-guard/tools";
import { sealOfText } from "../approval/seal";
import type { AuditRuns, RunLine } from "../reports/audit/report-data";
import { distinct } from "../shared/values";

/**
 * Chains a line onto the ends: the chained lines onto which no other one is chained yet. Two jobs that add a line at the same
 * time leave two ends, and the next line joins them. So the order of lines and files does not matter, and a line is added to
 * whatever the branch has by then without being chained again.
 */
export function chained(line: RunLine, ends: readonly string[], key: string | undefined): RunLine {
  const joined = { ...line, after: [...ends] };
  return { ...joined, chain: sealOfLine(joined, ends, key) };
}

function sealOfLine({ chain: _, ...line }: RunLine, after: readonly string[], key: string | undefined) {
  return sealOfText(`${after.join("\n")}\n${canonical(line)}`, key);
}

/**
 * Whether the chained lines are those that jobs have added: none was changed, added, copied or removed, except that an end
 * can be removed unnoticed. Lines without `chain` were written by hand: they may tell of an alert, and of no zone.
 */
export function inspectChain(lines: readonly RunLine[], key: string | undefined) {
  const byJobs = lines.filter(({ chain }) => chain !== undefined);
  const chains = byJobs.map(({ chain = "" }) => chain);
  // Lines of earlier versions do not name the line before them.
  const after = byJobs.map((line, index) => line.after ?? chains.slice(Math.max(index - 1, 0), index));
  const known = new Set(chains);
  const isWhole =
    known.size === byJobs.length &&
    after.every((own) => own.every((one) => known.has(one))) &&
    lines.every(({ chain, zones }) => chain !== undefined || zones === undefined);
  const states = distinct(byJobs.map((line, index) => stateOf(line, after[index] ?? [], key)));
  const [state = "none", ...others] = states;
  const chain = isWhole && others.length === 0 ? state : "broken";
  const joined = new Set(after.flat());
  return { chain, ends: chains.filter((one) => !joined.has(one)).sort() };
}

function stateOf(line: RunLine, after: readonly string[], key: string | undefined): AuditRuns["chain"] {
  const isKeyed = line.chain?.startsWith("hmac-") === true;
  if (isKeyed && key === undefined) return "not checked";
  if (line.chain !== sealOfLine(line, after, isKeyed ? key : undefined)) return "broken";
  // With the key at hand, a line without it was written by someone who does not have it.
  return isKeyed ? "keyed" : key === undefined ? "not keyed" : "broken";
}
