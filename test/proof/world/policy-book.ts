import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { ZonePolicy } from "../../../simulator/src";
import type { Course } from "./course";
import { contentOf, type Declarations, type PolicyContent, type Zone } from "./declarations";
import { policyFields } from "./program";

/** Whose each policy of a zone is, by what people and programs did. Asks the simulator, never the provider's own record. */
export class PolicyBook {
  /** Policies of others, which nobody may touch: id to bytes. */
  private readonly strangers = new Map<string, string>();
  /** Those that the stack may take for its own, or that a death has left without a record: they may stay or go. */
  private readonly loose = new Set<string>();
  /** Those that people have made, whosever they are by now. */
  private readonly byPeople = new Set<string>();

  constructor(
    private readonly zone: Zone,
    found: readonly ZonePolicy[],
  ) {
    for (const policy of found) this.added(policy);
  }

  added(policy: ZonePolicy): void {
    this.byPeople.add(policy.id);
    this.keep(policy);
  }

  private keep(policy: ZonePolicy): void {
    this.strangers.set(policy.id, JSON.stringify(policy));
  }

  deleted(id: string): void {
    this.strangers.delete(id);
    this.loose.delete(id);
  }

  edited(after: ZonePolicy): void {
    if (this.strangers.has(after.id)) this.keep(after);
  }

  /** What is equal to a declared policy may be taken over; an exact set gives up whatever it names. */
  declares(program: Declarations): void {
    const contents = declaredPolicies(program, this.zone);
    const isExact = hasExactSet(program, this.zone);
    for (const [id, bytes] of [...this.strangers]) {
      const policy: ZonePolicy = JSON.parse(bytes);
      if (isExact || contents.some((content) => isEqual(content, policy))) {
        this.strangers.delete(id);
        this.loose.add(id);
      }
    }
  }

  /** The checkpoint has forgotten these: whoever declares them again finds them. */
  forgotten(ids: Iterable<string>): void {
    for (const id of ids) this.loose.add(id);
  }

  /** An old checkpoint says that this is the stack's. */
  claimed(id: string): void {
    if (this.strangers.delete(id)) this.loose.add(id);
  }

  judge(live: readonly ZonePolicy[], operation: Course): void {
    const { program, programs, before, recorded, kept, mayHaveLost, failure } = operation;
    let unrecorded = 0;
    for (const one of programs) this.declares(one);
    this.expectUntouched(live);
    const contents = programs.flatMap((one) => declaredPolicies(one, this.zone));
    const known = new Set(before.policies[this.zone].map(({ id }) => id));
    const made = live.filter(({ id }) => !known.has(id) && !this.byPeople.has(id));
    for (const content of contents) {
      const alike = contents.filter((other) => isDeepStrictEqual(other, content)).length;
      const count = made.filter((policy) => isEqual(content, policy)).length;
      assert.ok(
        count <= alike,
        `${count} policies were made of ${alike} declared: ${JSON.stringify(content)}`,
      );
    }
    const isFree = ({ id }: ZonePolicy) =>
      this.loose.has(id) && known.has(id) && !recorded.has(id) && !operation.replaced.has(id);
    const free = live.filter(isFree);
    if (!mayHaveLost && failure === "" && programs.length === 1) {
      for (const policy of made.filter(({ id }) => recorded.has(id))) {
        const twin = free.find(
          (other) =>
            isSame(other, policy) && before.policies[this.zone].some((one) => isDeepStrictEqual(one, other)),
        );
        assert.ok(
          !twin,
          `a policy was made although the zone has it already, and nobody's: ${policy.description}`,
        );
      }
    }
    const there = new Set(live.map(({ id }) => id));
    if (!mayHaveLost && !operation.isDisturbed && !hasExactSet(program, this.zone))
      for (const id of operation.released)
        assert.ok(!known.has(id) || there.has(id), `a policy that was to stay is gone: ${id}`);
    for (const policy of live) {
      const { id } = policy;
      if (recorded.has(id)) this.loose.delete(id);
      if (recorded.has(id) || this.loose.has(id) || this.strangers.has(id)) continue;
      if (kept.has(id)) {
        this.keep(policy);
        continue;
      }
      const isMade = !known.has(id);
      const wasDeclared = contents.some((content) => isEqual(content, policy));
      if (isMade) unrecorded += 1;
      const isUnclear = failure !== "" && unrecorded <= operation.unclearCreates;
      // Edited before its maker looked, it is found by nobody; beside an equal one that somebody adds, neither can be told.
      const isExcused = mayHaveLost || (isMade && (operation.isDisturbed || isUnclear));
      assert.ok(isExcused, `left behind without a record: ${JSON.stringify(policy)}`);
      // What somebody has edited in just this moment is not as it was made.
      const isAsDeclared = wasDeclared || operation.isDisturbed;
      assert.ok(!isMade || isAsDeclared, `nobody has declared this: ${JSON.stringify(policy)}`);
      this.loose.add(id);
    }
  }

  /** Nothing has gone wrong: what is declared is there, once, and nothing else that is not somebody's. */
  expectDeclared(live: readonly ZonePolicy[], program: Declarations, ids: ReadonlyMap<string, string>): void {
    this.expectUntouched(live);
    const byId = new Map(live.map((policy) => [policy.id, policy]));
    const expect = (name: string, content: PolicyContent): void => {
      const policy = byId.get(ids.get(name) ?? "");
      assert.ok(policy, `${name} is declared and not in the zone`);
      assert.ok(isEqual(content, policy), `${name} is not as declared: ${JSON.stringify(policy)}`);
    };
    let isExact = false;
    for (const one of program.values()) {
      if (one.zone !== this.zone) continue;
      if (one.kind === "policy") expect(one.name, one.content);
      if (one.kind !== "set") continue;
      for (const entry of Object.entries(one.policies)) expect(`${one.name}.${entry[0]}`, contentOf(entry));
      if (one.others === "delete") isExact = true;
    }
    const ours = new Set(ids.values());
    const others = live.filter(({ id }) => !ours.has(id) && !this.strangers.has(id));
    const orphans = others.filter(({ id }) => isExact || !this.loose.has(id));
    assert.deepEqual(orphans, [], "policies of nobody");
  }

  private expectUntouched(live: readonly ZonePolicy[]): void {
    const now = new Map(live.map((policy) => [policy.id, JSON.stringify(policy)]));
    for (const [id, bytes] of this.strangers)
      assert.equal(now.get(id), bytes, "somebody else's policy was touched");
  }
}

/** One that gives up whatever it does not declare. */
function hasExactSet(program: Declarations, zone: Zone): boolean {
  return [...program.values()].some(
    (one) => one.kind === "set" && one.zone === zone && one.others === "delete",
  );
}

function declaredPolicies(program: Declarations, zone: Zone): PolicyContent[] {
  return [...program.values()].flatMap((one) => {
    if (one.zone !== zone || (one.kind !== "policy" && one.kind !== "set")) return [];
    return one.kind === "policy" ? [one.content] : Object.entries(one.policies).map(contentOf);
  });
}

function isEqual(content: PolicyContent, policy: ZonePolicy): boolean {
  const { id: _id, ...fields } = policy;
  return isDeepStrictEqual(policyFields(content), fields);
}

function isSame({ id: _left, ...left }: ZonePolicy, { id: _right, ...right }: ZonePolicy): boolean {
  return isDeepStrictEqual(left, right);
}
