import type { Agent } from "undici";

/**
 * The agent of undici, alone. All of it, with `fetch`, WebSocket, caches and mocks, takes four times as long to load and
 * 9 MB more of memory. Should a version keep its agent elsewhere, all of it is loaded.
 */
export function undiciAgent(): typeof Agent {
  try {
    return require("undici/lib/dispatcher/agent.js") as typeof Agent;
  } catch {
    return (require("undici") as typeof import("undici")).Agent;
  }
}
