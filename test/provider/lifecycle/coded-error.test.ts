import assert from "node:assert/strict";
import { NotFoundError } from "../../../provider/src/errors/api-error";
import { CodedError, codeOf } from "../../../provider/src/lifecycle/coded-error";
import { mayHaveActed } from "../../../provider/src/lifecycle/partial-failure-error";
import { messageOf } from "../../../provider/src/text/data";

describe("Whatever is thrown", () => {
  it("has a text, a code, and may have happened or surely has not", () => {
    const gone = new NotFoundError({ outcome: "refused", httpStatus: 404 });
    assert.deepEqual(
      [messageOf(new Error("a")), messageOf("b"), messageOf(undefined)],
      ["a", "b", "undefined"],
    );
    assert.deepEqual(
      [codeOf(gone), codeOf(new CodedError("nothing-to-get", "")), codeOf(new Error("")), codeOf("x")],
      ["PG_NOT_FOUND", "nothing-to-get", "unexpected", "unexpected"],
    );
    assert.ok(mayHaveActed(new Error("of ours")));
    assert.ok(!mayHaveActed("no error"));
    assert.ok(!mayHaveActed(gone));
    assert.ok(mayHaveActed(new NotFoundError({ outcome: "unknown" })));
    assert.ok(!mayHaveActed(new NotFoundError({ outcome: "unsent" })));
  });
});
