import { MigrationError } from "../../errors/migration-error";
import type { Run } from "../../lifecycle/run";

/**
 * The record of the one finishing request is what keeps it from being sent twice, so nothing is begun where the engine is
 * told to write no record before its very end.
 */
export function refuseWithoutCheckpoints({ skipsCheckpoints }: Run, zoneId: string): void {
  if (!skipsCheckpoints) return;
  throw new MigrationError(
    "migration-without-checkpoints",
    {
      what: "PULUMI_SKIP_CHECKPOINTS is set, so the engine records nothing before the whole run has ended.",
      why: "A run that is cut off would forget what was sent, and that record is what keeps the finish from being sent twice.",
      fix: "Nothing was sent. Unset it for the stack that holds a WafMigration; once the migration is finished it hinders nothing.",
    },
    { zoneId },
  );
}
