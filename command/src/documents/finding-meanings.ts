import { findingTable } from "pulumi-page-guard/tools";

type Row = (typeof findingTable)[keyof typeof findingTable];
type Meaning = Pick<Row, "concern" | "means"> & Partial<Row>;

const meanings: ReadonlyMap<string, Meaning> = new Map(Object.entries(findingTable));

/** Returns the meaning of a code. `concern`: the group in which a review shows findings with this code, unless they are errors. */
export function findMeaning(code: string): Meaning {
  const means = code.startsWith("csp-lint-")
    ? "A finding of a lint rule in a policy's text; docs/csp-lint-rules.md lists all rules."
    : "An error; docs/errors.md lists all errors.";
  return meanings.get(code) ?? { concern: "rest", means };
}
