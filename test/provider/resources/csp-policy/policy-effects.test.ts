import assert from "node:assert/strict";
import type { ResourceChange } from "../../../../provider/src/model/effect";
import { keepersOf, recordedPolicies } from "../../../../provider/src/model/policies/policy-effects";
import type { Properties } from "../../../../provider/src/model/properties";
import { effectsOf } from "../../../../provider/src/resources/kinds";

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

const inZone = (policyId: string, more: object = {}) => ({ policyId, enabled: true, ...named, ...more });

/** Returns a text per effect: `fate label id`, and what it means for protection. */
function effects(
  resources: readonly ResourceChange[],
  ...live: readonly ReturnType<typeof inZone>[]
): string[] {
  return effectsOf(resources, { policies: live }).map(({ fate, object, begins, weaker, isOpen }) => {
    const start = begins === "maybe" ? "may begin" : begins && "begins";
    const parts = [fate, object.label, object.id, start, weaker, isOpen && "perhaps"];
    return parts.filter(Boolean).join(" ");
  });
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
  hidden: { ...named, onDestroy: Symbol("[secret]") },
  unchecked: { ...named, impact: "off" },
  cutOff: { ...named, incomplete: true },
  secret: { ...named, value: unknown },
  may: { ...named, action: unknown },
};

/**
 * Columns: title, operations with the policy or the set before and after, the zone's policies by id, and the expected effects. A
 * set is written `a+b:other+c:shop`: keys with the usual content, with `other` content, or with a description. `?` is unknown.
 */
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
  a deleted policy that may stay, because onDestroy is secret | delete hidden -> | id shop | delete shop id no longer enforced perhaps
  a replacement whose onDestroy is secret | replace hidden -> shop, differs lint | id shop | create shop begins, delete shop id no longer enforced perhaps
  a resource with a secret onDestroy that is only removed from the state | delete hidden -> , retained | id shop | leave shop id
  a resource that is only removed from the state | delete shop -> , retained | id shop | leave shop id
  a policy that allows more | update shop -> more | id shop | update shop id may allow more
  a policy that begins to enforce | update log -> shop | id log | update shop id begins
  a policy that may begin to enforce | create -> may | | create shop may begin
  a policy that may begin or end to enforce | update may -> may, differs action | id log | update shop id may begin
  an update that sends no policy, although the zone has drifted | update shop -> unchecked | id other |
  an update after one that was cut off | update cutOff -> shop | id log | update shop id begins
  an update to the policy that the zone has already | update other -> shop | id shop |
  a replacement that leaves its policy in the zone | replace keep -> shop | id shop | adopt shop id
  a replacement that deletes its policy | replace shop -> shop, differs lint | id shop | create shop begins, delete shop id no longer enforced
  a replacement with retainOnDelete | replace shop -> shop, retained, differs lint | id shop | create shop begins, leave shop id
  a replacement without a changed input, whose successor adopts the policy | replace shop -> shop | id shop | adopt shop id
  a replacement without a changed input that deletes first | replace shop -> shop, deleted first | id shop | create shop begins, delete shop id no longer enforced
  a replacement without a changed input, after an update that was cut off | replace cutOff -> shop | id shop | create shop begins, delete shop id no longer enforced
  a replacement that leaves its policy in the zone, where another resource declares it | replace keep -> other, differs lint, create -> shop | id shop | create shop begins, adopt shop id
  a replacement that deletes its policy, which another resource declares | replace shop -> other, differs lint, create -> shop | id shop | create shop begins, create shop begins, delete shop id no longer enforced
  a secret text that changes | update secret -> secret, differs value | id shop | update shop id may allow more
  a secret text that stays | update secret -> secret, differs lint | id shop |
  a deleted policy that another resource has in its state, too | delete shop -> , same shop -> shop | id shop |
  a policy that is replaced without a changed input and that another resource keeps | replace shop -> shop, same shop -> shop | id shop | create shop begins
  a key that is renamed | set a -> b | id-a a | update b id-a
  a key that is renamed and keeps its description | set a:shop -> b:shop | id-a shop |
  a key that is renamed, with its old name as the description | set a -> b:a | id-a a |
  a new key that could continue two policies, of which one is equal | set z+y:x -> x | id-z z, id-y x | delete z id-z no longer enforced
  two new keys that could continue one policy | set a -> x+w | id-a a | update x id-a, create w begins
  a renamed key that loses its explicit description | set a:shop -> b | id-a shop | create b begins, delete a id-a no longer enforced
  a renamed key that gets an explicit description | set a -> b:b | id-a a | create b begins, delete a id-a no longer enforced
  a key that is removed | set a+b:other -> a | id-a a, id-b b:other | delete b id-b no longer enforced
  a key that is released | set a -> , release a | id-a a | leave a id-a
  a key that may be released | set a -> , release ? | id-a a | delete a id-a no longer enforced perhaps
  a key that may be released from a set that deletes all others | set a -> , release ?, others delete | id-a a | delete a id-a no longer enforced
  a key that is released from a set that deletes all others | set a -> , release a, others delete | id-a a | delete a id-a no longer enforced
  a key that is released and whose policy is declared under another key | set a:shop -> b:shop, release a | id-a shop | adopt b id-a
  a key that is removed and whose policy another resource declares | set a:shop -> , create -> shop | id-a shop | create shop begins, delete a id-a no longer enforced
  a key that is removed and whose policy another resource has in its state, too | set a:shop -> , same@id-a shop -> shop | id-a shop |
  a key whose policy is gone, beside one that changes | set a+b -> a+b:other | id-b b | update b id-b
  a key whose policy is gone, and changes | set a -> a:other | id-b b | create a begins
  a set whose policies are unknown | set a -> ? | id-a a | update a id-a may no longer be enforced
  a set whose policies change, one of which is unknown | set a:?+b -> a:?+b, differs policies | id-a a, id-b b | update a id-a may no longer be enforced
  a set of which one policy changes and another is unknown | set a:?+b:? -> a:?+b:?, differs policies.b.value | id-a a, id-b b | update b id-b may no longer be enforced
  a set that is replaced | replace set a -> a, release a, differs release | id-a a | create a begins, delete a id-a no longer enforced
  a set that is replaced and whose policies are unknown | replace set a -> ?, differs others | id-a a | delete a id-a no longer enforced
  an exact set that is replaced with retainOnDelete | replace set a+b -> a, retained, others delete, differs others | id-a a, id-b b | create a begins, leave a id-a, leave b id-b
  a set that is replaced without a changed input | replace set a -> a | id-a a | adopt a id-a
  an exact set | set -> shop, others delete | x other, y shop | adopt shop y, lose shop x
  a set that may be exact | set -> , others ? | x shop | lose shop x perhaps
  an exact set with an unknown policy | set -> a:?, others delete | x shop | create a may begin, lose shop x perhaps
  an exact set that does not change | same set -> , others delete | x shop |
