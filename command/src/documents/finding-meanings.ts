import { findingTable } from "pulumi-page-guard/tools";

type Row = (typeof findingTable)[keyof typeof findingTable];
type Meaning = Pick<Row, "concern" | "means"> & Partial<Row>;

const meanings: ReadonlyMap<string, Meaning> = new Map(Object.entries(findingTable));

/**
 * Returns the meaning of a code. `concern` names the group of the review for findings with this code; errors have a group of
 * their own.
 */
export function findMeaning(code: string): Meaning {
  const means = code.startsWith("csp-lint-")
    ? "A finding of a lint rule in a policy's text; docs/csp-lint-rules.md lists all rules."
    : "An error; docs/errors.md lists all errors.";
  return meanings.get(code) ?? { concern: "rest", means };
}
