import assert from "node:assert/strict";
import { processorTime } from "../provider/virtual-time/processor-time";

/** Fails if work on `factor` times the size takes more than `factor * tolerated` times as long. */
export function assertLinear(
  work: (size: number) => unknown,
  { small, factor, tolerated }: { small: number; factor: number; tolerated: number },
): void {
  // Run once first, so that late compilation does not count.
  work(small);
  // The minimum hides the noise of the clock.
  const [many, few] = [small * factor, small].map((size) =>
    Math.max(
      5,
      processorTime(() => work(size)),
    ),
  );
  const ratio = (many ?? 0) / (few ?? 1);
  assert.ok(ratio < factor * tolerated, `${factor} times the size took ${ratio.toFixed(0)} times as long`);
}
