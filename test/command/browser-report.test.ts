import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions } from "playwright-core";
import { html } from "../../command/src/documents/audit/documents";
import type { AuditReport } from "../../command/src/documents/audit/report-data";
import { auditReport, hostile } from "./support/audit-report";
import { fitsItsScreen, type OpenPage, screens, useChromium } from "./support/pages";

describe("The page that page-guard report writes, in Chromium", () => {
  const open = useChromium();
  const folder = mkdtempSync(join(tmpdir(), "page-guard-report-"));
  const file = join(folder, "report.html");
  const url = pathToFileURL(file).href;
  after(() => rmSync(folder, { recursive: true, force: true }));

  function opened(report: Parameters<typeof html>[0], options?: BrowserContextOptions): Promise<OpenPage> {
    writeFileSync(file, html(report));
    return open(url, options);
  }

  for (const [name, options] of screens) {
    it(`${name}: sends no requests, obeys its CSP, passes axe, and needs no horizontal scrolling`, async () => {
      const one = await opened(auditReport({ scripts: 8 }), options);
      await fitsItsScreen(one, url);
    });
  }

  it("executes nothing in text from outside, and links only to web pages", async () => {
    const { page, said } = await opened(auditReport({ scripts: 3 }));
    assert.deepEqual(said, []);
    assert.equal(await page.title(), "Page security report: shop");
    assert.equal(await page.locator("script").count(), 1);
    assert.equal(await page.locator("img, iframe, object, form, base").count(), 0);
    assert.ok((await page.innerText("#requirement-643")).includes(hostile.trim()));
    const targets = await page
      .locator("a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    assert.deepEqual([...new Set(targets.filter((target) => !target?.startsWith("#")))].sort(), [
      "https://git.example/shop/pull/1",
      "https://git.example/shop/runs/1",
    ]);
  });

  it("searches 10,000 scripts while it reads the text of each row once and lays out few rows", async () => {
    const { page } = await opened(auditReport({ scripts: 10_000 }));
    const first = page.locator("#requirement-643 > table > tbody");
    const rows = `[...document.querySelectorAll("#requirement-643 > table > tbody")]`;
    const visible = `${rows}.filter((row) => row.getClientRects().length > 0).length`;
    const shown = async () => Number(await page.evaluate(visible));
    assert.equal(await first.count(), 9750);
    assert.equal(await shown(), 100);
    // Counts reads of the rows' text instead of measuring time.
    await page.evaluate(`(() => {
      const real = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
      window.reads = 0;
      Object.defineProperty(Node.prototype, "textContent", { ...real, get() { if (this.nodeName === "TBODY") window.reads += 1; return real.get.call(this); } });
    })()`);
    const search = page.getByLabel("Search scripts", { exact: true });
    await search.fill("script-9998.js");
    assert.equal(await shown(), 1);
    await search.fill("cdn.example SCRIPT-12");
    assert.equal(await shown(), 100);
    const counted = await page.locator("#requirement-643 output").first().innerText();
    assert.equal(counted, "first 100 of 109 found, 9750 in all");
    assert.equal(await page.evaluate("window.reads"), 9750, "each row is read once");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await shown(), 109, "by keyboard, too");
  });

  it("on paper: has numbered landscape pages with at least twelve scripts each, table heads on every page, no split row, and all rows, also without JavaScript", async () => {
    const pagesOf = async (scripts: number): Promise<number> => {
      const { page } = await opened(usual(scripts));
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
      const sizes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
      for (const [size, width, height] of sizes) assert.ok(Number(width) > Number(height), size);
      return sizes.length;
    };
    const added = (await pagesOf(252)) - (await pagesOf(12));
    assert.ok(added > 8 && added <= 240 / 12, `${added} pages more for 240 scripts more`);
    const report = auditReport({ scripts: 150 });
    const { page } = await opened(report);
    await page.getByLabel("Search scripts", { exact: true }).fill("script-149.js");
    await page.emulateMedia({ media: "print" });
    const rules = `[...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).filter((rule) => rule instanceof CSSPageRule).map(({ cssText }) => cssText).join()`;
    const numbered = /@bottom-right \{[^}]*content: "Page " counter\(page\) " of " counter\(pages\)/;
    assert.match(String(await page.evaluate(rules)), numbered);
    const styleOf = (part: string) => `getComputedStyle(document.querySelector("#requirement-643 ${part}"))`;
    assert.equal(await page.evaluate(`${styleOf("tbody")}.breakInside`), "avoid");
    assert.equal(await page.evaluate(`${styleOf("thead")}.display`), "table-header-group");
    assert.equal(await page.locator("nav:visible, .tools:visible").count(), 0);
    const rows = "#requirement-643 tbody:visible";
    assert.equal(await page.locator(rows).count(), 150);
    const plain = await opened(report, { javaScriptEnabled: false });
    assert.equal(await plain.page.locator(rows).count(), 150);
    assert.deepEqual(plain.said, []);
    await plain.page.context().close();
  });

  for (const width of [390, 768, 1280, 1440, 1920])
    it(`has no overlapping texts at ${width} pixels`, async () => {
      const viewport = { width, height: 900 };
      const { page } = await opened(auditReport({ scripts: 8 }), { viewport });
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      assert.deepEqual(await page.evaluate(overlaps), []);
    });
});

/** Returns pairs of overlapping texts. */
const overlaps = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    // On a phone, table heads are only for screen readers.
    const head = node.parentElement.closest("thead");
    const isHidden = head && getComputedStyle(head).position === "absolute";
    if (isHidden || !node.data.trim() || !node.parentElement.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    texts.push(...[...range.getClientRects()].filter(({ width }) => width > 1).map((box) => ({ box, text: node.data })));
  }
  const below = (one, other) => other.top >= one.bottom - 6 || one.top >= other.bottom - 6;
  const beside = (one, other) => other.left >= one.right - 2 || one.left >= other.right - 2;
  return texts.flatMap((one, at) =>
    texts.slice(at + 1).filter(({ box }) => !below(one.box, box) && !beside(one.box, box)).map(({ text }) => one.text + " | " + text));
})()`;

/** Returns a report with ordinary scripts, without hostile names. */
function usual(scripts: number): AuditReport {
  const report = auditReport({ scripts: scripts + 1 });
  const [zone] = report.data.zones;
  assert.ok(zone?.scripts);
  const own = zone.scripts.slice(1).map((script) => ({ ...script, onPaymentPages: true }));
  return { ...report, data: { ...report.data, zones: [{ ...zone, scripts: own }] } };
}
