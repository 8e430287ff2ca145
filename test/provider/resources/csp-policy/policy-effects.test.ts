import assert from "node:assert/strict";
import type { ResourceChange } from "../../../../provider/src/model/effect";
import { policyEffects } from "../../../../provider/src/model/policies/policy-effects";

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

/** `fate label id`, and what it means for protection. */
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
const cases: readonly (readonly [what: string, found: () => string[], expected: readonly string[]])[] = [
  ["a new policy", () => effects([one("create", undefined, named)]), ["create shop begins"]],
  [
    "a new policy that only logs",
    () => effects([one("create", undefined, { ...named, action: "log" })]),
    ["create shop"],
  ],
  [
    "a new policy that the zone has twice",
    () => effects([one("create", undefined, named)], inZone("a"), inZone("b")),
    ["adopt shop b"],
  ],
  [
    "a new policy that differs",
    () => effects([one("create", undefined, { ...named, ...other })], inZone("a")),
    ["create shop begins"],
  ],
  [
    "a policy that its old resource deletes",
    () => effects([one("delete", named), resource("new", { op: "create", becomes: named })], inZone("id")),
    ["adopt shop id"],
  ],
  [
    "a policy that its old resource keeps",
    () =>
      effects([one("same", named, named), resource("new", { op: "create", becomes: named })], inZone("id")),
    ["create shop begins"],
  ],
  [
    "a deleted policy",
    () => effects([one("delete", named)], inZone("id")),
    ["delete shop id no longer enforced"],
  ],
  ["a deleted policy that is gone from the zone", () => effects([one("delete", named)]), []],
  [
    "a deleted policy that stays",
    () => effects([one("delete", { ...named, onDestroy: "keep" })], inZone("id")),
    ["leave shop id"],
  ],
  [
    "a resource that the state forgets",
    () => effects([one("delete", named, undefined, { isRetained: true })], inZone("id")),
    ["leave shop id"],
  ],
  [
    "a policy that allows more",
    () => effects([one("update", named, { ...named, value: `${self} *` })], inZone("id")),
    ["update shop id may allow more"],
  ],
  [
    "a policy that begins to enforce",
    () => effects([one("update", { ...named, action: "log" }, named)], inZone("id", { action: "log" })),
    ["update shop id begins"],
  ],
  [
    "an update that sends no policy, where the zone has drifted",
    () => effects([one("update", named, { ...named, impact: "off" })], inZone("id", other)),
    [],
  ],
  [
    "an update after one that was cut off",
    () => effects([one("update", { ...named, incomplete: true }, named)], inZone("id", { action: "log" })),
    ["update shop id begins"],
  ],
  [
    "an update to what the zone has already",
    () => effects([one("update", { ...named, ...other }, named)], inZone("id")),
    [],
  ],
  [
    "a replacement that leaves its policy in the zone",
    () => effects([one("replace", { ...named, onDestroy: "keep" }, named)], inZone("id")),
    ["adopt shop id"],
  ],
  [
    "a replacement that deletes its policy",
    () => effects([one("replace", named, named)], inZone("id")),
    ["create shop begins", "delete shop id no longer enforced"],
  ],
  [
    "a replacement whose policy the state forgets",
    () => effects([one("replace", named, named, { isRetained: true })], inZone("id")),
    ["create shop begins", "leave shop id"],
  ],
  [
    "a secret text that changes",
    () =>
      effects(
        [
          one(
            "update",
            { ...named, value: unknown },
            { ...named, value: unknown },
            { differences: [{ path: "value" }] },
          ),
        ],
        inZone("id"),
      ),
    ["update shop id may allow more"],
  ],
  [
    "a secret text that stays",
    () =>
      effects(
        [
          one(
            "update",
            { ...named, value: unknown },
            { ...named, value: unknown },
            { differences: [{ path: "lint" }] },
          ),
        ],
        inZone("id"),
      ),
    [],
  ],
  [
    "a key that is renamed",
    () => effects([set({ a: content }, { b: content })], inZone("id-a", { description: "a" })),
    ["update b id-a"],
  ],
  [
    "a key that is renamed, and keeps its description",
    () => effects([set({ a: named }, { b: named })], inZone("id-a")),
    [],
  ],
  [
    "a key whose policy had a description of its own",
    () => effects([set({ a: named }, { b: content })], inZone("id-a")),
    ["create b begins", "delete a id-a no longer enforced"],
  ],
  [
    "a key whose policy gets a description of its own",
    () =>
      effects(
        [set({ a: content }, { b: { ...content, description: "b" } })],
        inZone("id-a", { description: "a" }),
      ),
    ["create b begins", "delete a id-a no longer enforced"],
  ],
  [
    "a key that is removed",
    () =>
      effects(
        [set({ a: content, b: other }, { a: content })],
        inZone("id-a", { description: "a" }),
        inZone("id-b", { description: "b", ...other }),
      ),
    ["delete b id-b no longer enforced"],
  ],
  [
    "a key that is released",
    () => effects([set({ a: content }, {}, { release: ["a"] })], inZone("id-a", { description: "a" })),
    ["leave a id-a"],
  ],
  [
    "a key that is released and declared under another one",
    () => effects([set({ a: named }, { b: named }, { release: ["a"] })], inZone("id-a")),
    ["adopt b id-a"],
  ],
  [
    "a key that is removed, and declared by another resource",
    () => effects([set({ a: named }, {}), resource("new", { op: "create", becomes: named })], inZone("id-a")),
    ["create shop begins", "delete a id-a no longer enforced"],
  ],
  [
    "policies of a set that are not known yet",
    () =>
      effects(
        [
          resource("set", {
            op: "update",
            was: { policies: { a: content }, policyIds: { a: "id-a" } },
            becomes: { policies: unknown },
          }),
        ],
        inZone("id-a", { description: "a" }),
      ),
    ["update a id-a may no longer be enforced"],
  ],
  [
    "a set that is replaced",
    () =>
      effects(
        [set({ a: content }, { a: content }, { release: ["a"] }, "replace")],
        inZone("id-a", { description: "a" }),
      ),
    ["create a begins", "delete a id-a no longer enforced"],
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
    "an exact set that does not know all its policies",
    () => effects([set({}, { a: unknown }, { others: "delete" })], inZone("x")),
    ["create a begins", "lose shop x perhaps"],
  ],
  [
    "an exact set that stays as it is",
    () => effects([set({}, {}, { others: "delete" }, "same")], inZone("x")),
    [],
  ],
];

describe("What an update does to the policies of a zone", () => {
  for (const [what, found, expected] of cases) it(`given ${what}`, () => assert.deepEqual(found(), expected));
});
