import assert from "node:assert/strict";
import { isAsPlanned } from "../../provider/src/cli/approval/planned";
import type { ApprovedStep } from "../../provider/src/lifecycle/approval/approved-file";
import type { Moved } from "../../provider/src/lifecycle/approval/moved";
import type { Properties } from "../../provider/src/lifecycle/kind";
import { step } from "../lifecycle/support/approve";
import { policy, zoneA, zoneB } from "../small-engine/zones";

/** What a step of a resource begins with and ends in. */
interface Ends {
  readonly op?: string;
  readonly before?: Properties;
  readonly after?: Properties;
  readonly recorded?: Properties;
  readonly id?: string;
}

function planned(
  kind: string,
  { op = "update", before, after, recorded = {}, id = zoneA }: Ends,
): ApprovedStep {
  const { after: _, ...approved } = step(kind, op, "one", {}, { id, recorded });
  return { ...approved, ...(before && { before: { ...before } }), ...(after && { after: { ...after } }) };
}

const shop = { ...policy(), enabled: true };
const colleagues = { ...shop, description: "a colleague's" };
const block = { action: "block", expression: 'http.host eq "a.example.com"' };
const skip = { action: "skip", expression: "true", actionParameters: { extra: { ruleset: "current" } } };

function gone(kind: Moved["kind"], id: string, approved: Properties): Moved {
  return { zoneId: zoneA, what: "gone", kind, id, approved, isClosed: false };
}

/** What has moved, under which steps it is as planned, and under which it is not. */
const cases: Readonly<
  Record<
    string,
    { moved: Moved; yes: readonly ApprovedStep[]; no: readonly ApprovedStep[]; kept?: readonly string[] }
  >
