import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { ZonePolicy } from "../../../simulator/src";
import type { Course } from "./course";
import { contentOf, type Declarations, type PolicyContent, type Zone } from "./declarations";
import { policyFields } from "./program";

/** Book about who owns each policy of a zone, from the acts of people and programs. Reads the simulator, not the state. */
export class PolicyBook {
  /** Unmanaged policies, which the stack must not change: JSON by id. */
  private readonly strangers = new Map<string, string>();
  /** Ids of policies that may stay or go: the stack may adopt them, or a death kept them out of the state. */
  private readonly loose = new Set<string>();
  /** Ids of policies that people created, whoever owns them now. */
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

  /** Notes that policies equal to a declared one may be adopted, and that an exact set may delete any policy. */
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

  /** Notes that policies have left the checkpoint. A program that declares them again finds them. */
  forgotten(ids: Iterable<string>): void {
    for (const id of ids) this.loose.add(id);
  }

  /** Notes that an old checkpoint has this policy. */
  claimed(id: string): void {
    if (this.strangers.delete(id)) this.loose.add(id);
  }

  judge(live: readonly ZonePolicy[], operation: Course): void {
    const { program, programs, before, recorded, recordedBefore, kept, mayHaveLost, failure } = operation;
    let unrecorded = 0;
    const adopted = live.filter(
      ({ id }) => this.loose.has(id) && recorded.has(id) && !recordedBefore.has(id),
    );
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
        `${count} policies were created for ${alike} declared: ${JSON.stringify(content)}`,
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
          `a policy was created although the zone has an equal one that nobody owns: ${policy.description}`,
        );
      }
    }
    const there = new Set(live.map(({ id }) => id));
    if (!mayHaveLost && !operation.isDisturbed && !hasExactSet(program, this.zone))
      for (const id of operation.released)
        assert.ok(!known.has(id) || there.has(id), `a policy that had to stay is gone: ${id}`);
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
      // A resource whose deletion was recorded before a death finds two equal policies, its old one and a new one. It adopts either.
      const isExchanged = adopted.some((other) => isSame(other, policy));
      // A policy that was edited before its creator read it is not found. Beside an equal one, nobody can distinguish the two.
      const isExcused = mayHaveLost || isExchanged || (isMade && (operation.isDisturbed || isUnclear));
      assert.ok(isExcused, `left behind, and not in the state: ${JSON.stringify(policy)}`);
      // A policy that somebody has just edited differs from the declared one.
      const isAsDeclared = wasDeclared || operation.isDisturbed;
      assert.ok(!isMade || isAsDeclared, `no program declares this: ${JSON.stringify(policy)}`);
      this.loose.add(id);
    }
  }

  /** Checks that the zone has each declared policy once, and otherwise only unmanaged policies. */
  expectDeclared(live: readonly ZonePolicy[], program: Declarations, ids: ReadonlyMap<string, string>): void {
    this.expectUntouched(live);
    const byId = new Map(live.map((policy) => [policy.id, policy]));
    const expect = (name: string, content: PolicyContent): void => {
      const policy = byId.get(ids.get(name) ?? "");
      assert.ok(policy, `${name} is declared but not in the zone`);
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
    assert.deepEqual(orphans, [], "policies without an owner");
  }

  private expectUntouched(live: readonly ZonePolicy[]): void {
    const now = new Map(live.map((policy) => [policy.id, JSON.stringify(policy)]));
    for (const [id, bytes] of this.strangers)
      assert.equal(now.get(id), bytes, "an unmanaged policy was changed");
  }
}

/** Whether a program has a set that deletes every policy that it does not declare. */
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
