import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { say } from "./say.mjs";

/** Runs `work` while no other process has the lock of `path`. The lock of a dead process expires after 15 seconds. */
export async function exclusively(path, work) {
  // Imported late, because a fresh clone reads this file before its packages are installed.
  const { lock } = await import("proper-lockfile");
  mkdirSync(dirname(path), { recursive: true });
  const options = { realpath: false, stale: 15_000, lockfilePath: path };
  const release = await lock(path, options).catch((error) => {
    if (error.code !== "ELOCKED") throw error;
    say("Another run is preparing the same files; waiting for it …");
    return lock(path, { ...options, retries: { retries: 3600, factor: 1, minTimeout: 1000 } });
  });
  try {
    return await work();
  } finally {
    await release();
  }
}
