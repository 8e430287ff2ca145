import assert from "node:assert/strict";
import type { JournalEntry } from "../../../provider/src/simulator";

/** What no process may do, whatever came of it: judged by its requests alone. */
export function judgeConduct(requests: readonly JournalEntry[]): void {
  const refused = requests.filter(
    ({ method, status, fault }) => method !== "GET" && status === 400 && fault === undefined,
  );
  assert.deepEqual(
    refused.map(({ body }) => body),
    [],
    "something was sent that the service can't take",
  );
  for (const process of new Set(requests.map(({ userAgent }) => userAgent))) {
    judgeProcess(requests.filter(({ userAgent }) => userAgent === process));
  }
}

function judgeProcess(requests: readonly JournalEntry[]): void {
  /** Changes whose answer was not clear, until somebody has looked. */
  const unclear = new Set<string>();
  const migrations = requests.filter(isMigration);
  assert.ok(migrations.length <= 1, "a process sent two migration updates");
  for (const request of requests) {
    const { method, path, status, fault } = request;
    if (method === "GET") {
      unclear.delete(path);
      continue;
    }
    if (!path.endsWith("/entrypoint")) continue;
    assert.ok(!unclear.has(path), "a list was sent again without a look at what is there");
    const isClear = status !== undefined && status < 500 && status !== 200 && fault !== "truncate";
    if (!isClear && fault !== undefined && !fault.includes("429")) unclear.add(path);
  }
}

export function isMigration({ method, query }: JournalEntry): boolean {
  return method !== "GET" && "waf_migration" in query;
}
