import assert from "node:assert/strict";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findChromium, INSTALL_HINT, isBrowserRequired } from "../../csp/browser/chromium";

const light = { colorScheme: "light" } as const;
const dark = { colorScheme: "dark" } as const;

export const screens: readonly (readonly [string, BrowserContextOptions])[] = [
  ["light", { ...light, viewport: { width: 1280, height: 900 } }],
  ["dark", { ...dark, viewport: { width: 1280, height: 900 } }],
  ["on a small window", { ...light, viewport: { width: 1040, height: 900 } }],
  ["on a tablet", { ...light, viewport: { width: 768, height: 1024 } }],
  ["on a phone", { ...light, viewport: { width: 360, height: 740 }, isMobile: true }],
  ["on a dark phone", { ...dark, viewport: { width: 360, height: 740 }, isMobile: true }],
];

/** A page, its requests and its console messages. */
export interface OpenPage {
  readonly page: Page;
  readonly asked: readonly string[];
  readonly said: readonly string[];
}

/** Starts Chromium for the tests of a `describe`. Without Chromium they are skipped, or fail if it is required. */
export function useChromium(): (url: string, options?: BrowserContextOptions) => Promise<OpenPage> {
  let browser: Browser | undefined;
  before(async function () {
    const executablePath = findChromium();
    if (executablePath === undefined) {
      if (isBrowserRequired()) throw new Error(`This test needs Chromium. ${INSTALL_HINT}`);
      console.warn(`\n  !! SKIPPED: no page was checked in a browser, none was found. ${INSTALL_HINT}\n`);
      this.skip();
    }
    const args = ["--no-sandbox", "--disable-gpu", "--no-proxy-server"];
    browser = await chromium.launch({ executablePath, headless: true, args });
  });
  afterEach(() => Promise.all(browser?.contexts().map((context) => context.close()) ?? []));
  after(() => browser?.close());
  return async (url, options = {}) => {
    const page = (await (await browser?.newContext(options))?.newPage()) ?? assert.fail("no browser");
    const asked: string[] = [];
    const said: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(url);
    return { page, asked, said };
  };
}

/** Asserts that the page requests only itself, passes axe with all details open, and is no wider than the window. */
export async function fitsItsScreen({ page, asked, said }: OpenPage, url: string): Promise<void> {
  assert.deepEqual(asked, [url]);
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
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
}
