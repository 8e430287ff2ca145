import assert from "node:assert/strict";
import { processorTime } from "../provider/virtual-time/processor-time";

/** Fails if work on `factor` times the size takes more than `factor * tolerated` times as long. */
export function assertLinear(
  work: (size: number) => unknown,
  { small, factor, tolerated }: Readonly<Record<"small" | "factor" | "tolerated", number>>,
): void {
  // Run once first, so that late compilation does not count.
  work(small);
  // The minimum hides the noise of the clock.
  const measure = (size: number) =>
    Math.max(
      5,
      processorTime(() => work(size)),
    );
  const ratio = measure(small * factor) / measure(small);
  assert.ok(ratio < factor * tolerated, `${factor} times the size took ${ratio.toFixed(0)} times as long`);
}
