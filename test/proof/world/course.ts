import type { Backup } from "../../small-engine/checkpoint";
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
  | "unreplaced"
  | "replaced"
  | "kept"
  | "released"
  | "isNew"
>;

export function courseOf(
  { program, refresh = false, isReading = false, forced = [] }: Plan,
  seen: Seen,
): Course {
  const { backup, backupBefore } = seen;
  const stillHas = (name: string) => {
    const had = policyIdsOf(backupBefore, [name]);
    return [...policyIdsOf(backup, [name])].filter((id) => had.has(id));
  };
  return {
    ...seen,
    program,
    refresh,
    isReading,
    recorded: recordedIds(backup),
    recordedBefore: recordedIds(backupBefore),
    replaced: policyIdsOf(backupBefore, forced),
    // Each for itself: of two that are replaced at once one may take what the other one had.
    unreplaced: new Set(forced.flatMap(stillHas)),
    kept: keptIds(backupBefore),
    released: releasedIds(backupBefore, program),
    isNew: (name) => forced.includes(name) || backupBefore.state.every(([known]) => known !== name),
  };
}
