import assert from "node:assert/strict";
import type { JournalEntry, Simulator } from "../../../../simulator/src";

const isPending = ({ query }: JournalEntry): boolean => query["waf_migration"] === "pending";

/** What the service saw of one zone, from the journal. */
export interface Verdict {
  /** Finishing updates that arrived. */
  readonly sent: number;
  readonly accepted: number;
}

/**
 * At most one finish is accepted, nobody sends one after he could have seen that it was, and no process sends two
 * migration updates.
 *
 * `isAlone`: no two processes were at work at the same time. Then not one finishing update may arrive after an
 * accepted one. Else each sender must at least have looked before the accepted one came: a window that only the service
 * can close, which it does by refusing.
 */
export function judge(
  sim: Simulator,
  zoneId: string,
  { isAlone, finishedByOthersAt }: { isAlone: boolean; finishedByOthersAt?: number | undefined },
): Verdict {
  const entries = sim.requests({ zoneId });
  const { waf } = sim.zones.get(zoneId);
  const pending = entries.filter(isPending);
  const accepted = pending.filter(({ changed }) => changed);
  if (isAlone || waf.repeats === "refuse") {
    assert.ok(waf.acceptedPending <= 1, `the service accepted ${waf.acceptedPending} finishing updates`);
  }
  const first = Math.min(accepted[0]?.seq ?? Infinity, finishedByOthersAt ?? Infinity);
  for (const entry of pending.filter(({ seq }) => seq > first)) {
    assert.ok(!isAlone, "a finishing update was sent after one had been accepted");
    const seen = lookOf(entries, entry);
    assert.ok(
      seen < first,
      "a finishing update was sent by a process that looked after one had been accepted",
    );
  }
  for (const name of new Set(entries.map(({ userAgent }) => userAgent))) {
    const updates = entries.filter((entry) => entry.userAgent === name && "waf_migration" in entry.query);
    assert.ok(updates.length <= 1, `${name} sent ${updates.length} migration updates`);
  }
  const others = entries.filter(({ method, query }) => method !== "GET" && !("waf_migration" in query));
  assert.deepEqual(others, [], "no other changing request is ever sent");
  return { sent: pending.length, accepted: accepted.length };
}

/** When the list of rules was read last before the update: of all reads the one that never lags. */
function lookOf(entries: readonly JournalEntry[], update: JournalEntry): number {
  const reads = entries.filter(
    ({ userAgent, seq, method, path }) =>
      userAgent === update.userAgent && seq < update.seq && method === "GET" && path.endsWith("/entrypoint"),
  );
  return reads.at(-1)?.seq ?? Infinity;
}
