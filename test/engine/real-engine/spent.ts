import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** What a test run spends its time on, besides the tests themselves. */
export type Spending = "engine" | "npm" | "TypeScript" | "waiting";

/** Notes it for the summary at the end of `npm test`; several workers note at once. */
export function spent(what: Spending, ms: number): void {
  const folder = process.env["PAGE_GUARD_TEST_SPENT"];
  if (folder) appendFileSync(join(folder, String(process.pid)), `${what} ${Math.round(ms)}\n`);
}
