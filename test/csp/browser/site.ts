import http from "node:http";
import https from "node:https";
import type { AddressInfo, Server } from "node:net";
import { selfSignedCertificate } from "./self-signed-certificate";

/** A page: its policy and its scripts. */
export interface PageContent {
  readonly policy: string;
  readonly scripts: readonly string[];
  /** Further content of the page. */
  readonly html?: string;
}

/** Serves every host name, over http and https, on two loopback ports. */
export interface Site {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Pages by path. */
  readonly pages: Map<string, PageContent>;
  /** Values of `n` in the queries of all requests that arrived. */
  readonly arrived: Set<string>;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const pages = new Map<string, PageContent>();
  const arrived = new Set<string>();
  const answer: http.RequestListener = (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const marker = url.searchParams.get("n");
    if (marker !== null) arrived.add(marker);
    const page = pages.get(url.pathname);
    if (page === undefined) {
      response.writeHead(200, { "content-type": "text/javascript" }).end("0");
      return;
    }
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": page.policy });
    response.end(`<!doctype html><title>.</title>${page.scripts.map(scriptTag).join("")}${page.html ?? ""}`);
  };
  const upgrade = (request: http.IncomingMessage, socket: { destroy(): void }) => {
    const marker = new URL(request.url ?? "/", "http://localhost").searchParams.get("n");
    if (marker !== null) arrived.add(marker);
    socket.destroy();
  };
  const servers = [http.createServer(answer), https.createServer(selfSignedCertificate("localhost"), answer)];
  for (const server of servers) server.on("upgrade", upgrade);
  const [httpPort = 0, httpsPort = 0] = await Promise.all(servers.map(listen));
  return { httpPort, httpsPort, pages, arrived, close: () => closeAll(servers) };
}

/** Returns script elements for the HTML. `defer` lets the browser load them in parallel. */
function scriptTag(url: string): string {
  return `<script defer src="${url.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></script>`;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

async function closeAll(servers: readonly (http.Server | https.Server)[]): Promise<void> {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
}
