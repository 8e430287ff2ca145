import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findChromium, INSTALL_HINT, isBrowserRequired } from "../../csp/browser/chromium";
import { filesBelow, root, textOf } from "../structure/source-files";
import { stepsOf } from "./support/page-run";

const dist = join(root, "tools/site/dist");
const screens: readonly (readonly [string, BrowserContextOptions])[] = [
  ["light", { colorScheme: "light", viewport: { width: 1280, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1280, height: 900 } }],
  ["on a phone", { colorScheme: "light", viewport: { width: 360, height: 740 }, isMobile: true }],
];
const looked = [
  ...["index.html", "guides/index.html", "guides/shop-is-broken.html", "guides/from-terraform.html"],
  ...["resources/csp-policy.html", "commands/apply.html", "findings.html", "examples/adopt/index.html"],
  "reference/index/classes/CspPolicy.html",
];

describe("The site", () => {
  let browser: Browser | undefined;
  let server: Server;
  let origin: string;

  before(async function () {
    const executablePath = findChromium();
    if (executablePath === undefined) {
      if (isBrowserRequired()) throw new Error(`This test needs Chromium. ${INSTALL_HINT}`);
      console.warn(`\n  !! SKIPPED: the site was not opened in a browser, none was found. ${INSTALL_HINT}\n`);
      this.skip();
    }
    // This includes the reference documentation, so a wrong link in a doc comment also fails the build.
    const { status, stderr } = spawnSync(process.execPath, [join(root, "tools/site.mjs")], {
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    server = createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url ?? "/", "http://site.test").pathname);
      const file = join(dist, path.endsWith("/") ? `${path}index.html` : path);
      const isThere = file.startsWith(dist) && existsSync(file) && statSync(file).isFile();
      response.writeHead(isThere ? 200 : 404, { "content-type": types[extname(file)] ?? "text/plain" });
      if (isThere) createReadStream(file).pipe(response);
      else response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = ["--no-sandbox", "--disable-gpu", "--no-proxy-server"];
    browser = await chromium.launch({ executablePath, headless: true, args });
  });

  after(async () => {
    await browser?.close();
    server?.close();
  });

  async function opened(path: string, options: BrowserContextOptions = {}) {
    const page: Page = (await (await browser?.newContext(options))?.newPage()) ?? assert.fail("no browser");
    const wrong: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith("data:")) wrong.push(url);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) wrong.push(`${response.status()} ${response.url()}`);
    });
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) wrong.push(message.text());
    });
    page.on("pageerror", (error) => wrong.push(String(error)));
    await page.goto(`${origin}/${path}`, { waitUntil: "networkidle" });
    // On a busy machine, the network is idle before the page's program has named its buttons.
    await page.waitForFunction("document.querySelector('.VPSwitchAppearance')?.title", null, { timeout: 0 });
    return { page, wrong };
  }

  for (const [name, options] of screens)
    it(`${name}: passes axe, sends no request to other hosts, has no error and needs no horizontal scrolling`, async () => {
      const found = await Promise.all(looked.map((path) => faults(path, options)));
      assert.deepEqual(found.flat(), []);
    });

  async function faults(path: string, options: BrowserContextOptions): Promise<string[]> {
    const { page, wrong } = await opened(path, options);
    const found = wrong.map((text) => `${path}: ${text}`);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
    for (const { id, nodes } of violations)
      found.push(`${path}: ${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" ")}`);
    const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
    const seen = Number(await page.evaluate("window.innerWidth"));
    if (width > seen) found.push(`${path}: ${width} pixels of ${seen}`);
    await page.context().close();
    return found;
  }

  it("finds a page by its words, without another host", async () => {
    const { page, wrong } = await opened("index.html");
    await page.keyboard.press("Control+k");
    await page.locator(".VPLocalSearchBox input").fill("turn the policy off");
    const first = page.locator(".VPLocalSearchBox .result").first();
    await first.waitFor();
    assert.match(await first.innerText(), /shop is broken/i);
    await first.click();
    await page.waitForURL(/shop-is-broken/);
    assert.deepEqual(wrong, []);
    await page.context().close();
  });

  it("leads from its first page to the commands that adopt a zone, and from there to the next steps", async () => {
    const { page, wrong } = await opened("index.html");
    await page.getByRole("link", { name: "Adopt a zone" }).first().click();
    await page.waitForURL(/guides\/adopt/);
    // The site's router sets the address before it shows the page.
    await page.getByRole("heading", { level: 1, name: "Adopt a zone" }).waitFor();
    const blocks = await page.locator("main div.language-console code").allInnerTexts();
    const commands = (markdown: string) =>
      stepsOf(markdown).map((step) => ("command" in step ? [step.command, step.shown] : step.act));
    // These are the commands that guides.test.ts plays until the zone is adopted.
    const shown = blocks.flatMap((block) => commands(`\`\`\`console\n${block}\n\`\`\`\n`));
    assert.deepEqual(shown, commands(textOf("docs/guides/adopt.md")));
    for (const [name, url] of [
      ["read-only token", /SECURITY/],
      ["the pipelines", /guides\/pull-request/],
      ["The walk-through", /examples\/adopt/],
    ] as const) {
      await page.locator("main").getByRole("link", { name, exact: true }).click();
      await page.waitForURL(url);
      await page.goBack();
    }
    assert.deepEqual(wrong, []);
    await page.context().close();
  });

  it("has every page of docs and examples in a sidebar and in llms.txt", () => {
    const llms = readFileSync(join(dist, "llms.txt"), "utf8");
    const pages = filesBelow("tools/site/dist")
      .map((path) => path.slice("tools/site/dist/".length))
      .filter((path) => path.endsWith(".html") && !/^(?:404|index)\.html$/.test(path));
    assert.ok(pages.length > 300, `${pages.length} pages`);
    const sizes = filesBelow("tools/site/dist").map((path) => statSync(join(root, path)).size);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes < 32e6, `${bytes} bytes: one sidebar for all sections makes 42 MB`);
    for (const path of pages) {
      const listed = path.replace(/\.html$/, ".md");
      assert.ok(llms.includes(`(/${listed})`), `llms.txt does not list ${listed}`);
      assert.ok(existsSync(join(dist, listed)), listed);
    }
    const unlisted = pages.filter((path) => {
      if (/^(?:reference|reviews)\//.test(path)) return false;
      const html = readFileSync(join(dist, path), "utf8");
      const sidebar = html.slice(html.indexOf('id="VPSidebarNav"'), html.indexOf('id="VPContent"'));
      const own = `/${path}`.replace(/index\.html$/, "");
      return !sidebar.includes(`href="${own}"`);
    });
    assert.deepEqual(unlisted, [], "in no sidebar");
  });
});

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};
