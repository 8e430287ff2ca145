import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Progress } from "../../command/src/shared/progress";
import { processSession } from "../../command/src/shared/session";

let now = 0;

function newProgress(): Progress {
  return new Progress({ ...processSession(), isWatched: true, now: () => now });
}

/** Returns what a terminal shows during work that sends these requests, five seconds after its beginning. */
async function shown(
  progress: Progress,
  what: string,
  requests: readonly ("pending" | "done")[],
  isAsking?: boolean,
): Promise<string> {
  const { write } = process.stderr;
  const written: string[] = [];
  process.stderr.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  const work = async () => {
    for (const request of requests) {
      progress.requestSent();
      if (request === "done") progress.requestDone();
    }
    now += 5000;
    while (written.length === 0) await sleep(10);
  };
  try {
    await progress.during(what, work, isAsking);
  } finally {
    process.stderr.write = write;
  }
  return written.find((text) => text.startsWith(what)) ?? "";
}

describe("The line of progress on a terminal", () => {
  it("counts requests, and says that the rate limit holds the next one back", async () => {
    const one = await shown(newProgress(), "Reading zones", ["done", "pending"]);
    assert.equal(one, "Reading zones: 1 request done");
    const two = await shown(newProgress(), "Reading zones", ["done", "done"]);
    assert.equal(two, "Reading zones: 2 requests done, waiting for the rate limit for 5 s");
  });

  it("counts requests and waiting time anew for each piece of work", async () => {
    const progress = newProgress();
    await shown(progress, "Reading zones", ["done", "done"]);
    now += 600_000;
    const text = await shown(progress, "Reading scripts", []);
    assert.equal(text, "Reading scripts: 0 requests done, waiting for the rate limit for 5 s");
    assert.equal(progress.requests, 2);
  });

  it("does not speak of requests or of the rate limit while it waits for Pulumi", async () => {
    assert.equal(await shown(newProgress(), "Previewing", [], false), "Previewing: 5 s");
  });
});
