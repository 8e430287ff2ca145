import type {
  Attempt,
  MigrationPosition,
  Observation,
  State,
} from "../../../../provider/src/resources/waf-migration/state";

/** A zone before the migration, with only the previous WAF. */
export const untouched: Observation = {
  compatible: true,
  migrationState: "start",
  oldEnabled: true,
  newEnabled: false,
  checkGone: false,
  ruleCount: 0,
};
export const validated: Observation = {
  ...untouched,
  migrationState: "validation",
  newEnabled: true,
  ruleCount: 2,
  entrypointVersion: "1",
};
export const underWay: Observation = {
  ...validated,
  compatible: false,
  migrationState: "pending",
  entrypointVersion: "2",
};
export const over: Observation = { ...underWay, migrationState: "done", oldEnabled: false, newEnabled: true };

/** Time of each attempt in a state. */
export const sentAt = "2025-01-01T00:00:00.000Z";

type Answer = NonNullable<State["unclearAttempt"]>["outcome"];

const bases: Readonly<Record<string, Observation>> = { untouched, validated, underWay, over };
const fields: Readonly<Record<string, string>> = {
  fits: "compatible",
  name: "migrationState",
  old: "oldEnabled",
  new: "newEnabled",
  gone: "checkGone",
  rules: "ruleCount",
  version: "entrypointVersion",
};

/** Parses `validated name=x1 new=-`: the zone `validated` with these changes. `-` means that it is not reported. */
export function observed(text: string): Observation {
  const [base = "", ...changes] = text.split(" ");
  const changed = changes.map((change) => {
    const [field = "", word = ""] = change.split("=");
    const plain = { yes: true, no: false, "-": undefined };
    const value = field === "rules" ? Number(word) : word in plain ? Object(plain)[word] : word;
    return [fields[field], value];
  });
  return { ...bases[base], ...Object.fromEntries(changed) };
}

/**
 * Parses a state of comma-separated parts: `pending unknown ZONE` is an attempt and the zone before it, `seen ZONE` the last
 * observation, `said X` a person's answer about this attempt, `earlier X` about another one. Any other word is `reached`.
 */
export function recorded(text: string): State {
  const parts = text.split(", ").map((part): State => {
    const [, word = "", outcome = "", rest = ""] = /^(\w+)(?: (\w+))?(.*)$/.exec(part) ?? [];
    if (word === "seen") return { observed: observed(part.slice(5)) };
    if (word === "said" || word === "earlier") {
      const startedAt = word === "said" ? sentAt : "2020-01-01T00:00:00.000Z";
      return { unclearAttempt: { startedAt, outcome: outcome as Answer } };
    }
    if (outcome === "") return part === "" ? {} : { reached: part as MigrationPosition };
    const attempt = { mode: word, sentAt, outcome, before: observed(rest.trim()) };
    return { attempt: attempt as Attempt };
  });
  return Object.assign({}, ...parts);
}
