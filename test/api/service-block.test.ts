import assert from "node:assert/strict";
import { ASK_AFTER_MS } from "../../provider/src/api/ask-after";
import { ServiceBlock } from "../../provider/src/api/service-block";

const windowMs = 300_000;
const [first = 0, second = 0] = ASK_AFTER_MS;

describe("While a service refuses every request", () => {
  it("nothing is over that never began", () => {
    assert.equal(new ServiceBlock().ends(5), false);
    assert.equal(new ServiceBlock().answered(5), undefined);
  });

  it("it is waited for as long as it asks, and a hundredth; that it is over is said once", () => {
    const block = new ServiceBlock();
    assert.equal(block.refused(5000, 90, 100, windowMs), 5050);
    assert.deepEqual([block.askedUntil, block.until], [5100, 5150]);
    assert.equal(block.ends(5149), false);
    assert.equal(block.ends(5150), true);
    assert.equal(block.ends(5150), false);
  });

  it("the longest that anybody was told holds", () => {
    const block = new ServiceBlock();
    block.refused(5000, 90, 100, windowMs);
    assert.equal(block.refused(1000, 95, 200, windowMs), 4950, "until then nobody sends");
    assert.deepEqual([block.askedUntil, block.until], [5100, 5150]);
    block.refused(9000, 95, 200, windowMs);
    assert.deepEqual([block.askedUntil, block.until], [9200, 9290]);
  });

  it("one that does not say how long is asked ever later, counted from the first refusal", () => {
    const block = new ServiceBlock();
    assert.equal(block.refused(undefined, 0, 100, windowMs), first + 20);
    // Sent before: it tells nothing new.
    assert.equal(block.refused(undefined, 50, 200, windowMs), 100 + first + 20 - 200);
    const askedAt = block.until;
    block.refused(undefined, askedAt, askedAt + 10, windowMs);
    assert.equal(block.askedUntil, 100 + second);
  });

  it("who says how long is believed once, and then no less than one that does not", () => {
    const block = new ServiceBlock();
    block.refused(0, 0, 100, windowMs);
    const askedAt = block.until;
    block.refused(0, askedAt, askedAt + 10, windowMs);
    assert.equal(block.askedUntil, 100 + first);
  });

  it("a wait of ten minutes is taken, a longer one is given up, and a window later one may ask", () => {
    const block = new ServiceBlock();
    assert.equal(block.refused(600_000, 0, 0, windowMs), 601_000);
    const given = new ServiceBlock();
    assert.equal(given.refused(600_001, 0, 0, windowMs), undefined);
    assert.deepEqual([given.askedUntil, given.until], [600_001, windowMs]);
  });

  it("an answer to what was sent afterwards teaches how long it took; others teach nothing", () => {
    const block = new ServiceBlock();
    block.refused(5000, 90, 100, windowMs);
    block.refused(6000, 95, 150, windowMs);
    assert.equal(block.answered(6209), undefined);
    assert.deepEqual(block.answered(6210), { since: 100, waitMs: 6050 });
    assert.equal(block.answered(7000), undefined, "it is over");
    // Another block begins from nothing.
    block.refused(1000, 8000, 8100, windowMs);
    assert.deepEqual(block.answered(10_000), { since: 8100, waitMs: 1000 });
  });

  it("after a block its steps begin anew", () => {
    const block = new ServiceBlock();
    block.refused(undefined, 0, 0, windowMs);
    block.refused(undefined, block.until, block.until + 5, windowMs);
    block.answered(block.until + 1);
    const again = 100_000;
    assert.equal(block.refused(undefined, again - 5, again, windowMs), first + 20);
  });
});
