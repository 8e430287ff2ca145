import assert from "node:assert/strict";
import { z } from "zod";
import { wrongInputs } from "../../../provider/src/lifecycle/check-inputs";
import {
  booleanInput,
  connectionInput,
  wordInput,
  zoneIdInput,
} from "../../../provider/src/model/common-inputs";
import { containsUnknown, unknownValue } from "../../../provider/src/model/unknown";

const shape = {
  zoneId: zoneIdInput,
  enabled: booleanInput,
  onDestroy: wordInput(["restore", "keep"]).optional(),
  rules: z.array(z.object({ action: z.string({ error: "action is a text." }) })).optional(),
  connection: connectionInput.optional(),
};
const right = { zoneId: "0".repeat(32), enabled: true };
const said = (values: object) =>
  wrongInputs(shape, { ...values }).map(({ finding }) => `${finding.property}: ${finding.message}`);

describe("Inputs of a resource", () => {
  it("are accepted if they are right, also with the internal inputs that the class adds", () => {
    assert.deepEqual(said(right), []);
    assert.deepEqual(said({ ...right, __provider: "x", __urn: "y", onDestroy: undefined }), []);
  });

  it("with an unknown name are refused, with the nearest known name", () => {
    assert.match(said({ ...right, enabeld: true })[0] ?? "", /enabeld: .*Did you mean enabled\?/);
    assert.match(said({ ...right, zzzzzzzzzz: true })[0] ?? "", /Known arguments: zoneId, enabled/);
    // Names that every JavaScript object has are unknown too.
    assert.equal(said({ ...right, constructor: 1 }).length, 1);
  });

  it("whose values are unknown are not checked yet, at any depth", () => {
    assert.deepEqual(said({ zoneId: unknownValue, enabled: unknownValue }), []);
    assert.deepEqual(said({ ...right, rules: [{ action: unknownValue }] }), []);
    assert.deepEqual(said({ ...right, rules: unknownValue }), []);
    assert.deepEqual(said({ ...right, rules: [{ action: 1 }, { action: unknownValue }] }).length, 1);
    assert.ok(containsUnknown([{ a: [unknownValue] }]));
    assert.ok(!containsUnknown({ a: "x" }));
  });

  it("with a long value are refused without quoting it, because it may be a token in the wrong place", () => {
    const token = "s3cr3t-token-that-nobody-may-see-in-a-log";
    for (const values of [
      { ...right, zoneId: token },
      { ...right, enabled: token },
      { ...right, onDestroy: token },
    ]) {
      const text = said(values).join();
      assert.notEqual(text, "");
      assert.ok(!text.includes(token), text);
    }
    const connection = said({ ...right, connection: { token } }).join();
    assert.match(connection, /connection takes baseUrl, tokenEnv and service, not token/);
    assert.ok(!connection.includes(token));
  });
});