> = {
  "a policy whose resource goes": {
    moved: gone("policy", "p", shop),
    yes: [
      planned("CspPolicy", { op: "delete", id: `${zoneA}/p` }),
      planned("CspPolicy", { op: "delete", id: `${zoneA.toUpperCase()}/p` }),
      planned("CspPolicy", { op: "replace", id: `${zoneA}/p`, after: { zoneId: zoneB } }),
      planned("CspPolicySet", { op: "delete", recorded: { policyIds: { k: "p" } } }),
    ],
    no: [
      planned("CspPolicy", { op: "delete", id: `${zoneA}/other` }),
      planned("CspPolicy", { op: "delete", id: `${zoneB}/p` }),
      planned("CspPolicy", { op: "update", id: `${zoneA}/p`, after: { zoneId: zoneA } }),
      planned("CspPolicy", { op: "delete", id: `${zoneA}/p`, before: { onDestroy: "keep" } }),
      planned("CspPolicySet", {
        op: "delete",
        before: { onDestroy: "keep" },
        recorded: { policyIds: { k: "p" } },
      }),
      planned("CspPolicySet", { op: "delete", recorded: { policyIds: { k: "other" } } }),
    ],
  },
  "a policy whose key goes": {
    moved: gone("policy", "p", shop),
    yes: [
      planned("CspPolicySet", {
        after: { zoneId: zoneA, policies: { kept: colleagues } },
        recorded: { policyIds: { k: "p", kept: "q" } },
      }),
    ],
    no: [
      planned("CspPolicySet", {
        after: { zoneId: zoneA, policies: { k: colleagues } },
        recorded: { policyIds: { k: "p" } },
      }),
      // Nobody knows yet which keys are declared.
      planned("CspPolicySet", {
        after: { zoneId: zoneA, policies: "[not known yet]" },
        recorded: { policies: { k: shop }, policyIds: { k: "p" } },
      }),
      // Under another key it stays.
      planned("CspPolicySet", {
        after: { zoneId: zoneA, policies: { other: shop } },
        recorded: { policyIds: { k: "p" } },
      }),
    ],
  },
  "a policy of others that a set deletes": {
    moved: gone("policy", "p", colleagues),
    yes: [
      planned("CspPolicySet", { after: { zoneId: zoneA, others: "delete", policies: { k: shop } } }),
      planned("CspPolicySet", { op: "create", after: { zoneId: zoneA, others: "delete", policies: {} } }),
    ],
    no: [
      planned("CspPolicySet", { after: { zoneId: zoneA, others: "keep", policies: { k: shop } } }),
      planned("CspPolicySet", { after: { zoneId: zoneB, others: "delete", policies: {} }, id: zoneB }),
      planned("CspPolicySet", {
        op: "replace",
        after: { zoneId: zoneB, others: "delete", policies: {} },
        recorded: { policies: {}, policyIds: {} },
      }),
      planned("CspPolicySet", { op: "delete", before: { others: "delete" } }),
      planned("CspPolicySet", { after: { zoneId: zoneA, others: "delete", policies: { k: colleagues } } }),
    ],
  },
  "a policy that another resource of the stack keeps": {
    moved: gone("policy", "p", colleagues),
    kept: [`${zoneA}/p`],
    yes: [],
    no: [planned("CspPolicySet", { after: { zoneId: zoneA, others: "delete", policies: {} } })],
  },
  "a rule that is declared no more": {
    moved: gone("rule", "r", block),
    yes: [
      planned("ManagedWafEntrypoint", {
        after: { zoneId: zoneA, rules: [skip] },
        recorded: { rules: [{ id: "r", ...block }] },
      }),
      planned("ManagedWafEntrypoint", { op: "delete", recorded: { rules: [{ id: "r", ...block }] } }),
    ],
    no: [
      planned("ManagedWafEntrypoint", {
        after: { zoneId: zoneA, rules: [block] },
        recorded: { rules: [{ id: "r", ...block }] },
      }),
      planned("ManagedWafEntrypoint", {
        after: { zoneId: zoneA, rules: [skip], foreignRules: "keep" },
        recorded: { rules: [{ id: "other", ...block }] },
      }),
      planned("ManagedWafEntrypoint", {
        op: "delete",
        before: { onDestroy: "keep" },
        recorded: { rules: [{ id: "r", ...block }] },
      }),
      planned("ManagedWafEntrypoint", {
        op: "delete",
        recorded: { rules: [{ id: "r", ...block }], initial: { rules: [block] } },
      }),
    ],
  },
  "a rule of others that is overwritten": {
    moved: gone("rule", "r", block),
    yes: [
      planned("ManagedWafEntrypoint", {
        op: "create",
        after: { zoneId: zoneA, rules: [skip], foreignRules: "overwrite" },
      }),
    ],
    no: [
      planned("ManagedWafEntrypoint", {
        op: "create",
        after: { zoneId: zoneA, rules: [block], foreignRules: "overwrite" },
      }),
      planned("ManagedWafEntrypoint", {
        op: "create",
        after: { zoneId: zoneA, rules: [skip], foreignRules: "refuse" },
      }),
    ],
  },
  "settings whose resource goes": {
    moved: {
      ...gone("settings", "", { enabled: true, useConnectionUrlPath: true }),
      what: "changed",
      live: { enabled: false, useConnectionUrlPath: true },
    },
    yes: [
      planned("PageGuardSettings", {
        op: "delete",
        before: { enabled: true },
        recorded: { initial: { enabled: false } },
      }),
      planned("PageGuardSettings", { op: "delete", before: { enabled: true, onDestroy: "disable" } }),
    ],
    no: [
      planned("PageGuardSettings", {
        op: "delete",
        before: { enabled: true },
        recorded: { initial: { enabled: true } },
      }),
      planned("PageGuardSettings", {
        op: "delete",
        before: { enabled: true, onDestroy: "keep" },
        recorded: { initial: { enabled: false } },
      }),
      planned("PageGuardSettings", { after: { zoneId: zoneA, enabled: true } }),
    ],
  },
};

describe("What an interrupted apply may have done", () => {
  for (const [what, { moved, yes, no, kept = [] }] of Object.entries(cases)) {
    it(`is ${what}: exactly where that was approved`, () => {
      for (const one of yes) {
        assert.ok(isAsPlanned(moved, [moved], { steps: [one], kept: [...kept] }), JSON.stringify(one));
      }
      for (const one of [...no, undefined]) {
        const steps = one ? [one] : [];
        assert.ok(!isAsPlanned(moved, [moved], { steps, kept: [...kept] }), JSON.stringify(one));
      }
      const closed = { ...moved, isClosed: true };
      assert.ok(!isAsPlanned(closed, [closed], { steps: [...yes], kept: [] }), "a digest tells nothing");
    });
  }

  it("includes a list of rules without the deleted ones, in its old order", () => {
    const list = (before: string[], now: string[]): Moved => ({
      ...{ zoneId: zoneA, what: "changed", kind: "entrypoint", id: "", isClosed: false },
      ...{ approved: { order: before }, live: { order: now } },
    });
    const steps = [
      planned("ManagedWafEntrypoint", {
        after: { zoneId: zoneA, rules: [skip] },
        recorded: { rules: [{ id: "r", ...block }] },
      }),
    ];
    const rule = gone("rule", "r", block);
    const holds = (moved: Moved): boolean => isAsPlanned(moved, [moved, rule], { steps, kept: [] });
    assert.ok(holds(list(["a", "r", "b"], ["a", "b"])));
    assert.ok(!holds(list(["a", "r", "b"], ["b", "a"])));
    assert.ok(!holds(list(["a", "r", "b"], ["a"])));
  });
});
