import assert from "node:assert/strict";
import ts from "typescript";
import { type Compiled, compiled } from "./support/compiled";
import { removeAll, root } from "./support/installation";
import { mistakes } from "./support/mistakes";

describe("What a compiler says of a program", function () {
  this.timeout(120_000);
  let found: Compiled;

  before(() => {
    found = compiled(ts, root);
  });

  after(removeAll);

  for (const [title, , at, says] of mistakes) {
    it(`names what is wrong with ${title}`, () => {
      const [only, ...others] = found.mistakes.get(title) ?? [];
      assert.equal(only?.says, says);
      assert.equal(only?.at.slice(0, at.length), at);
      assert.deepEqual(others, []);
    });
  }

  it("nothing, where words come from files, from the service, or later", () => {
    assert.deepEqual(found.fitting, []);
  });
});
