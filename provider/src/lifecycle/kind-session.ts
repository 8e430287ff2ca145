import { isSameZone } from "../model/zone-id";
import type { Kind, RecordedObject } from "./kind";
import type { Run } from "./run";

/** Values that the lifecycle methods of one kind share during a run. */
export class KindSession {
  /** Objects in the state that the program of this run declares, by URN. `diff` writes them. */
  readonly declared = new Map<string, RecordedObject<object>>();
  /** Ids of objects that have drifted in a way that no input shows. `read` adds them, and the `diff` of a refresh reads them. */
  readonly drifted = new Set<string>();

  constructor(
    private readonly loadKind: () => Kind<unknown, object>,
    readonly run: Run,
  ) {}

  get kind(): Kind<unknown, object> {
    return this.loadKind();
  }

  /** Returns the state of a resource that is being recreated, if the resource stays in this zone. */
  findState(zoneId: unknown, urn: string): object | undefined {
    const { id, state } = this.declared.get(urn) ?? {};
    return isSameZone(id, zoneId) ? state : undefined;
  }

  /** Returns the state of another resource that has managed this zone so far, if `diff` has compared that resource already. */
  findPredecessor(zoneId: unknown, urn: string): object | undefined {
    return [...this.declared].find(([other, { id }]) => other !== urn && isSameZone(id, zoneId))?.[1].state;
  }
}
