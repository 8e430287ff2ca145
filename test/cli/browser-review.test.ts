import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findChromium, INSTALL_HINT, isBrowserRequired } from "../csp/browser/chromium";
import { pageGuard } from "./support/console";
import { diagnostic, secretInEvent, stackStep, step, summary, urnOf } from "./support/events";
import { blocking, scripts } from "./support/in-use";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const otherZone = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";
const hostile =
  '<script>document.title="taken"</script><img src="https://evil.example/a.png" onerror="document.title=1"> <!-- </style></main>';
const long = `script-src ${Array.from({ length: 40 }, (_, at) => `https://very-long-name-of-a-host-${at}.example.com`).join(" ")}`;

/** A review that has everything. */
const events = [
  stackStep(),
  diagnostic(
    "info",
    "FINISHES the WAF migration.\nConfiguration, 1 rule:\n  1. skip [migration-finishes]",
    urnOf("waf", "WafMigrationStep"),
  ),
  diagnostic("error", `${hostile} is wrong. [csp-not-writable]`, urnOf(hostile)),
  diagnostic("warning", "1 unmanaged rule will be deleted. [waf-rules-overwritten]", urnOf("e")),
  diagnostic("warning", "the zone has it. [csp-taken-over]", urnOf("p")),
  diagnostic("warning", "something of a provider", urnOf("p")),
  step({ name: "waf", kind: "WafMigrationStep", op: "create", after: { zoneId, stage: "finished" } }),
  step({ name: "gone", op: "delete", before: { zoneId, description: hostile } }),
  step({
    name: "checkout",
    op: "update",
    before: { zoneId, value: secretInEvent, expression: "a" },
    after: { zoneId, value: secretInEvent, expression: long },
    diff: { value: "update", expression: "update" },
  }),
  step({
    name: "other",
    op: "update",
    before: { zoneId: otherZone, action: "log" },
    after: { zoneId: otherZone, action: "allow" },
    diff: { action: "update" },
  }),
  summary("failed"),
];
const inUse = scripts(
  { url: `https://tags.example/${"long-folder/".repeat(12)}a.js`, jsIntegrityScore: 1 },
  { url: "https://tags.example/b.js", firstPageUrl: "https://shop.example/checkout" },
);
const finding = {
  ...blocking("script-src 'self' https://tags.example/lib/", inUse),
  ...{ severity: "warning", zone: zoneId, urn: urnOf("checkout"), property: "" },
};

const screens: readonly (readonly [string, BrowserContextOptions])[] = [
  ["light", { colorScheme: "light", viewport: { width: 1280, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1280, height: 900 } }],
  ["on a small window", { colorScheme: "light", viewport: { width: 1040, height: 900 } }],
  ["on a tablet", { colorScheme: "light", viewport: { width: 768, height: 1024 } }],
  ["on a phone", { colorScheme: "light", viewport: { width: 360, height: 740 }, isMobile: true }],
  ["on a dark phone", { colorScheme: "dark", viewport: { width: 360, height: 740 }, isMobile: true }],
];

describe("The page that page-guard review writes, in Chromium", () => {
  let browser: Browser | undefined;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), "page-guard-page-"));

  before(async function () {
    const executablePath = findChromium();
    if (executablePath === undefined) {
      if (isBrowserRequired()) throw new Error(`This test needs Chromium. ${INSTALL_HINT}`);
      console.warn(`\n  !! SKIPPED: no page was looked at in a browser, none was found. ${INSTALL_HINT}\n`);
      this.skip();
    }
    writeFileSync(join(folder, "events.jsonl"), events.join("\n"));
    writeFileSync(join(folder, "findings.jsonl"), JSON.stringify(finding));
    const args = [
      "review",
      "--events",
      "events.jsonl",
      "--findings",
      "findings.jsonl",
      "--html",
      "review.html",
    ];
    assert.equal((await pageGuard(args, { cwd: folder })).code, 1);
    url = pathToFileURL(join(folder, "review.html")).href;
    browser = await chromium.launch({
      executablePath,
      headless: true,
      args: ["--no-sandbox", "--disable-gpu", "--no-proxy-server"],
    });
  });

  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The page, and all that it has asked for or complained of. */
  async function opened(
    options: BrowserContextOptions,
  ): Promise<{ page: Page; asked: string[]; said: string[] }> {
    const context = await browser?.newContext(options);
    const page = (await context?.newPage()) ?? assert.fail("no browser");
    const asked: string[] = [];
    const said: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => said.push(message.text()));
    await page.goto(url);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    return { page, asked, said };
  }

  for (const [name, options] of screens) {
    it(`${name}: asks for nothing, passes axe, and needs no scrolling to the side`, async () => {
      const { page, asked, said } = await opened(options);
      assert.deepEqual(asked, [url]);
      assert.deepEqual(said, []);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
        [],
      );
      const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
      const seen = Number(await page.evaluate("window.innerWidth"));
      assert.ok(width <= seen, `${width} pixels of ${seen}`);
      if (process.env["PAGE_GUARD_SCREENSHOTS"])
        await page.screenshot({
          path: join(process.env["PAGE_GUARD_SCREENSHOTS"], `${name}.png`),
          fullPage: true,
        });
      await page.context().close();
    });
  }

  it("carries nothing out of what others wrote, and begins with what cannot be undone", async () => {
    const { page } = await opened({});
    assert.equal(await page.title(), "Review of stack dev");
    assert.equal(await page.locator("script, img, iframe, a").count(), 0);
    assert.equal(await page.locator("h2").first().innerText(), "This cannot be undone");
    assert.ok((await page.innerText("main")).includes('<script>document.title="taken"</script>'));
    await page.context().close();
  });

  it("on paper: shows what is folded on the screen, black on white", async () => {
    const context = await browser?.newContext({ colorScheme: "dark" });
    const page = (await context?.newPage()) ?? assert.fail("no browser");
    await page.goto(url);
    await page.emulateMedia({ media: "print" });
    const folded = page.getByText("something of a provider");
    assert.ok(await folded.isVisible(), "what is folded is on the paper");
    const style = "getComputedStyle(document.body)";
    const colours = [await page.evaluate(`${style}.color`), await page.evaluate(`${style}.backgroundColor`)];
    assert.deepEqual(colours, ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
    const paper = await page.pdf({ format: "A4" });
    assert.ok(paper.length > 10_000, `${paper.length} bytes`);
    if (process.env["PAGE_GUARD_SCREENSHOTS"])
      await page.screenshot({
        path: join(process.env["PAGE_GUARD_SCREENSHOTS"], "print.png"),
        fullPage: true,
      });
    await context?.close();
  });
});
