/** Preloaded into the processes of a made-up machine. */
"use strict";
const { STORY_NETWORK, STORY_NODE_VERSION } = process.env;

globalThis.fetch =
  STORY_NETWORK === "silence"
    ? () => new Promise(() => {})
    : () =>
        Promise.reject(new TypeError("fetch failed", { cause: new Error("this machine has no network") }));

if (STORY_NODE_VERSION) Object.defineProperty(process.versions, "node", { value: STORY_NODE_VERSION });
