import assert from "node:assert/strict";
import type { ResourceChange } from "../../../../provider/src/model/effect";
import { policyEffects, recordedPolicies } from "../../../../provider/src/model/policies/policy-effects";

const self = "script-src 'self'";
const content = { action: "allow", expression: "true", value: self };
const named = { description: "shop", ...content };

type Sides = Pick<ResourceChange, "op"> & Partial<ResourceChange>;

const resource = (name: string, sides: Sides): ResourceChange => ({
  kind: "CspPolicy",
  urn: `urn:${name}`,
  name,
  id: "",
  isRetained: false,
  differences: [],
  ...sides,
});

const one = (op: string, was?: object, becomes?: object, more: object = {}): ResourceChange =>
  resource("one", {
    op,
    ...(was && { was: { ...was, policyId: "id" } }),
    ...(becomes && { becomes: { ...becomes } }),
    ...more,
  });

function set(
  was: object | undefined,
  becomes: object | undefined,
  more: object = {},
  op = "update",
): ResourceChange {
  const policyIds = Object.fromEntries(Object.keys(was ?? {}).map((key) => [key, `id-${key}`]));
  return resource("set", {
    op,
    ...(was && { was: { policies: was, policyIds } }),
    ...(becomes && { becomes: { policies: becomes, ...more } }),
  });
}

const inZone = (policyId: string, more: object = {}) => ({ policyId, enabled: true, ...named, ...more });

/** Returns a text per effect: `fate label id`, and what it means for protection. */
function effects(
  resources: readonly ResourceChange[],
  ...live: readonly ReturnType<typeof inZone>[]
): string[] {
  return policyEffects(resources, { policies: live }).map(({ fate, object, begins, weaker, isOpen }) =>
    [fate, object.label, object.id, begins ? "begins" : "", weaker, isOpen ? "perhaps" : ""]
      .filter(Boolean)
      .join(" "),
  );
}

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const other = { ...content, value: "script-src 'none'" };
/** States of a `CspPolicy` by name. */
const policies: Readonly<Record<string, object>> = {
  shop: named,
  log: { ...named, action: "log" },
  other: { ...named, ...other },
  more: { ...named, value: `${self} *` },
  keep: { ...named, onDestroy: "keep" },
  unchecked: { ...named, impact: "off" },
  cutOff: { ...named, incomplete: true },
  secret: { ...named, value: unknown },
};

/** Columns: title, operations with the policy before and after, the zone's policies by id, and the expected effects. */
const changes = `
  a new policy | create -> shop | | create shop begins
  a new policy that only logs | create -> log | | create shop
  a new policy that the zone has twice | create -> shop | a shop, b shop | adopt shop b
  a new policy that differs | create -> other | a shop | create shop begins
  a policy that its old resource deletes | delete shop -> , create -> shop | id shop | adopt shop id
  a policy that its old resource keeps | same shop -> shop, create -> shop | id shop | create shop begins
  a deleted policy | delete shop -> | id shop | delete shop id no longer enforced
  a deleted policy that no longer exists in the zone | delete shop -> | |
  a changed policy that is gone from the zone, so that the update fails | update shop -> other | |
  a deleted policy that stays | delete keep -> | id shop | leave shop id
  a resource that is only removed from the state | delete shop -> , retained | id shop | leave shop id
  a policy that allows more | update shop -> more | id shop | update shop id may allow more
  a policy that begins to enforce | update log -> shop | id log | update shop id begins
  an update that sends no policy, although the zone has drifted | update shop -> unchecked | id other |
  an update after one that was cut off | update cutOff -> shop | id log | update shop id begins
  an update to the policy that the zone has already | update other -> shop | id shop |
  a replacement that leaves its policy in the zone | replace keep -> shop | id shop | adopt shop id
  a replacement that deletes its policy | replace shop -> shop, differs lint | id shop | create shop begins, delete shop id no longer enforced
  a replacement with retainOnDelete | replace shop -> shop, retained, differs lint | id shop | create shop begins, leave shop id
  a replacement without a changed input, whose successor adopts the policy | replace shop -> shop | id shop | adopt shop id
  a replacement without a changed input that deletes first | replace shop -> shop, deleted first | id shop | create shop begins, delete shop id no longer enforced
  a replacement without a changed input, after an update that was cut off | replace cutOff -> shop | id shop | create shop begins, delete shop id no longer enforced
  a secret text that changes | update secret -> secret, differs value | id shop | update shop id may allow more
  a secret text that stays | update secret -> secret, differs lint | id shop |
`;

function parts(text: string): readonly string[] {
  return text === "" ? [] : text.split(", ").map((part) => part.trim());
}

/** Parses `update log -> shop` into resource changes. `retained`, `deleted first` and `differs NAME` apply to the first one. */
function parse(text: string): readonly ResourceChange[] {
  const all = parts(text);
  const more = {
    isRetained: all.includes("retained"),
    isDeletedFirst: all.includes("deleted first"),
    differences: all.flatMap((part) => (part.startsWith("differs ") ? [{ path: part.slice(8) }] : [])),
  };
  return all.flatMap((part, index) => {
    const [, op = "", was = "", becomes = ""] = /^(\w+) ?(\w*) -> ?(\w*)$/.exec(part) ?? [];
    return op ? [one(op, policies[was], policies[becomes], index === 0 ? more : { urn: "urn:new" })] : [];
  });
}

function live(text: string): ReturnType<typeof inZone>[] {
  return parts(text).map((part) => {
    const [id = "", name = ""] = part.split(" ");
    return inZone(id, policies[name]);
  });
}

