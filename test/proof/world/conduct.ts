import assert from "node:assert/strict";
import type { JournalEntry } from "../../../simulator/src";
import { each } from "../../support/each";

/** Checks from the requests alone that no process did something that is never allowed. */
export function judgeConduct(requests: readonly JournalEntry[]): void {
  const refused = requests.filter(
    ({ method, status, fault }) => method !== "GET" && status === 400 && fault === undefined,
  );
  assert.deepEqual(each(refused, "body"), [], "something was sent that the service can't take");
  for (const process of new Set(requests.map(({ userAgent }) => userAgent))) {
    judgeProcess(requests.filter(({ userAgent }) => userAgent === process));
  }
}

function judgeProcess(requests: readonly JournalEntry[]): void {
  /** Paths of changes without a clear answer, until the process reads the path again. */
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
    assert.ok(!unclear.has(path), "a list was sent again without reading the zone first");
    const isClear = status !== undefined && status < 500 && status !== 200 && fault !== "truncate";
    if (!isClear && fault !== undefined && !fault.includes("429")) unclear.add(path);
  }
}

/** Returns creates that were carried out but that the process may not know of: the answer was lost, and a later read failed. */
export function unclearCreates(requests: readonly JournalEntry[]): JournalEntry[] {
  return requests.filter((create) => {
    if (create.method !== "POST" || !create.changed || create.fault === undefined) return false;
    const looks = requests.filter(
      ({ seq, method, path, userAgent }) =>
        seq > create.seq && method === "GET" && path === create.path && userAgent === create.userAgent,
    );
    return looks.some(({ status, fault }) => status !== 200 || fault !== undefined);
  });
}

/** Checks that the token is in no message, in no state and in no URL. */
export function expectSecrecy(
  token: string,
  said: readonly unknown[],
  requests: readonly JournalEntry[],
): void {
  assert.ok(!JSON.stringify(said).includes(token), "the token was shown");
  assert.ok(!requests.some(({ path }) => path.includes(token)), "the token is in a URL");
}

export function isMigration({ method, query }: JournalEntry): boolean {
  return method !== "GET" && "waf_migration" in query;
}
