import assert from "node:assert/strict";
import { AuthenticationError } from "../../provider/src/errors/authentication-error";
import { EnrollmentRequiredError } from "../../provider/src/errors/enrollment-required-error";
import { NotFoundError } from "../../provider/src/errors/not-found-error";
import { differingPlaces, pathKey, placeText } from "../../provider/src/lifecycle/approval/differing-places";
import {
  approvalKey,
  newSalt,
  sealOf,
  secretDigest,
} from "../../provider/src/lifecycle/approval/keyed-digest";
import { asApproved, type Moved, movedIn, movedText } from "../../provider/src/lifecycle/approval/moved";
import { steadyState } from "../../provider/src/lifecycle/approval/step-compared";
import {
  readZoneContents,
  type ZoneContents,
  type ZoneObject,
} from "../../provider/src/lifecycle/approval/zone-contents";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import type { ZoneReader } from "../../provider/src/zone/read-zone";
import { zoneA } from "../small-engine/zones";

const key = { salt: "0".repeat(32), key: undefined };

describe("Digests of what is approved", () => {
  it("are of a place, a salt and a key, and the same for the same", async () => {
    const one = await secretDigest(key, "a", { x: 1, y: [2] });
    assert.equal(await secretDigest(key, "a", { y: [2], x: 1 }), one);
    const others = await Promise.all([
      secretDigest(key, "b", { x: 1, y: [2] }),
      secretDigest({ ...key, salt: "1".repeat(32) }, "a", { x: 1, y: [2] }),
      secretDigest({ ...key, key: "k".repeat(16) }, "a", { x: 1, y: [2] }),
      secretDigest(key, "a", { x: 1, y: [3] }),
    ]);
    assert.equal(new Set([one, ...others]).size, 5);
    assert.match(newSalt(), /^[0-9a-f]{32}$/);
    assert.notEqual(newSalt(), newSalt());
  });

  it("seal with a key or without one, which the seal says", () => {
    assert.match(sealOf({ a: 1 }, undefined), /^sha256:[0-9a-f]{64}$/);
    assert.match(sealOf({ a: 1 }, "k"), /^hmac-sha256:[0-9a-f]{64}$/);
    assert.notEqual(sealOf({ a: 1 }, "k"), sealOf({ a: 1 }, "l"));
    assert.notEqual(sealOf({ a: 1 }, undefined), sealOf({ a: 2 }, undefined));
  });

  it("take no key that could be guessed, and do not show it", () => {
    assert.equal(approvalKey({}), undefined);
    assert.equal(approvalKey({ PAGE_GUARD_APPROVAL_KEY: "  " }), undefined);
    assert.equal(approvalKey({ PAGE_GUARD_APPROVAL_KEY: ` ${"k".repeat(16)}\n` }), "k".repeat(16));
    assert.throws(
      () => approvalKey({ PAGE_GUARD_APPROVAL_KEY: "fifteen letters" }),
      ({ message }: Error) => /fewer than 16 characters/.test(message) && !message.includes("fifteen"),
    );
  });
});

