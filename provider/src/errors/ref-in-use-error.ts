import { PageGuardError } from "./page-guard-error";

/** A declared rule has the `ref` of an unmanaged one: sent, it would change that one. */
export class RefInUseError extends PageGuardError {
  readonly code = "PG_REF_IN_USE";

  /** `theirs`: the rule that has the ref, as a person recognises it; `differs`: in which fields. */
  constructor(zoneId: string, index: number, ref: string, theirs: string, differs: string) {
    super(
      { operation: "write the rules", zoneId, property: `rules[${index}].ref` },
      {
        what: `"${ref}" is the ref of an unmanaged rule: ${theirs}. It differs in ${differs}.`,
        why: "A list holds each ref once, and writing the declared rule would change that one.",
        fix: `Give the declared rule another ref, or declare it exactly as it is there: then it is adopted. If you created it yourself in a run that was interrupted and edited it since, or if it may be changed: foreignRules "overwrite" for one update changes it.`,
      },
    );
  }
}
