import path from "node:path";
import type { Browser, Page } from "playwright-core";
import type { PageCase } from "./pairs";
import type { Site } from "./site";

/** The result of one request in the browser. */
export interface Verdict {
  readonly isBlocked: boolean;
  /** Whether the request reached the server. */
  readonly hasArrived: boolean;
}

/** One violation as the page saw it. */
interface Violation {
  readonly uri: string;
  readonly directive: string;
}

/** Loads pages with policies, one after the other, and reads which requests the browser blocked. */
export class Judge {
  #count = 0;

  private constructor(
    readonly site: Site,
    readonly page: Page,
  ) {}

  static async open(browser: Browser, site: Site): Promise<Judge> {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    await context.addInitScript({ path: path.join(__dirname, "in-page.js") });
    return new Judge(site, await context.newPage());
  }

  async judge({ policy, pageUrl, requests }: PageCase): Promise<readonly Verdict[]> {
    const id = this.#count++;
    const marked = requests.map(({ kind, url }, index) => {
      const mark = `${id}.${index}`;
      return { kind, url: withMark(url, mark), mark };
    });
    const scripts = marked.filter(({ kind }) => kind === "script").map(({ url }) => url);
    const connections = marked.filter(({ kind }) => kind === "connection");

    const pagePath = `/page-${id}`;
    this.site.pages.set(pagePath, { policy, scripts });
    await this.page.goto(pageUrl + pagePath, { waitUntil: "load" });
    this.site.pages.delete(pagePath);
    const isUpgrading = /upgrade-insecure-requests/i.test(policy);
    const attempt = `pageGuard.tryConnections(${JSON.stringify(connections)}, ${isUpgrading})`;
    const blocked = new Set(await this.page.evaluate<string[]>(attempt));
    const violations = await this.page.evaluate<Violation[]>("pageGuard.violations");
    for (const { uri } of violations.filter(({ directive }) => directive.startsWith("script-src"))) {
      const script = marked.find(({ kind, url, mark }) => kind === "script" && isOf(uri, url, mark));
      if (script !== undefined) blocked.add(script.mark);
    }
    return marked.map(({ mark }) => ({
      isBlocked: blocked.has(mark),
      hasArrived: this.site.arrived.has(mark),
    }));
  }
}

/** Marks a URL in its query, which policies ignore. */
function withMark(url: string, mark: string): string {
  return /^(https?|wss?):/.test(url) ? `${url}?n=${mark}` : url;
}

/** Whether a report is about a URL. For a scheme other than http it has only the scheme, so a page uses each scheme once. */
function isOf(uri: string, url: string, mark: string): boolean {
  return uri.startsWith("http") ? uri.endsWith(`?n=${mark}`) : uri === url.split(":", 1)[0];
}
