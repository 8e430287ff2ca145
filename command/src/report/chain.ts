import { canonicalize } from "pulumi-page-guard/tools";
import { sealText } from "../approval/seal";
import type { AuditRuns, RunLine } from "../documents/audit/report-data";
import { distinct } from "../shared/values";

/**
 * Returns a line that is chained to all ends: `after` lists the seals of the ends, and `chain` is the line's own seal. An end is
 * a chained line to which no other line is chained yet. If two jobs add a line at the same time, the chain has two ends, and the
 * next line is chained to both. Because lines name other lines by seal, the order of lines and files does not matter.
 */
export function chainLine(line: RunLine, ends: readonly string[], key: string | undefined) {
  const joined = { ...line, after: [...ends] };
  return { ...joined, chain: sealOfLine(joined, key) };
}

function sealOfLine({ chain: _, ...line }: RunLine, key: string | undefined): string {
  return sealText(`${(line.after ?? []).join("\n")}\n${canonicalize(line)}`, key);
}

/**
 * Returns the ends, and the state of the chain as `chain`. The chain is `broken` if a chained line was changed, copied or
 * removed, or added without `key`. If only the last lines were removed, this goes unnoticed. If the chain has no key, anyone can
 * compute a valid chain. Lines without `chain` come from people. Such lines may be about alerts, but a line about zones
 * breaks the chain.
 */
export function inspectChain(lines: readonly RunLine[], key: string | undefined) {
  const byJobs = lines.filter(({ chain }) => chain !== undefined);
  const chains = new Set(byJobs.map(({ chain = "" }) => chain));
  const joined = new Set(byJobs.flatMap(({ after = [] }) => after));
  const isWhole =
    chains.size === byJobs.length &&
    [...joined].every((one) => chains.has(one)) &&
    lines.every(({ chain, zones }) => chain !== undefined || zones === undefined);
  const [state = "none", ...others] = distinct(byJobs.map((line) => judgeLine(line, key)));
  return {
    chain: isWhole && others.length === 0 ? state : "broken",
    ends: [...chains].filter((one) => !joined.has(one)).sort(),
  };
}

/**
 * Whether a new line can follow these lines. With a key, the key must have sealed at least one of the chained lines, if there are
 * any. Without a key, no line may be sealed with a key.
 */
export function canFollow(lines: readonly RunLine[], key: string | undefined): boolean {
  const judged = lines.filter(({ chain }) => chain !== undefined).map((line) => judgeLine(line, key));
  return key === undefined
    ? !judged.includes("not checked")
    : judged.length === 0 || judged.includes("keyed");
}

function judgeLine(line: RunLine, key: string | undefined): AuditRuns["chain"] {
  const isKeyed = line.chain?.startsWith("hmac-") === true;
  if (isKeyed && key === undefined) return "not checked";
  if (line.chain !== sealOfLine(line, isKeyed ? key : undefined)) return "broken";
  // If a key is given, a line that was sealed without one was added by somebody who does not have the key.
  return isKeyed ? "keyed" : key === undefined ? "not keyed" : "broken";
}