`;

function parts(text: string): readonly string[] {
  return text === "" ? [] : text.split(", ").map((part) => part.trim());
}

/** Returns the content of a policy, with a description if there is one. */
function entryOf(text = ""): object | string {
  if (text === "?") return unknown;
  return text === "other" ? other : { ...content, ...(text && { description: text }) };
}

function setOf(text: string): object | string {
  if (text === "?") return unknown;
  const keys = text.split("+").filter(Boolean);
  return Object.fromEntries(keys.map((key) => key.split(":")).map(([key, entry]) => [key, entryOf(entry)]));
}

/**
 * Parses `update log -> shop` and `replace set a -> b` into resource changes. `retained`, `deleted first` and `differs NAME` apply
 * to the first one, `release KEY` and `others WORD` to the set.
 */
function parse(text: string): readonly ResourceChange[] {
  const all = parts(text);
  const words = (name: string) =>
    all.flatMap((part) => (part.startsWith(`${name} `) ? [part.slice(name.length + 1)] : []));
  const more = {
    isRetained: all.includes("retained"),
    isDeletedFirst: all.includes("deleted first"),
    differences: words("differs").map((path) => ({ path })),
  };
  const [others] = words("others").map((word) => (word === "?" ? unknown : word));
  const release = words("release").map((key) => (key === "?" ? Symbol("[secret]") : key));
  return all.flatMap((part, index) => {
    const [isSet, setOp = "update", before = "", after = ""] =
      /^(?:(\w+) )?set ?(\S*) ->\s?(\S*)$/.exec(part) ?? [];
    if (isSet) {
      const policyIds = Object.fromEntries(Object.keys(setOf(before)).map((key) => [key, `id-${key}`]));
      const becomes = { policies: setOf(after), release, ...(others && { others }) };
      return [resource("set", { op: setOp, was: { policies: setOf(before), policyIds }, becomes, ...more })];
    }
    const [, op = "", policyId = "id", was = "", becomes = ""] =
      /^(\w+)(?:@(\S+))? ?(\w*) ->\s?(\w*)$/.exec(part) ?? [];
    const sides = {
      ...(policies[was] && { was: { ...policies[was], policyId } }),
      ...(policies[becomes] && { becomes: { ...policies[becomes] } }),
    };
    return op ? [resource("one", { op, ...sides, ...(index === 0 ? more : { urn: "urn:new" }) })] : [];
  });
}

/** Parses the zone's policies: the name of a policy after its id, or a key of a set with its content. */
function live(text: string): ReturnType<typeof inZone>[] {
  return parts(text).map((part) => {
    const [id = "", name = ""] = part.split(" ");
    const [key = "", entry] = name.split(":");
    return inZone(id, policies[name] ?? { description: key, ...Object(entryOf(entry)) });
  });
}

describe("The effects of an update on the policies of a zone", () => {
  for (const line of changes.trim().split("\n")) {
    const [what, change = "", zone = "", expected = ""] = line.split("|").map((part) => part.trim());
    it(`given ${what}`, () => assert.deepEqual(effects(parse(change), ...live(zone)), parts(expected)));
  }
});

describe("The resource that keeps a policy", () => {
  it("is the first one that has the policy in its state and in its declaration", () => {
    const has = (name: string, op: string, policyId: string, becomes?: Properties) =>
      resource(name, { op, was: { ...named, policyId }, becomes });
    const keepers = keepersOf([
      ...[has("goes", "delete", "1"), has("moves", "replace", "2", named)],
      ...[has("first", "same", "3", named), has("second", "update", "3", other)],
      hiddenIds,
    ]);
    assert.deepEqual(Object.fromEntries(keepers), { 3: "urn:first" });
  });

  const hiddenIds = resource("set", {
    op: "update",
    was: { policies: { a: content }, policyIds: {} },
    becomes: { policies: { a: other } },
  });
});

describe("The policies in the state of a resource", () => {
  it("have the ids in the state, or else the policy id in the resource's id", () => {
    const ids = (was: object) => recordedPolicies({ id: "zone/p", was: { ...was } }).map(({ id }) => id);
    assert.deepEqual(ids({ policyId: "own" }), ["own"]);
    assert.deepEqual(ids(named), ["p"]);
    assert.deepEqual(ids({ policies: { a: named, b: named }, policyIds: { a: "1" } }), ["1", undefined]);
    assert.deepEqual(ids({ policies: {}, policyIds: { a: "1" } }), ["1"]);
    assert.deepEqual(ids({ ...named, policyId: Symbol("[secret]") }), ["p"]);
  });

  const hidden = Symbol("[secret]");
  const hiddenSet = (more: object, becomes?: object) => {
    const op = becomes ? "update" : "delete";
    return resource("set", { op, was: { ...more }, ...(becomes && { becomes: { ...becomes } }) });
  };
  const [a, b] = [content, other];

  it("exist although their ids are secret", () => {
    const was = { policies: { a, b }, policyIds: hidden };
    const gone = (key: string) => `delete ${key} no longer enforced perhaps`;
    assert.deepEqual(effects([hiddenSet(was)]), [gone("a"), gone("b")]);
    assert.deepEqual(effects([hiddenSet(was, { policies: { a: other } })]), ["update a", gone("b")]);
  });

  it("have their ids as keys if their values are secret", () => {
    const was = { policies: hidden, policyIds: { a: "id-a" } };
    assert.deepEqual(effects([hiddenSet(was)], inZone("id-a")), ["delete a id-a no longer enforced"]);
  });

  it("are one that may be deleted if nothing of them is visible", () => {
    const was = { policies: hidden, policyIds: hidden };
    assert.deepEqual(effects([hiddenSet(was)]), ["delete set no longer enforced perhaps"]);
  });

  it("may be among the policies that an exact set deletes", () => {
    const was = { policies: { a }, policyIds: hidden };
    const exact = hiddenSet(was, { policies: { a }, others: "delete" });
    assert.deepEqual(effects([exact], inZone("x")), ["lose shop x perhaps"]);
  });
});
