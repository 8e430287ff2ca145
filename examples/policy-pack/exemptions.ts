import type { PolicyConfigSchema, ReportViolation } from "@pulumi/policy";
import { shown } from "pulumi-page-guard/policy";

/** One exception to one rule, for one resource, with a reason and an end date. */
interface Exemption {
  /** Name of the resource in the program, which is the last part of its URN; `name/key` for one policy of a set. */
  readonly resource: string;
  /** The name in brackets at the end of the violation. */
  readonly rule: string;
  readonly reason: string;
  /** The last day on which the exemption is valid, such as 2026-12-31. */
  readonly until: string;
}

interface WithExemptions {
  readonly exemptions?: readonly Exemption[];
}

/** Configuration that every policy of the pack accepts. */
export const exemptions = {
  exemptions: {
    type: "array",
    items: {
      type: "object",
      properties: {
        resource: { type: "string", minLength: 1 },
        rule: { type: "string", minLength: 1 },
        reason: { type: "string", minLength: 10 },
        until: { type: "string", pattern: "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$" },
      },
      required: ["resource", "rule", "reason", "until"],
      additionalProperties: false,
    },
  },
} as const satisfies PolicyConfigSchema["properties"];

export interface Violation {
  /** Name of the resource; `name/key` for one policy of a set. */
  readonly resource: string;
  readonly rule: string;
  readonly text: string;
  readonly urn?: string;
}

/** Returns a function that reports a violation, unless an exemption for it is valid today. */
export function reporter(
  { getConfig }: { getConfig<T extends object>(): T },
  report: ReportViolation,
): (violation: Violation) => void {
  const known = [...(getConfig<WithExemptions>().exemptions ?? [])];
  const today = new Date().toISOString().slice(0, 10);
  return ({ resource, rule, text, urn }) => {
    const ours = known.filter((one) => one.resource === resource && one.rule === rule);
    if (ours.some(({ until }) => isDay(until) && today <= until)) return;
    const last = ours
      .filter(({ until }) => isDay(until))
      .sort((a, b) => (a.until < b.until ? -1 : 1))
      .at(-1);
    const over = last
      ? ` Its exemption ended on ${last.until}: ${last.reason}`
      : ours.length > 0 && ` Its exemption is not valid: ${ours[0]?.until} is not a valid date.`;
    // Escape the text: names may come from data, and the engine prints violations unescaped.
    report(`${shown(`${resource}: ${text}${over || ""}`, { max: 1000 })} [${rule}]`, urn);
  };
}

/** Whether a string is a valid date. `Date.parse` alone would read 2026-02-31 as 3 March. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
