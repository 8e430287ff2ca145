/**
 * `npm run picture`: makes the pictures of a review and of a report in the README, light and dark. The real engine previews
 * a pull request of a shop against the simulator, and `page-guard review --html` writes the page. `page-guard report` writes
 * the page of examples/audit. Chromium takes the pictures. `-- report` makes only the pictures of the report.
 */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { openStage } from "./demo/stage.mjs";
import { writeReport } from "./picture/report.mjs";
import { shop, zones } from "./picture/shop.mjs";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";

const viewport = { width: 1040, height: 800 };
/** Heading of the last section in each picture. */
const lastOf = { review: "By zone", report: "What needs a person" };
const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["review", "report"];

const executablePath = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path && existsSync(path));
if (executablePath === undefined) throw new Error("No Chromium found. Install it, or set CHROMIUM_PATH.");

await prepareWorkspace();
const stage = await openStage(wanted.includes("review") ? await findOrMakeEngine() : "");
try {
  if (wanted.includes("review")) {
    for (const [zoneId, seed] of Object.entries(zones)) stage.sim.zones.seed(zoneId, seed);
    await photograph("review", await reviewed(), executablePath);
  }
  if (wanted.includes("report")) await photograph("report", await writeReport(stage), executablePath);
} finally {
  await stage.close();
}
// A socket that a killed command left open must not keep the process alive.
process.exit();

/** Returns the path of the page that reviews the pull request. */
async function reviewed() {
  const project = join(stage.scratch, "shop");
  mkdirSync(project);
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  const declare = (when) => writeFileSync(join(project, "index.js"), shop(when));
  writeFileSync(
    join(project, "Pulumi.yaml"),
    "name: shop\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
  );
  writeFileSync(join(project, "package.json"), '{ "private": true, "main": "index.js" }\n');
  declare("before");
  const stack = await stage.openStack(project, "production");
  ended(await stack.run(["up", "--yes"]));
  declare("after");
  const preview = ["pulumi", "preview", "--stack", "production", "--config-file", stack.configFile];
  ended(await stage.pageGuard(project).run(["review", "--html", "review.html", "--", ...preview]));
  return join(project, "review.html");
}

function ended({ code }) {
  if (code !== 0) throw new Error(`This had to work, but ended with ${code}; see above.`);
}

async function photograph(name, page, executablePath) {
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ colorScheme, viewport, deviceScaleFactor: 1.5 });
      const tab = await context.newPage();
      await tab.goto(pathToFileURL(page).href);
      const path = join(root, "docs", "images", `${name}-${colorScheme}.png`);
      const last = lastOf[name];
      const end = await tab.locator("section", { hasText: last }).last().boundingBox();
      if (end === null || end.width > viewport.width - 32)
        throw new Error(`"${last}" is not in the page, or too wide.`);
      const clip = { x: 0, y: 0, width: viewport.width, height: Math.ceil(end.y + end.height) + 16 };
      await tab.screenshot({ path, clip, fullPage: true });
      process.stdout.write(`${path}\n`);
      await context.close();
    }
  } finally {
    await browser.close();
  }
}
