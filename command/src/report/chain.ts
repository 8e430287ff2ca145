import { canonical } from "pulumi-page-guard/tools";
import { sealOfText } from "../approval/seal";
import type { AuditRuns, RunLine } from "../reports/audit/report-data";
import { distinct } from "../shared/values";

/**
 * Chains a line to the ends: the chained lines to which no other line is chained yet. Two jobs that add a line at the same time
 * leave two ends, and the next line joins them. So the order of lines and files does not matter, and a job need not chain its
 * line again if other jobs have added lines to the branch in the meantime.
 */
export function chained(line: RunLine, ends: readonly string[], key: string | undefined): RunLine {
  const joined = { ...line, after: [...ends] };
  return { ...joined, chain: sealOfLine(joined, ends, key) };
}

function sealOfLine({ chain: _, ...line }: RunLine, after: readonly string[], key: string | undefined) {
  return sealOfText(`${after.join("\n")}\n${canonical(line)}`, key);
}

/**
 * Checks that nobody has changed, added, copied or removed a line since jobs chained the lines. Only the removal of an end goes
 * unnoticed. People write lines without `chain` by hand: such a line may be about an alert, but not about a zone.
 */
export function inspectChain(lines: readonly RunLine[], key: string | undefined) {
  const byJobs = lines.filter(({ chain }) => chain !== undefined);
  const chains = byJobs.map(({ chain = "" }) => chain);
  // Lines that earlier versions of the command wrote do not name the line before them.
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
  // If the key is given, a line that was sealed without it is from somebody who does not have the key.
  return isKeyed ? "keyed" : key === undefined ? "not keyed" : "broken";
}
