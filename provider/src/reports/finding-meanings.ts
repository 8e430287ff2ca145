import { findingTable } from "../errors/finding-code";
import type { FindingMeaning } from "../errors/findings/finding-meaning";

type Meaning = Pick<FindingMeaning, "concern" | "means">;

const meanings: ReadonlyMap<string, Meaning> = new Map(Object.entries(findingTable));

/** Of a finding, a lint rule or an error. */
export function meaningOf(code: string): Meaning {
  const means = code.startsWith("csp-lint-")
    ? "A lint rule has found something in a policy's text; docs/csp-lint-rules.md has them all."
    : "An error; the README has a table of them.";
  return meanings.get(code) ?? { concern: "rest", means };
}