const keyA = inZone("id-a", { description: "a" });
const lost = "delete a id-a no longer enforced";
const cases: readonly (readonly [what: string, found: () => string[], expected: readonly string[]])[] = [
  ["a key that is renamed", () => effects([set({ a: content }, { b: content })], keyA), ["update b id-a"]],
  [
    "a key that is renamed and keeps its description",
    () => effects([set({ a: named }, { b: named })], inZone("id-a")),
    [],
  ],
  [
    "a key that is renamed, with its old name as the description",
    () => effects([set({ a: content }, { b: { ...content, description: "a" } })], keyA),
    [],
  ],
  [
    "a new key that could continue two policies, of which one is equal",
    () =>
      effects(
        [set({ z: content, y: { ...content, description: "x" } }, { x: content })],
        inZone("id-z", { description: "z" }),
        inZone("id-y", { description: "x" }),
      ),
    ["delete z id-z no longer enforced"],
  ],
  [
    "two new keys that could continue one policy",
    () => effects([set({ a: content }, { x: content, w: content })], keyA),
    ["update x id-a", "create w begins"],
  ],
  [
    "a renamed key that loses its explicit description",
    () => effects([set({ a: named }, { b: content })], inZone("id-a")),
    ["create b begins", lost],
  ],
  [
    "a renamed key that gets an explicit description",
    () => effects([set({ a: content }, { b: { ...content, description: "b" } })], keyA),
    ["create b begins", lost],
  ],
  [
    "a key that is removed",
    () =>
      effects(
        [set({ a: content, b: other }, { a: content })],
        keyA,
        inZone("id-b", { description: "b", ...other }),
      ),
    ["delete b id-b no longer enforced"],
  ],
  [
    "a key that is released",
    () => effects([set({ a: content }, {}, { release: ["a"] })], keyA),
    ["leave a id-a"],
  ],
  [
    "a key that is released and whose policy is declared under another key",
    () => effects([set({ a: named }, { b: named }, { release: ["a"] })], inZone("id-a")),
    ["adopt b id-a"],
  ],
  [
    "a key that is removed and whose policy another resource declares",
    () => effects([set({ a: named }, {}), resource("new", { op: "create", becomes: named })], inZone("id-a")),
    ["create shop begins", lost],
  ],
  [
    "a key whose policy is gone, beside one that changes",
    () =>
      effects(
        [set({ a: content, b: content }, { a: content, b: other })],
        inZone("id-b", { description: "b" }),
      ),
    ["update b id-b"],
  ],
  [
    "a key whose policy is gone, and changes",
    () => effects([set({ a: content }, { a: other })], inZone("id-b", { description: "b" })),
    ["create a begins"],
  ],
  [
    "a policy that another resource has in its state, too",
    () => {
      const twin = resource("twin", { op: "same", was: { ...named, policyId: "id-a" }, becomes: named });
      const deleted = resource("old", { op: "delete", was: { ...named, policyId: "id-a" } });
      return [deleted, set({ a: named }, {})].flatMap((one) => effects([one, twin], inZone("id-a")));
    },
    [],
  ],
  [
    "a set whose policies are unknown",
    () =>
      effects(
        [
          resource("set", {
            op: "update",
            was: { policies: { a: content }, policyIds: { a: "id-a" } },
            becomes: { policies: unknown },
          }),
        ],
        keyA,
      ),
    ["update a id-a may no longer be enforced"],
  ],
  [
    "a set that is replaced",
    () =>
      effects(
        [
          {
            ...set({ a: content }, { a: content }, { release: ["a"] }, "replace"),
            differences: [{ path: "release" }],
          },
        ],
        keyA,
      ),
    ["create a begins", lost],
  ],
  [
    "a set that is replaced without a changed input",
    () => effects([set({ a: content }, { a: content }, {}, "replace")], keyA),
    ["adopt a id-a"],
  ],
  [
    "a policy that is replaced without a changed input and that another resource keeps",
    () =>
      effects(
        [
          one("replace", named, named),
          resource("twin", { op: "same", was: { ...named, policyId: "id" }, becomes: named }),
        ],
        inZone("id"),
      ),
    ["create shop begins"],
  ],
  [
    "an exact set",
    () => effects([set({}, { shop: content }, { others: "delete" })], inZone("x", other), inZone("y")),
    ["adopt shop y", "lose shop x"],
  ],
  [
    "a set that may be exact",
    () => effects([set({}, {}, { others: unknown })], inZone("x")),
    ["lose shop x perhaps"],
  ],
  [
    "an exact set with an unknown policy",
    () => effects([set({}, { a: unknown }, { others: "delete" })], inZone("x")),
    ["create a begins", "lose shop x perhaps"],
  ],
  [
    "an exact set that does not change",
    () => effects([set({}, {}, { others: "delete" }, "same")], inZone("x")),
    [],
  ],
];

describe("The effects of an update on the policies of a zone", () => {
  for (const line of changes.trim().split("\n")) {
    const [what, change = "", zone = "", expected = ""] = line.split("|").map((part) => part.trim());
    it(`given ${what}`, () => assert.deepEqual(effects(parse(change), ...live(zone)), parts(expected)));
  }

  for (const [what, found, expected] of cases) it(`given ${what}`, () => assert.deepEqual(found(), expected));
});

describe("The policies in the state of a resource", () => {
  it("have the ids in the state, or else the policy id in the resource's id", () => {
    const ids = (was: object) => recordedPolicies({ id: "zone/p", was: { ...was } }).map(({ id }) => id);
    assert.deepEqual(ids({ policyId: "own" }), ["own"]);
    assert.deepEqual(ids(named), ["p"]);
    assert.deepEqual(ids({ policies: { a: named, b: named }, policyIds: { a: "1" } }), ["1", undefined]);
    assert.deepEqual(ids({ policies: {}, policyIds: { a: "1" } }), ["1"]);
  });
});
