import { isSwitchedOn, kindOf, listed } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";
import type { ApprovedContent } from "./approved-file";
import { resourceText } from "./resource-text";

/** Why a plan with a migration is not run where nobody has to approve. Undefined if it may run. */
export function unreviewedMigration(
  { steps, stack }: Pick<ApprovedContent, "steps" | "stack">,
  allow: readonly string[],
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (!isSwitchedOn(env["PAGE_GUARD_ALLOW_UNREVIEWED"])) return undefined;
  const word = `unreviewed-migration=${stack}`;
  const migrations = steps.filter(
    ({ type, op }) => kindOf(type) === "WafMigrationStep" && !/^(delete|discard|remove)/.test(op),
  );
  if (migrations.length === 0 || allow.includes(word)) return undefined;
  const named = listed(
    migrations.map(({ urn, type }) => resourceText(urn, type)),
    { most: 10, separator: ", " },
  );
  return `Nothing was changed. The plan has ${named}, which cannot be undone, and PAGE_GUARD_ALLOW_UNREVIEWED is set, so nobody had to approve. Read the plan. If you mean it, confirm it with the name of the stack:\n  --allow ${forTerminal(word, 200)}\n`;
}
