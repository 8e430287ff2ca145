import assert from "node:assert/strict";
import { asApproved, type Moved, movedIn, movedText } from "../../../provider/src/lifecycle/approval/moved";
import type { ZoneContents, ZoneObject } from "../../../provider/src/lifecycle/approval/zone-contents";
import { zoneA } from "../../small-engine/zones";

const key = { salt: "0".repeat(32), key: undefined };

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

  it("is nothing where all is equal, open or as digests", async () => {
    const spelled = {
      ...policy,
      fields: { ...policy.fields, expression: " a  eq 1", value: "script-src 'self';" },
    };
    for (const isClosed of [false, true]) {
      assert.deepEqual(await moved(zone(policy, settings), zone(settings, spelled), isClosed), []);
    }
  });

  it("is each changed field with both values, and the names of new and deleted objects", async () => {
    const edited = { ...policy, fields: { ...policy.fields, enabled: false, expression: "b", extra: [1] } };
    const rule: ZoneObject = { kind: "rule", id: "r", fields: { action: "skip" } };
    const [changed = "", ...others] = await moved(zone(policy, settings), zone(edited, rule));
    assert.match(changed, / policy "shop" \(p\): expression is "b", was "a eq 1", /);
    assert.match(changed, /, enabled is false, was true, extra is \[1\], was absent$/);
    assert.deepEqual(others, ["the settings is gone", "the WAF rule (r) is new"]);
    const list = (order: string[]): ZoneObject => ({ kind: "entrypoint", id: "", fields: { order } });
    const [order = "", ...noMore] = await moved(zone(list(["a", "b"])), zone(list(["b", "a"])));
    assert.match(order, /: order is \["b","a"\], was \["a","b"\]$/);
    const migration: ZoneObject = { kind: "migration", id: "", fields: { compatible: true } };
    const [gone = "", ...none] = await moved(zone(migration), zone());
    assert.match(gone, / WAF migration is gone$/);
    assert.deepEqual([...noMore, ...none], []);
  });

  it("is named without its text where it may contain a secret; switches are no secrets", async () => {
    const edited = { ...policy, fields: { ...policy.fields, value: "script-src 'none'" } };
    const off = { ...settings, fields: { enabled: false } };
    const added = { ...policy, id: "q" };
    const [closed = "", ...open] = await moved(zone(policy, settings), zone(edited, off, added), true);
    assert.match(closed, /^the policy \(p\) has changed \(not shown: /);
    assert.deepEqual(open, ["the settings: enabled is false, was true", "the policy (q) is new"]);
    assert.deepEqual(await moved(zone(policy), zone(), true), ["the policy (p) is gone"]);
    const stored = JSON.stringify(await asApproved(zone(policy, settings), true, key));
    assert.ok(!stored.includes("script-src") && stored.includes('"enabled":true'), stored);
  });

  it("is any change of a text that is compared by its letters, also by digest and of any type", async () => {
    const words = (description: string) => ({ ...policy, fields: { ...policy.fields, description } });
    for (const isClosed of [false, true]) {
      const [said = ""] = await moved(zone(words("img-src a b")), zone(words("img-src b a")), isClosed);
      assert.match(said, /^the policy .*\(p\)/);
    }
    const odd = (value: unknown): ZoneObject => ({ ...policy, fields: { expression: null, value } });
    assert.deepEqual(await moved(zone(odd(1)), zone(odd(1)), true), []);
    assert.equal((await moved(zone(odd(1)), zone(odd("1")), true)).length, 1);
  });

  it("is shown as it is written, with its own quotes", async () => {
    const host = (name: string): ZoneObject => ({
      kind: "rule",
      id: "r",
      fields: { expression: `http.host eq "${name}"` },
    });
    assert.deepEqual(await moved(zone(host("a")), zone(host("b"))), [
      'the WAF rule (r): expression is "http.host eq "b"", was "http.host eq "a""',
    ]);
  });

  it("is reported for an object of which one side is held as a digest only", () => {
    const one: Moved = { zoneId: zoneA, what: "changed", kind: "rule", id: "r", isClosed: false };
    assert.match(movedText({ ...one, live: { a: 1 } }), /has changed/);
    assert.match(
      movedText({ ...one, what: "new", live: { description: "  " } }),
      /^the WAF rule \(r\) is new$/,
    );
  });
});
