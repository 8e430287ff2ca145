import assert from "node:assert/strict";
import ts from "typescript";
import { type Compiled, compileMistakes } from "./support/compiled";
import { removeAll, root } from "./support/installation";
import { mistakes } from "./support/mistakes";

describe("The TypeScript compiler", function () {
  this.timeout(120_000);
  let found: Compiled;

  before(() => {
    found = compileMistakes(ts, root);
  });

  after(removeAll);

  for (const [title, , at, says] of mistakes) {
    it(`rejects ${title}`, () => {
      const [only, ...others] = found.mistakes.get(title) ?? [];
      assert.equal(only?.says, says);
      assert.equal(only?.at.slice(0, at.length), at);
      assert.deepEqual(others, []);
    });
  }

  it("accepts words that come from files, the service or outputs", () => {
    assert.deepEqual(found.fitting, []);
  });
});
