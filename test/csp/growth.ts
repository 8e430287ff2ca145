import assert from "node:assert/strict";
import { processorTime } from "../provider/virtual-time/processor-time";

/** Fails where work on many takes more than `tolerated` times the share that linear work takes on few. */
export function assertLinear(
  work: (size: number) => unknown,
  { small, factor, tolerated }: { small: number; factor: number; tolerated: number },
): void {
  // What is compiled late is compiled before.
  work(small);
  // The floor keeps the clock's own noise out.
  const [many, few] = [small * factor, small].map((size) =>
    Math.max(
      5,
      processorTime(() => work(size)),
    ),
  );
  const ratio = (many ?? 0) / (few ?? 1);
  assert.ok(ratio < factor * tolerated, `${factor} times the size took ${ratio.toFixed(0)} times as long`);
}
