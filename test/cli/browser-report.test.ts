import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions } from "playwright-core";
import { html } from "../../command/src/reports/audit/html";
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
    it(`${name}: requests nothing, keeps to its CSP, passes axe, and needs no scrolling to the side`, async () => {
      const one = await opened(auditReport({ scripts: 8 }), options);
      await fitsItsScreen(one, url);
      await one.page.context().close();
    });
  }

  it("does nothing of what others wrote, and links to nothing but pages of the web", async () => {
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
    await page.context().close();
  });

  it("searches and sorts 10,000 scripts: the text of a row is read once, and few rows are laid out", async () => {
    const { page } = await opened(auditReport({ scripts: 10_000 }));
    const rows = page.locator("#requirement-643 tbody tr");
    const shown = async () =>
      Number(
        await page.evaluate(
          `[...document.querySelectorAll("#requirement-643 tbody tr")].filter((row) => row.getClientRects().length > 0).length`,
        ),
      );
    assert.equal(await rows.count(), 10_000);
    assert.equal(await shown(), 100);
    // Counts work instead of time: reads of the text of rows.
    await page.evaluate(`(() => {
      const real = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
      window.reads = 0;
      Object.defineProperty(Node.prototype, "textContent", { ...real, get() { if (this.nodeName === "TR") window.reads += 1; return real.get.call(this); } });
    })()`);
    const search = page.getByLabel("Search scripts");
    await search.fill("script-9999.js");
    assert.equal(await shown(), 1);
    await search.fill("cdn.example SCRIPT-12");
    assert.equal(await shown(), 100);
    assert.match(
      await page.locator("#requirement-643 output").innerText(),
      /^first 100 of 111 found, 10000 in all$/,
    );
    assert.equal(await page.evaluate("window.reads"), 10_000, "each row is read once");
    await page.getByRole("button", { name: "Show all 111" }).click();
    assert.equal(await shown(), 111);
    await search.fill("");
    await page.locator("#requirement-643").getByRole("button", { name: "score" }).click();
    const scores = await page.locator("#requirement-643 tbody tr:visible td:last-child").allInnerTexts();
    assert.deepEqual(
      scores.map(Number),
      [...scores.map(Number)].sort((left, right) => left - right),
    );
    assert.equal(await shown(), 100);
    assert.equal(await page.locator("#requirement-643 th[aria-sort]").getAttribute("aria-sort"), "ascending");
    await page.context().close();
  });

  it("works by keyboard: the search, the order, more rows", async () => {
    const { page } = await opened(auditReport({ scripts: 150 }));
    await page.getByLabel("Search scripts").focus();
    await page.keyboard.type("script-1");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.nodeName"), "SELECT");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const [first = ""] = await page
      .locator("#requirement-643 tbody tr:visible td:first-child")
      .allInnerTexts();
    assert.match(first, /script-1/);
    await page.context().close();
  });

  it("as a PDF: on as many landscape pages as its rows need, each with its number, and no row cut in two", async () => {
    const pagesOf = async (scripts: number): Promise<number> => {
      const { page } = await opened(auditReport({ scripts }));
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
      const sizes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
      for (const [size, width, height] of sizes) assert.ok(Number(width) > Number(height), size);
      await page.context().close();
      return sizes.length;
    };
    const few = await pagesOf(3);
    const many = await pagesOf(300);
    assert.ok(many > few + 20, `${few} pages for 3 scripts, ${many} for 300`);
    const { page } = await opened(auditReport({ scripts: 3 }));
    await page.emulateMedia({ media: "print" });
    const ofPages = `[...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).filter((rule) => rule instanceof CSSPageRule).map(({ cssText }) => cssText).join()`;
    assert.match(
      String(await page.evaluate(ofPages)),
      /@bottom-right \{[^}]*content: "Page " counter\(page\) " of " counter\(pages\)/,
    );
    const breaks = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector("#requirement-643 ${selector}")).breakInside`);
    assert.equal(await breaks("tbody tr"), "avoid");
    assert.equal(await page.locator("nav:visible, .tools:visible").count(), 0);
    await page.context().close();
  });

  it("on paper and without scripts: all rows are there, and the heads of tables repeat", async () => {
    const report = auditReport({ scripts: 150 });
    const { page } = await opened(report);
    await page.getByLabel("Search scripts").fill("script-149.js");
    await page.emulateMedia({ media: "print" });
    const last = page.locator("#requirement-643 tbody tr").last();
    assert.equal(await page.locator("#requirement-643 tbody tr:visible").count(), 150);
    assert.ok(await last.isVisible());
    const head = 'getComputedStyle(document.querySelector("#requirement-643 thead")).display';
    assert.equal(await page.evaluate(head), "table-header-group");
    // Chromium paints no button in a head that it repeats: seen in the pages of a PDF, whose text is not to be had here.
    const word = 'getComputedStyle(document.querySelector("#requirement-643 th button")).display';
    assert.equal(await page.evaluate(word), "contents");
    await page.context().close();
    const plain = await opened(report, { javaScriptEnabled: false });
    assert.equal(await plain.page.locator("#requirement-643 tbody tr:visible").count(), 150);
    assert.deepEqual(plain.said, []);
    await plain.page.context().close();
  });
});
