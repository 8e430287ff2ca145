/** Reads the settings of a zone many times at once, by the package or plainly; prints what became of it as JSON. */
import { setTimeout as sleep } from "node:timers/promises";
import { getSettings } from "./built-package.mjs";

const [reader, work = "0", zoneId = ""] = process.argv.slice(2);

async function plainly() {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(`${process.env.PAGE_GUARD_BASE_URL}/zones/${zoneId}/page_guard`, {
      headers: { Authorization: `Bearer ${process.env.PAGE_GUARD_API_TOKEN}` },
    });
    const body = await response.json();
    if (response.ok) return body.result;
    if (attempt === 2) throw new Error(`HTTP ${response.status}`);
    await sleep(500 * 2 ** attempt);
  }
}

const read = reader === "ours" ? () => getSettings({ zoneId }) : plainly;
const started = performance.now();
const results = await Promise.allSettled(Array.from({ length: Number(work) }, read));
const answered = results.filter(({ status }) => status === "fulfilled").length;
const wallMs = performance.now() - started;
process.stdout.write(JSON.stringify({ answered, failed: results.length - answered, wallMs }));
process.exit();
