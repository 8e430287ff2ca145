import assert from "node:assert/strict";
import type { JournalEntry } from "../../../simulator/src";
import { each } from "../../support/each";

/** What no process may do, whatever came of it: judged by its requests alone. */
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

/** Creates that were carried out and whose maker may not know it: no answer came, and a look after it has failed. */
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

/** The token is in nothing that was said or recorded, and in no URL. */
export function expectSecrecy(
  token: string,
  said: readonly unknown[],
  requests: readonly JournalEntry[],
): void {
  assert.ok(!JSON.stringify(said).includes(token), "the token was told");
  assert.ok(!requests.some(({ path }) => path.includes(token)), "the token is in a URL");
}

export function isMigration({ method, query }: JournalEntry): boolean {
  return method !== "GET" && "waf_migration" in query;
}
