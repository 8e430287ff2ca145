/** Loaded first into the processes of a simulated machine. */
"use strict";
const { existsSync, readFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { STORY_NETWORK, STORY_NODE_VERSION, STORY_WEB } = process.env;

const networks = {
  // A process waits for an open connection, but would end at once if only a promise were left.
  silence: () => new Promise(() => setInterval(() => {}, 60_000)),
  refuse: () =>
    Promise.reject(new TypeError("fetch failed", { cause: new Error("this machine has no network") })),
  /** Folder with a subfolder for each host. */
  web: async (url) => {
    const { hostname, pathname } = new URL(url);
    const file = join(STORY_WEB, hostname, basename(pathname));
    return existsSync(file) ? new Response(readFileSync(file)) : new Response("", { status: 404 });
  },
};
globalThis.fetch = networks[STORY_NETWORK];

if (STORY_NODE_VERSION) Object.defineProperty(process.versions, "node", { value: STORY_NODE_VERSION });