describe("What has moved in a zone", () => {
  const policy: ZoneObject = {
    kind: "policy",
    id: "p",
    fields: { description: "shop", expression: "a eq 1", value: "script-src 'self'", enabled: true },
  };
  const settings: ZoneObject = { kind: "settings", id: "", fields: { enabled: true } };
  const zone = (...objects: ZoneObject[]): ZoneContents => ({
    zoneId: zoneA,
    parts: ["settings", "policies"],
    objects,
  });
  const moved = async (before: ZoneContents, now: ZoneContents, isClosed = false) =>
    (await movedIn(await asApproved(before, isClosed, key), now, key)).map(movedText);

  it("is nothing where all says the same, open or closed", async () => {
    const spelled = {
      ...policy,
      fields: { ...policy.fields, expression: " a  eq 1", value: "script-src 'self';" },
    };
    for (const isClosed of [false, true]) {
      assert.deepEqual(await moved(zone(policy, settings), zone(settings, spelled), isClosed), []);
    }
  });

  it("is each field with both values; what came and what went by name", async () => {
    const edited = { ...policy, fields: { ...policy.fields, enabled: false, expression: "b", extra: [1] } };
    const rule: ZoneObject = { kind: "rule", id: "r", fields: { action: "skip" } };
    assert.deepEqual(await moved(zone(policy, settings), zone(edited, rule)), [
      'the policy "shop" (p): expression is "b", was "a eq 1", enabled is false, was true, extra is [1], was absent',
      "the settings is gone",
      "the WAF rule (r) is new",
    ]);
    const list = (order: string[]): ZoneObject => ({ kind: "entrypoint", id: "", fields: { order } });
    assert.deepEqual(await moved(zone(list(["a", "b"])), zone(list(["b", "a"]))), [
      'the list of WAF rules: order is ["b","a"], was ["a","b"]',
    ]);
    const migration: ZoneObject = { kind: "migration", id: "", fields: { compatible: true } };
    assert.deepEqual(await moved(zone(migration), zone()), ["the state of the WAF migration is gone"]);
  });

  it("is named without its text where something secret may stand in it; switches are no secrets", async () => {
    const edited = { ...policy, fields: { ...policy.fields, value: "script-src 'none'" } };
    const off = { ...settings, fields: { enabled: false } };
    const added = { ...policy, id: "q" };
    const closed = "(not shown: something in its zone is secret)";
    assert.deepEqual(await moved(zone(policy, settings), zone(edited, off, added), true), [
      `the policy (p) has changed ${closed}`,
      "the settings: enabled is false, was true",
      "the policy (q) is new",
    ]);
    assert.deepEqual(await moved(zone(policy), zone(), true), ["the policy (p) is gone"]);
    const stored = JSON.stringify(await asApproved(zone(policy, settings), true, key));
    assert.ok(!stored.includes("script-src") && stored.includes('"enabled":true'), stored);
  });

  it("is any other word of what has no meaning but its letters, also behind a digest, whatever type it is of", async () => {
    const words = (description: string) => ({ ...policy, fields: { ...policy.fields, description } });
    for (const isClosed of [false, true]) {
      const [said = ""] = await moved(zone(words("img-src a b")), zone(words("img-src b a")), isClosed);
      assert.match(said, /^the policy .*\(p\)/);
    }
    const odd = (value: unknown): ZoneObject => ({ ...policy, fields: { expression: null, value } });
    assert.deepEqual(await moved(zone(odd(1)), zone(odd(1)), true), []);
    assert.equal((await moved(zone(odd(1)), zone(odd("1")), true)).length, 1);
  });

  it("is told as it is written, with its own quotes", async () => {
    const host = (name: string): ZoneObject => ({
      kind: "rule",
      id: "r",
      fields: { expression: `http.host eq "${name}"` },
    });
    assert.deepEqual(await moved(zone(host("a")), zone(host("b"))), [
      'the WAF rule (r): expression is "http.host eq "b"", was "http.host eq "a""',
    ]);
  });

  it("is told of an object of which one side is held as a digest only", () => {
    const one: Moved = { zoneId: zoneA, what: "changed", kind: "rule", id: "r", isClosed: false };
    assert.match(movedText({ ...one, live: { a: 1 } }), /has changed/);
    assert.match(
      movedText({ ...one, what: "new", live: { description: "  " } }),
      /^the WAF rule \(r\) is new$/,
    );
  });
});

