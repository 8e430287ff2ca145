import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../structure/source-files";

describe("Dead links, which fail the build of the site", () => {
  it("are links to missing pages, to missing parts of pages and to missing files", async () => {
    const { deadLinks }: { deadLinks(folder: string): string[] } = await import(
      pathToFileURL(join(root, "tools/site/dead-links.mjs")).href
    );
    const folder = mkdtempSync(join(tmpdir(), "page-guard-site-"));
    try {
      mkdirSync(join(folder, "guides"));
      for (const [file, links] of Object.entries({
        "index.html": ["/guides/", "guides/adopt.html#go", "/logo.svg", "#top"],
        "guides/index.html": ["adopt.html", "/", "https://elsewhere.example/", "mailto:a@b.example"],
        "guides/adopt.html": ["gone.html", "/guides/adopt.html#gone", "../logo.svg"],
      }))
        writeFileSync(join(folder, file), page(...links));
      assert.deepEqual(deadLinks(folder).sort(), [
        "guides/adopt.html links to ../logo.svg",
        "guides/adopt.html links to /guides/adopt.html#gone",
        "guides/adopt.html links to gone.html",
        "index.html links to /logo.svg",
      ]);
      writeFileSync(join(folder, "logo.svg"), "<svg/>");
      assert.equal(deadLinks(folder).length, 2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function page(...links: readonly string[]): string {
  const anchors = links.map((link) => `<a class="link" href="${link}">x</a>`);
  return `<html><head><link href="/no/link.css"></head><body id="top"><h2 id="go">Go</h2>${anchors.join("")}</body></html>`;
}
