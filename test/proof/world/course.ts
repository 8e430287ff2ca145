import { isDeepStrictEqual } from "node:util";
import type { Backup } from "../../provider/small-engine/checkpoint";
import { keptIds, policyIdsOf, recordedIds, releasedIds } from "./checkpoint";
import type { Declarations } from "./declarations";
import type { Operation } from "./operation";
import type { Picture } from "./picture";

/** What an operation is to do, and who does it. */
export interface Plan {
  readonly program: Declarations;
  readonly pipelines?: number;
  readonly refresh?: boolean;
  /** It reads the state, and nothing more. */
  readonly isReading?: boolean;
  /** Resources that are replaced whatever they say. */
  readonly forced?: readonly string[];
  /** Something is replaced whatever it says, or by any change. */
  readonly isReplacing?: boolean;
  /** Where they are replaced, they are deleted before they are made anew. */
  readonly deletedFirst?: readonly string[];
}

/** An operation from its checkpoint before to the one after. */
export interface Course extends Operation {
  readonly backupBefore: Backup;
  readonly backup: Backup;
  readonly after: Picture;
  /** It reads the state, and nothing more. */
  readonly isReading: boolean;
  /** What somebody did meanwhile was to the settings. */
  readonly isSwitchDisturbed: boolean;
  /** It was replaced whatever it says: nobody was shown what was on record of it, but for a refresh. */
  isMadeAnew(name: string): boolean;
  /** It may have been deleted and made again: what it has found then nobody else has seen. */
  mayBeDeletedFirst(name: string): boolean;
  /** Its provider works on unseen. */
  readonly isOrphaned: boolean;
}

/** What was seen of it. */
type Seen = Omit<
  Course,
  | "program"
  | "refresh"
  | "isReading"
  | "recorded"
  | "recordedBefore"
  | "replaced"
  | "kept"
  | "released"
  | "isNew"
  | "isMadeAnew"
  | "mayBeDeletedFirst"
>;

export function courseOf(
  { program, refresh = false, isReading = false, forced = [], deletedFirst = [] }: Plan,
  seen: Seen,
): Course {
  const { backup, backupBefore } = seen;
  const before = new Map(backupBefore.state);
  const after = new Map(backup.state);
  return {
    ...seen,
    program,
    refresh,
    isReading,
    recorded: recordedIds(backup),
    recordedBefore: recordedIds(backupBefore),
    replaced: policyIdsOf(backupBefore, forced),
    kept: keptIds(backupBefore),
    released: releasedIds(backupBefore, program),
    isNew: (name) => forced.includes(name) || deletedFirst.includes(name) || !before.has(name),
    mayBeDeletedFirst: (name) => deletedFirst.includes(name),
    isMadeAnew: (name) =>
      forced.includes(name) && !isDeepStrictEqual(before.get(name)?.outputs, after.get(name)?.outputs),
  };
}
