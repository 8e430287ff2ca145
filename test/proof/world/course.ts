import { isDeepStrictEqual } from "node:util";
import type { Backup } from "../../provider/small-engine/checkpoint";
import { keptIds, policyIdsOf, recordedIds, releasedIds } from "./checkpoint";
import type { Declarations } from "./declarations";
import type { Picture } from "./picture";

/** What an operation is to do, and who does it. */
export interface Plan {
  readonly program: Declarations;
  /** What is on record is read first. */
  readonly refresh?: boolean;
  /** It reads the state, and nothing more. */
  readonly isReading?: boolean;
  /** Resources that are replaced whatever they say. */
  readonly forced?: readonly string[];
  /** Where they are replaced, they are deleted before they are made anew. */
  readonly deletedFirst?: readonly string[];
}

/** What was seen of it. */
interface Seen {
  readonly before: Picture;
  readonly after: Picture;
  readonly backupBefore: Backup;
  readonly backup: Backup;
  /** Of each process that was at work: also of one that goes on unseen since the operation before. */
  readonly programs: readonly Declarations[];
  /** Empty: the operation succeeded. */
  readonly failure: string;
  /** Something died, or another checkpoint has won: what was done may be on no record. */
  readonly mayHaveLost: boolean;
  /** Someone has changed the settings in the dashboard in between. */
  readonly isDisturbed: boolean;
  readonly isSwitchDisturbed: boolean;
  /** Its provider works on unseen. */
  readonly isOrphaned: boolean;
  /** Creates that were carried out, whose answers did not arrive as they were given, and after which no look succeeded. */
  readonly unclearCreates: number;
  /** Paths of all requests that were to change something. */
  readonly writesTo: ReadonlySet<string>;
}

/** An operation from its checkpoint before to the one after: what a judge needs to know of it. */
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
    ...{ program, refresh, isReading },
    /** Ids of policies and rules that the checkpoint holds now, and that it held before. */
    recorded: recordedIds(backup),
    recordedBefore: recordedIds(backupBefore),
    /** Policies that resources had which were to be replaced: they are for nobody, be it that they stay in the zone. */
    replaced: policyIdsOf(backupBefore, forced),
    /** Policies that the checkpoint held before and was to leave in the zone, and those whose resource is not declared any more. */
    kept: keptIds(backupBefore),
    released: releasedIds(backupBefore, program),
    /** The checkpoint held no resource of this name before, or it was to be replaced by force, or deleted first. */
    isNew: (name: string) => forced.includes(name) || deletedFirst.includes(name) || !before.has(name),
    /** It may have been deleted and made again: what it has found then nobody else has seen. */
    mayBeDeletedFirst: (name: string) => deletedFirst.includes(name),
    /** It was replaced whatever it says: nobody was shown what was on record of it, but for a refresh. */
    isMadeAnew: (name: string) =>
      forced.includes(name) && !isDeepStrictEqual(before.get(name)?.outputs, after.get(name)?.outputs),
  };
}
