import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { ZonePolicy } from "../../../provider/src/simulator";
import type { Backup } from "../../small-engine/checkpoint";
import { policyIdsByName } from "./checkpoint";
import {
  contentOf,
  type Declaration,
  type Declarations,
  ourZones,
  type PolicyContent,
  type Zone,
  zones,
} from "./declarations";
import type { Picture } from "./picture";
import { policyFields } from "./program";

interface Judged {
  readonly isReached: boolean;
  /** Nothing was replaced by force, and nobody had changed anything. */
  readonly isPlain: boolean;
  /** What the zones had before. */
  readonly live: Picture["policies"];
  /** Paths of what was sent. */
  readonly writes: ReadonlySet<string>;
  readonly backupBefore: Backup;
  readonly backup: Backup;
}

/** Holds that what merely moves from one resource to another is not touched, and that what is edited is not deleted. */
export class Moves {
  /** The program of the last operation, where the zones were surely as it says. */
  private before: Declarations | undefined;

  judge(program: Declarations, { isReached, isPlain, live, writes, backupBefore, backup }: Judged): void {
    if (isReached && isPlain && this.before) {
      for (const zone of ourZones) {
        expectMoved(this.before, program, zone, live[zone], writes);
        const ids = policyIdsByName(backup, zone);
        const recorded = new Set(ids.values());
        // A resource that is new may have adopted it: then its old one has another.
        for (const [name, id] of policyIdsByName(backupBefore, zone))
          assert.ok(!ids.has(name) || recorded.has(id), `${name} was to be edited, and its policy is gone`);
      }
    }
    this.before = isReached ? program : undefined;
  }
}

/**
 * Between two programs that declare the same policies of a zone, each under its own name or key or under another one,
 * nothing is sent that changes these.
 */
function expectMoved(
  before: Declarations,
  now: Declarations,
  zone: Zone,
  live: readonly ZonePolicy[],
  writes: ReadonlySet<string>,
): void {
  const [old, fresh] = [labelled(before, zone), labelled(now, zone)];
  if (!old || !fresh || [...now].some(([name, { zone: other }]) => zoneOf(before, name, other) !== other))
    return;
  const isEdited = [...fresh].some(([label, content]) => (old.get(label) ?? content) !== content);
  if (isEdited || !isDeepStrictEqual([...old.values()].sort(), [...fresh.values()].sort())) return;
  // Whoever moves may adopt what others have made just like it.
  if (ambiguous(fresh, live)) return;
  const sent = [...writes].filter((path) => path.includes(`${zones[zone]}/page_guard/policies`));
  assert.deepEqual(sent, [], "policies that only have moved were changed");
}

function ambiguous(declared: ReadonlyMap<string, string>, live: readonly ZonePolicy[]): boolean {
  const there = live.map(({ id: _id, ...fields }) => JSON.stringify(Object.entries(fields).sort()));
  const count = (all: Iterable<string>, text: string) => [...all].filter((one) => one === text).length;
  return [...declared.values()].some((text) => count(there, text) !== count(declared.values(), text));
}

/** What each name, or name and key, declares; undefined where an exact set has a say on what others declare. */
function labelled(program: Declarations, zone: Zone): Map<string, string> | undefined {
  const ours = [...program.values()].filter((one) => one.zone === zone);
  if (ours.some((one) => one.kind === "set" && one.others !== "keep")) return undefined;
  return new Map(ours.flatMap(policiesOf));
}

function policiesOf(one: Declaration): [string, string][] {
  if (one.kind === "policy") return [[one.name, textOf(one.content)]];
  if (one.kind !== "set") return [];
  return Object.entries(one.policies).map((entry) => [`${one.name}.${entry[0]}`, textOf(contentOf(entry))]);
}

function textOf(content: PolicyContent): string {
  return JSON.stringify(Object.entries(policyFields(content)).sort());
}

function zoneOf(program: Declarations, name: string, otherwise: Zone): Zone {
  return program.get(name)?.zone ?? otherwise;
}
