import { enumerate, pluralize } from "../text/shown";
import type { CodeOf } from "./findings";
import { type ErrorFacts, type Explanation, PageGuardError } from "./page-guard-error";

/** Writing the declared list would delete unmanaged rules. */
export class ForeignRulesError extends PageGuardError {
  /** `rules`: a label of each rule, safe to show. `isNew`: whether the resource has no state. */
  constructor(zoneId: string, rules: readonly string[], isNew: boolean) {
    super(
      "PG_FOREIGN_RULES",
      { operation: "write the rules", zoneId, property: "rules" },
      {
        what: `the managed WAF entry point of the zone has ${pluralize(rules.length, "rule")} that no resource of this stack declares: ${enumerate(rules)}.`,
        why: "They were created in the dashboard or with another tool, and writing the declared list would delete them.",
        fix: `Declare them too, or decide what happens to them: foreignRules "keep" leaves them in their places, "overwrite" deletes them.${hintIfNew(isNew)}`,
      },
    );
  }
}

/** A declared rule has the `ref` of an unmanaged rule, so sending the declared rule would change the unmanaged rule. */
export class RefInUseError extends PageGuardError {
  /** `theirs`: label of the unmanaged rule. `differs`: the fields that differ, with both values. */
  constructor(
    zoneId: string,
    index: number,
    ref: string,
    {
      theirs,
      differs,
      isNew,
    }: { readonly theirs: string; readonly differs: string; readonly isNew: boolean },
  ) {
    super(
      "PG_REF_IN_USE",
      { operation: "write the rules", zoneId, property: `rules[${index}].ref` },
      {
        what: `"${ref}" is the ref of an unmanaged rule: ${theirs}. It differs in ${differs}.`,
        why: "A list can have each ref only once, so writing the declared rule would change the unmanaged one.",
        fix: `Give the declared rule another ref, or declare the rule exactly as it is in the zone: then it is adopted. If it is all right to change the rule, for example because one of your own interrupted updates created it, set foreignRules "overwrite" for one update, which also deletes all other unmanaged rules.${hintIfNew(isNew)}`,
      },
    );
  }
}

/** In a replacement that an option or flag asks for, the engine passes no state, so the resource does not know its own rules. */
function hintIfNew(isNew: boolean): string {
  const hint =
    "first apply the edit of its rules in an update of its own: in a replacement it does not know its earlier rules.";
  return isNew ? ` If this resource is being replaced (replacementTrigger, --replace, taint), ${hint}` : "";
}

type MigrationFinding = Extract<CodeOf<"error">, `migration-${string}`>;

type MigrationExplanation = Explanation &
  Pick<ErrorFacts, "operation" | "property"> & { readonly cause?: unknown };

/** The migration was not started, was not finished, or cannot be undone. The explanation says which, and what to do. */
export class MigrationError extends PageGuardError {
  /** `finding`: code with which a preview reports the same problem. */
  constructor(
    readonly finding: MigrationFinding,
    zoneId: string | undefined,
    { operation = "migrate the WAF", property, cause, ...explanation }: MigrationExplanation,
  ) {
    super("PG_MIGRATION", { operation, zoneId, property }, explanation, cause);
  }
}
