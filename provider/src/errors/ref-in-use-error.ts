import { PageGuardError } from "./page-guard-error";

/** A declared rule has the `ref` of somebody else's: sent, it would change that one. */
export class RefInUseError extends PageGuardError {
  readonly code = "PG_REF_IN_USE";

  /** `theirs`: the rule that has the ref, as a person finds it again; `differs`: in which fields. */
  constructor(zoneId: string, index: number, ref: string, theirs: string, differs: string) {
    super(
      {
        what: `"${ref}" is the ref of a rule that this stack did not make: ${theirs}. It differs in ${differs}.`,
        why: "A list holds each ref once, and writing the declared rule would change that one.",
        fix: `Give the declared rule another ref, or declare it exactly as it is there: then it is taken over. If you made it yourself in a run that was cut off, and edited it since, or if it may be changed: foreignRules "overwrite" for one update changes it.`,
      },
      { zoneId, property: `rules[${index}].ref` },
    );
  }
}
