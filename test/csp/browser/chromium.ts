import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import type { Site } from "./site";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const INSTALL_HINT =
  "Install Debian's package (apt-get update && apt-get install -y chromium), or set CHROMIUM_PATH to a Chromium.";

/** Returns the path of Chromium; undefined if this machine has none. */
export function findChromium(): string | undefined {
  const chosen = process.env["CHROMIUM_PATH"];
  if (chosen !== undefined && chosen !== "") return existsSync(chosen) ? chosen : undefined;
  return PATHS.find((path) => existsSync(path));
}

export function isBrowserRequired(): boolean {
  return process.env["CI"] === "true" || process.env["REQUIRE_BROWSER"] === "1";
}

/** Leads every host to the site, with the scheme that belongs to the port. */
export function launchChromium(executablePath: string, site: Site): Promise<Browser> {
  const rules = [
    // The ports of these two belong to the other scheme.
    `MAP plain.example:443 127.0.0.1:${site.httpPort}`,
    `MAP tls.example:80 127.0.0.1:${site.httpsPort}`,
    `MAP *:80 127.0.0.1:${site.httpPort}`,
    `MAP *:8080 127.0.0.1:${site.httpPort}`,
    `MAP *:443 127.0.0.1:${site.httpsPort}`,
    `MAP *:8443 127.0.0.1:${site.httpsPort}`,
    "MAP * 127.0.0.1",
  ];
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      `--host-resolver-rules=${rules.join(", ")}`,
      "--ignore-certificate-errors",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--no-proxy-server",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
