import { inZone } from "../../lifecycle/memory";
import { idsOf } from "./ownership";
import type { State } from "./state";

/** What this run knows of the resource that has a zone's list, or had it before. */
export class ListInRun {
  /**
   * Its state, as it was read or compared with the program. Whoever creates an entry point for the zone later in the run is
   * its successor: it is being replaced, or was renamed without an alias. Its rules are ours, and what it found first is
   * what is to be restored.
   */
  recorded: State | undefined;
  /** This run has deleted its rules: one that is like them has come since, and is someone else's. */
  isDeleted = false;
  /** Ids of the rules of the resource that has the zone now; undefined where not all of them are known. */
  heldIds: ReadonlySet<string> | undefined;

  hold(rules: State["rules"]): void {
    const ids = new Set(idsOf((rules ?? []).filter(({ foreign }) => !foreign)));
    this.heldIds = rules?.every(({ id }) => id !== undefined) ? ids : undefined;
  }

  /** Until it has ended, the ids are unknown. */
  async written(work: () => Promise<State>): Promise<State> {
    this.heldIds = undefined;
    const state = await work();
    this.hold(state.rules);
    this.isDeleted = false;
    return state;
  }
}

export const listInRun = inZone(() => new ListInRun());