describe("What is read of a zone", () => {
  const reader = (more: Partial<ZoneReader> = {}): ZoneReader =>
    ({
      getSettings: async () => ({ updatedAt: "t", enabled: true }),
      listPolicies: async () => [],
      getEntrypoint: async () => undefined,
      getCompatibility: async () => ({ compatible: true, migrationState: "start" }),
      getWafStatus: async () => ({ record: {}, oldEnabled: true, newEnabled: false }),
      getWafConfiguration: async () => ({ name: "default", rules: [] }),
      ...more,
    }) as ZoneReader;
  const failing = (error: Error) => async () => {
    throw error;
  };
  const refused = (httpStatus: number) => new AuthenticationError({ outcome: "refused", httpStatus }, "x");
  const all = new Set(["settings", "policies", "rules", "migration"] as const);

  it("is what is asked for, without what the service makes", async () => {
    const rules = [
      { id: "r", version: "3", lastUpdated: "t", action: "skip", expression: "true" },
      { action: "log", expression: "true" },
    ];
    const client = reader({ getEntrypoint: async () => ({ name: "n", rules }) as never });
    const { zoneId, parts, objects } = await readZoneContents(client, zoneA.toUpperCase(), { needed: all });
    assert.deepEqual([zoneId, parts], [zoneA, ["settings", "policies", "rules", "migration"]]);
    assert.deepEqual(
      objects.map(({ kind, id, fields }) => [kind, id, fields]),
      [
        ["settings", "", { enabled: true }],
        ["entrypoint", "", { name: "n", order: ["r", "without an id, 2"] }],
        ["rule", "r", { action: "skip", expression: "true" }],
        ["rule", "without an id, 2", { action: "log", expression: "true" }],
        [
          "migration",
          "",
          {
            compatible: true,
            migrationState: "start",
            oldEnabled: true,
            newEnabled: false,
            proposed: { name: "default", rules: [] },
          },
        ],
      ],
    );
    const some = await readZoneContents(client, zoneA, { needed: new Set(["settings"]) });
    assert.deepEqual(some.parts, ["settings"]);
  });

  it("is nothing of a zone that is gone, and what can be seen where the rest is merely wished for", async () => {
    const gone = new NotFoundError({ outcome: "refused", httpStatus: 404 });
    const absent = await readZoneContents(reader({ getSettings: failing(gone) }), zoneA, {
      needed: new Set(["settings"]),
    });
    assert.deepEqual([absent.parts, absent.objects], [["settings"], []]);
    const forbidden = reader({ listPolicies: failing(refused(403)) });
    for (const status of [400, 403, 499]) {
      const partly = reader({ listPolicies: failing(refused(status)) });
      const seen = await readZoneContents(partly, zoneA, {
        needed: new Set(["settings"]),
        wished: ["policies"],
      });
      assert.deepEqual(seen.parts, ["settings"], String(status));
    }
    await assert.rejects(readZoneContents(forbidden, zoneA, { needed: all }), AuthenticationError);
    for (const status of [429, 500]) {
      const passing = reader({ listPolicies: failing(refused(status)) });
      await assert.rejects(
        readZoneContents(passing, zoneA, { needed: new Set(["settings"]), wished: ["policies"] }),
        AuthenticationError,
      );
    }
    await assert.rejects(
      readZoneContents(reader({ listPolicies: failing(new Error("odd")) }), zoneA, {
        needed: new Set(),
        wished: ["policies"],
      }),
      /odd/,
    );
  });

  it("is an empty list where a zone has none yet, and less of a migration whose interface is gone", async () => {
    const none = new EnrollmentRequiredError({ outcome: "refused", httpStatus: 400 });
    const gone = failing(new NotFoundError({ outcome: "refused", httpStatus: 410 }));
    const client = reader({
      getEntrypoint: failing(none),
      getCompatibility: gone,
      getWafStatus: gone,
      getWafConfiguration: gone,
    });
    const { objects } = await readZoneContents(client, zoneA, { needed: new Set(["rules", "migration"]) });
    assert.deepEqual(
      objects.map(({ kind, fields }) => [kind, fields]),
      [
        ["entrypoint", { order: [] }],
        ["migration", {}],
      ],
    );
    await assert.rejects(
      readZoneContents(reader({ getEntrypoint: failing(new Error("odd")) }), zoneA, { needed: all }),
      /odd/,
    );
    await assert.rejects(
      readZoneContents(reader({ getWafStatus: failing(refused(403)) }), zoneA, { needed: all }),
      AuthenticationError,
    );
  });
});

describe("A recorded object that is compared", () => {
  it("is all of it but what the service sets by itself, whatever a program calls its own", () => {
    const rule = { id: "r", version: "3", lastUpdated: "t", action: "skip" };
    const recorded = {
      __provider: "text",
      updatedAt: "t",
      version: "7",
      rules: [rule, [rule]],
      initial: { rules: [rule] },
      policyIds: { version: "p", updatedAt: "q" },
      value: "hush",
    };
    const { version: _, lastUpdated: __, ...steady } = rule;
    assert.deepEqual(steadyState(recorded, ["value"]), {
      rules: [steady, [steady]],
      initial: { rules: [steady] },
      policyIds: { version: "p", updatedAt: "q" },
    });
  });

  it("differs by paths; absent and null are the same, and nothing unknown is left where something was", () => {
    const places = (approved: unknown, now: unknown, ...unknown: string[][]) =>
      differingPlaces(approved, now, new Set(unknown.map(pathKey))).map(placeText);
    assert.deepEqual(places({ a: { b: [1, 2] }, c: null }, { a: { b: [1, 3] } }), ["a.b[1]"]);
    assert.deepEqual(places({ a: [1] }, { a: [1, 2] }), ["a"]);
    assert.deepEqual(places({ a: [] }, { a: {} }), ["a"]);
    assert.deepEqual(places({ a: "1" }, { a: 1 }), ["a"]);
    assert.deepEqual(places({ a: "[not known yet]" }, { a: { b: 1 } }, ["a"]), []);
    assert.deepEqual(places({ a: "[not known yet]" }, { a: { b: unknownValue } }, ["a"]), ["a.b"]);
    assert.deepEqual(places({ a: unknownValue }, { a: unknownValue }), ["a"]);
    assert.deepEqual(places({}, JSON.parse('{"__proto__":{"a":1}}')), ["__proto__"]);
  });
});
