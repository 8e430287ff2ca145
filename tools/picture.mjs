/**
 * `npm run picture`: makes the pictures of a review and of a report in the README, light and dark. The real engine previews
 * a pull request of a shop against the simulator, and `page-guard review --html` writes the page. `page-guard report` writes
 * the page of examples/audit. Chromium takes the pictures.
 */
import { cpSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { openStage } from "./demo/stage.mjs";
import { argumentsOf } from "./setup/arguments.mjs";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";

argumentsOf("npm run picture", {});

const viewport = { width: 1040, height: 800 };

const require = createRequire(import.meta.url);
require("./test/transpile.cjs");
const { findChromium, INSTALL_HINT } = require("../test/csp/browser/chromium");
const executablePath = findChromium();
if (executablePath === undefined) throw new Error(`No Chromium found. ${INSTALL_HINT}`);

await prepareWorkspace();
const stage = await openStage(await findOrMakeEngine());
try {
  await writeReview();
  await photograph("review", "By zone");
  await writeReport();
  await photograph("report", "What needs a person");
  process.stdout.write("Reduce them to 64 colours, as `pngquant 64` does. A test allows 150 kB for each.\n");
} finally {
  await stage.close();
}
// A socket that a killed command left open must not keep the process alive.
process.exit();

/** Writes the page that reviews the pull request. */
async function writeReview() {
  const project = join(root, "tools/picture/shop");
  for (const [id, seed] of Object.entries(require(join(project, "zones")).zones))
    stage.sim.zones.seed(id, seed);
  const stack = await stage.openStack(project, "production");
  ended(await stack.run(["up", "--yes"]));
  await stack.set("isAfter", "true");
  const preview = ["pulumi", "preview", "--stack", "production", "--config-file", stack.configFile];
  const page = join(stage.scratch, "review.html");
  ended(await stage.pageGuard(project).run(["review", "--html", page, "--", ...preview]));
}

function ended({ code }) {
  if (code !== 0) throw new Error(`The command failed with exit code ${code}; see above.`);
}

/** Writes the report of examples/audit, at the end of its year. Uses a copy, so that no Git history changes the report. */
async function writeReport() {
  const { processSession, run } = require("../command/src/run");
  const cwd = join(stage.scratch, "audit");
  cpSync(join(root, "examples/audit"), cwd, { recursive: true });
  const seed = JSON.parse(readFileSync(join(cwd, "zone.json"), "utf8"));
  stage.sim.zones.seed("8f14e45fceea167a5a36dedd4bea2543", seed);
  const args = ["report", "--zones", "zones.yaml", "--inventory", "inventory", "--runs", "runs"];
  const format = ["--from", "2025-11-24", "--format", "html", "--out", stage.scratch];
  const now = () => Date.UTC(2026, 10, 23, 6);
  const code = await run([...args, ...format], { ...processSession(), cwd, env: stage.connection, now });
  ended({ code });
}

/** Takes the pictures of a page in `stage.scratch`, up to the end of the section with the heading `last`. */
async function photograph(name, last) {
  const args = ["--no-sandbox", "--disable-gpu"];
  const browser = await chromium.launch({ executablePath, headless: true, args });
  try {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ colorScheme, viewport, deviceScaleFactor: 1.5 });
      const tab = await context.newPage();
      await tab.goto(pathToFileURL(join(stage.scratch, `${name}.html`)).href);
      const end = await tab.locator("section", { hasText: last }).last().boundingBox();
      if (end === null || end.width > viewport.width - 32)
        throw new Error(`"${last}" is not in the page, or too wide.`);
      const clip = { x: 0, y: 0, width: viewport.width, height: Math.ceil(end.y + end.height) + 16 };
      const path = join(root, "docs/images", `${name}-${colorScheme}.png`);
      await tab.screenshot({ path, clip, fullPage: true });
      process.stdout.write(`${path}\n`);
    }
  } finally {
    await browser.close();
  }
}
