import { isDeepStrictEqual } from "node:util";
import type { Backup } from "../../provider/small-engine/checkpoint";
import { keptIds, policyIdsOf, recordedIds, releasedIds } from "./checkpoint";
import type { Declarations } from "./declarations";
import type { Picture } from "./picture";

/** An operation as it was requested. */
export interface Plan {
  readonly program: Declarations;
  /** Whether the operation first refreshes the state. */
  readonly refresh?: boolean;
  /** Whether the operation only refreshes the state. */
  readonly isReading?: boolean;
  /** Resources that are replaced even without a change. */
  readonly forced?: readonly string[];
  /** Resources that are deleted before they are recreated if they are replaced. */
  readonly deletedFirst?: readonly string[];
}

/** Observations about an operation. */
interface Seen {
  readonly before: Picture;
  readonly after: Picture;
  readonly backupBefore: Backup;
  readonly backup: Backup;
  /** Programs of all processes that worked, also of a process that continues after its CLI died. */
  readonly programs: readonly Declarations[];
  /** Message of the failure; empty if the operation succeeded. */
  readonly failure: string;
  /** Whether something died, or another process wrote the checkpoint, so that the state may lack changes. */
  readonly mayHaveLost: boolean;
  /** Whether someone worked in the dashboard during the operation; `isSwitchDisturbed`: whether they changed a setting. */
  readonly isDisturbed: boolean;
  readonly isSwitchDisturbed: boolean;
  /** Whether the provider continues after its CLI died. */
  readonly isOrphaned: boolean;
  /** Number of creates that were carried out, but whose answers were lost and after which a read failed. */
  readonly unclearCreates: number;
  /** Paths of all changing requests. */
  readonly writesTo: ReadonlySet<string>;
}

/** All facts about an operation that the checks need, with the checkpoints before and after it. */
export type Course = ReturnType<typeof courseOf>;

export function courseOf(
  { program, refresh = false, isReading = false, forced = [], deletedFirst = [] }: Plan,
  seen: Seen,
) {
  const { backup, backupBefore } = seen;
  const before = new Map(backupBefore.state);
  const after = new Map(backup.state);
  return {
    ...seen,
    program,
    refresh,
    isReading,
    /** Ids of policies and rules in the checkpoint now, and before the operation. */
    recorded: recordedIds(backup),
    recordedBefore: recordedIds(backupBefore),
    /** Policies of resources that were replaced. No other resource may adopt them, even if they stay in the zone. */
    replaced: policyIdsOf(backupBefore, forced),
    /** Policies in the checkpoint before that have to stay in the zone, and those of them that are no longer declared. */
    kept: keptIds(backupBefore),
    released: releasedIds(backupBefore, program),
    /** Whether a resource was not in the checkpoint before, or was replaced by force, or was deleted first. */
    isNew: (name: string) => forced.includes(name) || deletedFirst.includes(name) || !before.has(name),
    /** Whether a resource may have been deleted and recreated, so that nobody else has seen what it found. */
    mayBeDeletedFirst: (name: string) => deletedFirst.includes(name),
    /** Whether a resource was replaced by force, so that the provider got no old state of it. */
    isMadeAnew: (name: string) =>
      forced.includes(name) && !isDeepStrictEqual(before.get(name)?.outputs, after.get(name)?.outputs),
  };
}
