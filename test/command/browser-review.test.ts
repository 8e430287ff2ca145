import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { pageGuard, zoneId } from "./support/console";
import { diagnostic, secretInEvent, stackStep, step, summary, urnOf } from "./support/events";
import { blocking, scripts } from "./support/in-use";
import { fitsItsScreen, screens, useChromium } from "./support/pages";

const otherZone = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";
const hostile =
  '<script>document.title="taken"</script><img src="https://evil.example/a.png" onerror="document.title=1"> <!-- </style></main>';
const long = `script-src ${Array.from({ length: 40 }, (_, at) => `https://very-long-name-of-a-host-${at}.example.com`).join(" ")}`;

const wafUrn = urnOf("waf", "WafMigrationStep");

/** A review with every kind of content. */
const events = [
  stackStep(),
  diagnostic("info", "FINISHES the WAF migration.\n1 rule:\n  1. skip [migration-finishes]", wafUrn),
  diagnostic("error", `${hostile} is wrong. [csp-not-writable]`, urnOf(hostile)),
  diagnostic("warning", "1 unmanaged rule will be deleted. [waf-rules-overwritten]", urnOf("e")),
  diagnostic("warning", "the zone has it. [csp-adopted]", urnOf("p")),
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
const where = { severity: "warning", zone: zoneId, urn: urnOf("checkout"), property: "" };

describe("The page that page-guard review writes, in Chromium", () => {
  const open = useChromium();
  const folder = mkdtempSync(join(tmpdir(), "page-guard-page-"));
  const url = pathToFileURL(join(folder, "review.html")).href;

  before(async () => {
    writeFileSync(join(folder, "events.jsonl"), events.join("\n"));
    const finding = await blocking("script-src 'self' https://tags.example/lib/", inUse);
    writeFileSync(join(folder, "findings.jsonl"), JSON.stringify({ ...finding, ...where }));
    const files = ["--events", "events.jsonl", "--findings", "findings.jsonl", "--html", "review.html"];
    assert.equal((await pageGuard(["review", ...files], { cwd: folder })).code, 1);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [name, options] of screens) {
    it(`${name}: sends no requests, passes axe, and needs no horizontal scrolling`, async () => {
      const one = await open(url, options);
      await fitsItsScreen(one, url);
      await screenshot(one.page, name);
    });
  }

  async function screenshot(page: Page, name: string): Promise<void> {
    const into = process.env["PAGE_GUARD_SCREENSHOTS"];
    if (into) await page.screenshot({ path: join(into, `${name}.png`), fullPage: true });
  }

  it("executes nothing in text from outside, and begins with changes that cannot be undone", async () => {
    const { page } = await open(url);
    assert.equal(await page.title(), "Review of stack dev");
    assert.equal(await page.locator("script, img, iframe, a").count(), 0);
    assert.equal(await page.locator("h2").first().innerText(), "This cannot be undone");
    assert.ok((await page.innerText("main")).includes('<script>document.title="taken"</script>'));
  });

  it("on paper: shows collapsed details too, black on white", async () => {
    const { page } = await open(url, { colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    const folded = page.getByText("something of a provider");
    assert.ok(await folded.isVisible(), "what is folded is on the paper");
    const style = "getComputedStyle(document.body)";
    const colours = [await page.evaluate(`${style}.color`), await page.evaluate(`${style}.backgroundColor`)];
    assert.deepEqual(colours, ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
    const paper = await page.pdf({ format: "A4" });
    assert.ok(paper.length > 10_000, `${paper.length} bytes`);
    await screenshot(page, "print");
  });
});
