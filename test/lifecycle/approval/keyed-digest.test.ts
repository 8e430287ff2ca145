import assert from "node:assert/strict";
import {
  approvalKey,
  newSalt,
  sealOf,
  secretDigest,
} from "../../../provider/src/lifecycle/approval/keyed-digest";

const key = { salt: "0".repeat(32), key: undefined };

describe("Digests of what is approved", () => {
  it("depend on place, salt and key, and are equal for equal values", async () => {
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

  it("seal with or without a key, and the seal says which", () => {
    assert.match(sealOf({ a: 1 }, undefined), /^sha256:[0-9a-f]{64}$/);
    assert.match(sealOf({ a: 1 }, "k"), /^hmac-sha256:[0-9a-f]{64}$/);
    assert.notEqual(sealOf({ a: 1 }, "k"), sealOf({ a: 1 }, "l"));
    assert.notEqual(sealOf({ a: 1 }, undefined), sealOf({ a: 2 }, undefined));
  });

  it("refuse a key that could be guessed, without showing it", () => {
    assert.equal(approvalKey({}), undefined);
    assert.equal(approvalKey({ PAGE_GUARD_APPROVAL_KEY: "  " }), undefined);
    assert.equal(approvalKey({ PAGE_GUARD_APPROVAL_KEY: ` ${"k".repeat(16)}\n` }), "k".repeat(16));
    assert.throws(
      () => approvalKey({ PAGE_GUARD_APPROVAL_KEY: "fifteen letters" }),
      ({ message }: Error) => /fewer than 16 characters/.test(message) && !message.includes("fifteen"),
    );
  });
});
