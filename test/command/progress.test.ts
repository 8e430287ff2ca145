import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Progress } from "../../command/src/shared/progress";
import { processSession } from "../../command/src/shared/session";

/** Returns what a terminal shows during work that sends these requests, five seconds after its beginning. */
async function shown(what: string, requests: readonly ("pending" | "done")[]): Promise<string> {
  let now = 0;
  const progress = new Progress({ ...processSession(), isWatched: true, now: () => now });
  const { write } = process.stderr;
  const written: string[] = [];
  process.stderr.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  try {
    await progress.during(what, async () => {
      for (const request of requests) {
        progress.requestSent();
        if (request === "done") progress.requestDone();
      }
      now = 5000;
      await sleep(400);
    });
  } finally {
    process.stderr.write = write;
  }
  return written.find((text) => text.startsWith(what)) ?? "";
}

describe("The line of progress on a terminal", () => {
  it("counts requests, and says that the rate limit holds the next one back", async () => {
    assert.equal(await shown("Reading zones", ["done", "pending"]), "Reading zones: 1 request done");
    assert.equal(
      await shown("Reading zones", ["done", "done"]),
      "Reading zones: 2 requests done, waiting for the rate limit for 5 s",
    );
  });

  it("does not speak of requests or of the rate limit where none was sent", async () => {
    assert.equal(await shown("Previewing", []), "Previewing: 5 s");
  });
});
