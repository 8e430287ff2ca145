import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { type ExplainRequest, explain, type RequestKind } from "../../../csp/src";
import type { Site } from "./site";

/** A host and port that no policy of the tests names. */
const STRANGER = "https://stranger.test:8443";

/** All content that a page can have, except scripts with a URL and connections, at least once each. */
const HTML = `
  <base href="${STRANGER}/">
  <script>window.inline = 1</script>
  <p id="handler" onclick="window.clicked = 1" style="color: blue">text</p>
  <style>p { margin: 0 }</style>
  <link rel="stylesheet" href="${STRANGER}/a.css">
  <img src="${STRANGER}/a.png"><img src="data:image/png;base64,AAAA">
  <iframe src="${STRANGER}/frame"></iframe><iframe src="data:text/html,x"></iframe>
  <object data="${STRANGER}/a.svg" type="image/svg+xml"></object>
  <embed src="${STRANGER}/b.svg" type="image/svg+xml">
  <iframe name="sink"></iframe>
  <form id="form" action="${STRANGER}/form" method="post" target="sink"></form>`;

/** Kinds by the violations that show them: the directive, and whether it is about code in the page. */
const SHOWN_BY: ReadonlyMap<string, string> = new Map([
  ["script-src-elem inline", "inline scripts"],
  ["script-src-attr inline", "event handlers"],
  ["script-src eval", "eval"],
  ["script-src wasm-eval", "WebAssembly"],
  ["style-src-elem inline", "inline styles"],
  ["style-src-attr inline", "style attributes"],
  ["style-src-elem url", "stylesheets"],
  ["img-src url", "images"],
  ["font-src url", "fonts"],
  ["media-src url", "audio and video"],
  ["frame-src url", "frames"],
  ["worker-src url", "workers"],
  ["object-src url", "objects and embeds"],
  ["form-action url", "forms"],
  ["base-uri url", "base URLs"],
]);

export const SEEN_KINDS: ReadonlySet<string> = new Set(SHOWN_BY.values());

const PAGE_URL = "https://a.example/";
const BLOB = "blob:https://a.example/5dbe0c0f-0000-4000-8000-000000000000";
const inline = (kind: RequestKind) => [{ kind, url: "inline" }];
const urls = (kind: RequestKind, ...all: readonly string[]) => all.map((url) => ({ kind, url }));

/** Content of each kind that the pages try. A kind counts as blocked if one piece of its content is blocked. */
const TRIED: ReadonlyMap<string, readonly Pick<ExplainRequest, "kind" | "url">[]> = new Map([
  ["inline scripts", inline("script")],
  ["event handlers", inline("event-handler")],
  ["eval", urls("script", "eval")],
  ["WebAssembly", urls("script", "wasm-eval")],
  ["inline styles", inline("style")],
  ["style attributes", inline("style-attribute")],
  ["stylesheets", urls("style", `${STRANGER}/a.css`)],
  ["images", urls("image", `${STRANGER}/a.png`, "data:image/png;base64,AAAA", BLOB)],
  ["fonts", urls("font", `${STRANGER}/a.woff`, "data:font/woff,x")],
  ["audio and video", urls("media", `${STRANGER}/a.mp4`, "data:video/mp4,x", BLOB)],
  ["frames", urls("frame", `${STRANGER}/frame`, "data:text/html,x", BLOB)],
  ["workers", urls("worker", `${PAGE_URL}worker.js`, "data:text/javascript,postMessage(0)", BLOB)],
  ["objects and embeds", urls("object", `${STRANGER}/a.svg`)],
  ["forms", urls("form", `${STRANGER}/form`)],
  ["base URLs", urls("base", `${STRANGER}/`)],
]);

/** Returns the kinds of which `explain` reports something as blocked. */
export function explainedAsBlocked(policy: string): readonly string[] {
  const isBlocked = (request: Pick<ExplainRequest, "kind" | "url">) =>
    explain(policy, { ...request, pageUrl: PAGE_URL }).verdict !== "allowed";
  return [...TRIED].flatMap(([kind, requests]) => (requests.some(isBlocked) ? [kind] : []));
}

/** Loads pages with all content, and reads which kinds the browser blocks. */
export class KindJudge {
  #count = 0;

  private constructor(
    readonly site: Site,
    readonly page: Page,
  ) {}

  static async open(browser: Browser, site: Site): Promise<KindJudge> {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    await context.addInitScript({ path: path.join(__dirname, "kinds-in-page.js") });
    return new KindJudge(site, await context.newPage());
  }

  /** Returns the blocked kinds. Waits a while for late reports, unless `isDone` says that no more are expected. */
  async blocked(
    policy: string,
    isDone: (kinds: ReadonlySet<string>) => boolean,
  ): Promise<ReadonlySet<string>> {
    const pagePath = `/kinds-${this.#count++}`;
    this.site.pages.set(pagePath, { policy, scripts: [], html: HTML });
    await this.page.goto(`https://a.example${pagePath}`, { waitUntil: "load" });
    this.site.pages.delete(pagePath);
    await this.page.evaluate(`kinds.tryAll(${JSON.stringify(STRANGER)})`);
    let kinds = new Set<string>();
    for (let look = 0; look < 20; look++) {
      const violations = await this.page.evaluate<{ uri: string; directive: string }[]>("kinds.violations");
      kinds = new Set(violations.flatMap(({ uri, directive }) => kindOf(uri, directive)));
      if (isDone(kinds)) break;
      await this.page.waitForTimeout(50);
    }
    return kinds;
  }
}

function kindOf(uri: string, directive: string): readonly string[] {
  const what = ["inline", "eval", "wasm-eval"].includes(uri) ? uri : "url";
  const kind = SHOWN_BY.get(`${directive} ${what}`);
  return kind === undefined ? [] : [kind];
}
