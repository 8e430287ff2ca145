import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inChild } from "./in-child.mjs";
import { megabytes, seconds, table } from "./table.mjs";

const cases = [
  { zones: 1, scripts: 2_000 },
  { zones: 1, scripts: 10_000 },
  { zones: 200, scripts: 50 },
];
const quickCases = [{ zones: 1, scripts: 500 }];

const executablePath = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path && existsSync(path),
);

/** A report in all formats, and its page in a browser: until it is open, and until a word is searched. */
export async function reportBench({ startSimulator, progress, isQuick }) {
  const script = join(dirname(fileURLToPath(import.meta.url)), "report-run.mjs");
  const results = [];
  for (const { zones, scripts } of isQuick ? quickCases : cases) {
    const sim = await startSimulator({ latencyMs: 20 });
    const folder = mkdtempSync(join(tmpdir(), "page-guard-bench-"));
    try {
      const ids = Array.from({ length: zones }, (_, index) => (index + 1).toString(16).padStart(32, "0"));
      for (const id of ids) sim.zones.seed(id, { scripts, connections: 10, policies: [{ action: "allow" }] });
      mkdirSync(join(folder, "inventory"));
      for (const id of ids) writeFileSync(join(folder, "inventory", `${id}.yaml`), inventory(sim.zone(id)));
      const env = {
        PAGE_GUARD_BASE_URL: sim.url,
        PAGE_GUARD_API_TOKEN: sim.token,
        PAGE_GUARD_MAX_REQUESTS_PER_5M: "1000000",
      };
      const zoneFlags = ids.flatMap((id) => ["--zone", id]);
      const args = ["report", ...zoneFlags, "--inventory", join(folder, "inventory"), "--out", folder];
      const run = await inChild(script, [...args, "--format", "html,md,csv,json"], env);
      const file = join(folder, "report.html");
      const page = executablePath === undefined ? {} : await browsed(file);
      progress(`report of ${zones} zones, ${scripts} scripts each: ${seconds(run.wallMs)} s`);
      results.push({
        ...{ zones, scripts, requests: sim.journal.length, ...run },
        ...{ htmlBytes: statSync(file).size, ...page },
      });
    } finally {
      await sim.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const text = table(
    ["zones", "scripts each", "requests", "s", "CPU s", "memory, MB", "HTML, MB", "opens, s", "search, s"],
    results.map((row) => [
      ...[row.zones, row.scripts, row.requests, seconds(row.wallMs), seconds(row.cpuMs)],
      ...[megabytes(row.rssBytes), megabytes(row.htmlBytes)],
      ...[row.openMs, row.searchMs].map((ms) => (ms === undefined ? "no browser" : seconds(ms))),
    ]),
  );
  return { title: "A report at 20 ms a request, and its page in Chromium", results, text };
}

/** Every second script has an entry. */
function inventory({ scripts }) {
  const urls = [...new Set(scripts.map(({ url }) => url))];
  return urls
    .filter((url, index) => index % 2 === 0 && /^https:\/\/[\w./-]+$/.test(url))
    .map(
      (url) =>
        `- match: ${url}\n  justification: Needed.\n  integrity: { sri: true }\n  approved: { by: alex, reference: "https://git.example/pull/1", on: 2026-01-05 }\n`,
    )
    .join("");
}

async function browsed(file) {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    const openMs = await page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd");
    const searchMs = await page.evaluate(`(() => {
      const search = document.querySelector("#requirement-643 input");
      search.focus();
      const times = ["a", "ap", "app", "cdn app", "nothing at all", ""].map((text) => {
        const began = performance.now();
        search.value = text;
        search.dispatchEvent(new Event("input"));
        document.body.getBoundingClientRect();
        return performance.now() - began;
      });
      return Math.max(...times);
    })()`);
    return { openMs, searchMs };
  } finally {
    await browser.close();
  }
}
