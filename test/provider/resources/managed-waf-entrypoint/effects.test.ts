import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import type { ResourceChange } from "../../../../provider/src/model/effect";
import { ruleEffects } from "../../../../provider/src/resources/managed-waf-entrypoint/effects";

const skip = { action: "skip", expression: "true", description: "skip" };
const block = { action: "block", expression: "false", description: "block" };
const late = { action: "log", expression: "true", description: "late" };
const own = (rule: object) => ({ ...rule, id: Object(rule).description, ref: Object(rule).description });
const live = (...rules: readonly object[]): Rule[] =>
  rules.map((rule) => ({ enabled: true, ...own(rule) }) as Rule);
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const list = (was: object | undefined, becomes: object | undefined, more: object = {}): ResourceChange => ({
  kind: "ManagedWafEntrypoint",
  urn: "urn:list",
  name: "list",
  id: "",
  op: was ? (becomes ? "update" : "delete") : "create",
  isRetained: false,
  differences: [],
  ...(was && { was: { ...was } }),
  ...(becomes && { becomes: { ...becomes } }),
  ...more,
});

function effects(
  resource: ResourceChange,
  rules: readonly Rule[] | undefined,
  isMigrating = false,
): string[] {
  const zone = { entrypoint: rules && { rules } };
  return ruleEffects([resource], zone, isMigrating).map(
    ({ fate, object, weaker, moved, isOpen, isPassedOn }) =>
      [fate, object.label, weaker, moved, isOpen && "perhaps", isPassedOn && "passed on"]
        .filter(Boolean)
        .join(" "),
  );
}

const both = { rules: [own(skip), own(block)] };
const cases: Readonly<Record<string, readonly [found: () => string[], expected: readonly string[]]>> = {
  "a new rule that skips": [
    () => effects(list(undefined, { rules: [skip] }), []),
    ["create skip a new rule that skips"],
  ],
  "an equal rule in the zone": [
    () => effects(list(undefined, { rules: [skip] }), live(skip)),
    ["adopt skip"],
  ],
  "another expression": [
    () => effects(list(both, { rules: [skip, { ...block, expression: "true" }] }), live(skip, block)),
    ["update block another expression"],
  ],
  "a rule that is dropped": [
    () => effects(list(both, { rules: [skip] }), live(skip, block)),
    ["delete block no longer enforced"],
  ],
  "a rule that skips before another one": [
    () => effects(list({ rules: [own(block), own(skip)] }, { rules: [skip, block] }), live(block, skip)),
    ['update skip will run before "block"'],
  ],
  "an unmanaged rule with which ours change places": [
    () =>
      effects(
        list({ rules: [own(block), own(late)] }, { rules: [late, block], foreignRules: "keep" }),
        live(block, skip, late),
      ),
    ['update late will run before "skip", "block"', 'update skip will run before "block"'],
  ],
  "a changed order": [
    () =>
      effects(
        list({ rules: [own(block)] }, { rules: [block], foreignRules: "keep", order: "beforeForeign" }),
        live(skip, block),
      ),
    ['update block will run before "skip"'],
  ],
  "an edit beside an unmanaged rule that came later": [
    () =>
      effects(
        list({ rules: [own(block)] }, { rules: [{ ...block, enabled: false }], foreignRules: "keep" }),
        live(block, skip),
      ),
    ["update block switched off"],
  ],
  "an unmanaged rule that is overwritten": [
    () => effects(list(undefined, { rules: [skip], foreignRules: "overwrite" }), live(block)),
    ["create skip a new rule that skips", "lose block"],
  ],
  "an unmanaged rule that may be overwritten": [
    () => effects(list(undefined, { rules: [], foreignRules: unknown }), live(block)),
    ["lose block perhaps"],
  ],
  "an unmanaged rule that stays": [
    () => effects(list(undefined, { rules: [], foreignRules: "keep" }), live(block)),
    [],
  ],
  "rules that are not known yet": [
    () => effects(list(both, { rules: unknown }), live(skip, block)),
    ["update rules that are not shown"],
  ],
  "rules that the migration of the zone passes on": [
    () => effects(list(both, { rules: unknown }), live(skip, block), true),
    ["update passed on"],
  ],
  "a destroy that restores": [
    () => effects(list({ ...both, initial: { rules: [skip] } }, undefined), live(skip, block)),
    ["restore block no longer enforced"],
  ],
  "a destroy that keeps": [
    () => effects(list({ ...both, onDestroy: "keep" }, undefined), live(skip, block)),
    ["leave skip", "leave block"],
  ],
  "a list that is secret in the state": [
    () => effects(list({ rules: unknown }, { rules: [skip] }), live(skip)),
    ["update rules that are not shown", "adopt skip"],
  ],
};

describe("What an update does to the rules of an entry point", () => {
  for (const [what, [found, expected]] of Object.entries(cases))
    it(`given ${what}`, () => assert.deepEqual(found(), expected));
});
