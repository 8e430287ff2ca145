import { fork } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inChild } from "./in-child.mjs";
import { megabytes, table } from "./table.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const largeZone = "1".padStart(32, "0");
const smallZone = "2".padStart(32, "0");

/**
 * Reads and iterations of a very large zone, for long, against a service that is slow and fails: whether memory stays
 * as it is after the beginning, and how many sockets are open.
 */
export async function soakBench({ progress, minutes, items }) {
  const service = fork(join(folder, "soak-service.mjs"), [largeZone, smallZone, String(items)]);
  try {
    const [{ url, token }] = await once(service, "message");
    progress(`soak: ${items} items, for ${minutes} minutes`);
    const env = {
      PAGE_GUARD_BASE_URL: url,
      PAGE_GUARD_API_TOKEN: token,
      // One request in 2,000 is never answered.
      PAGE_GUARD_TIMEOUT_MS: "5000",
    };
    const script = join(folder, "soak-reader.mjs");
    const read = await inChild(script, [largeZone, smallZone, String(minutes)], env, ["--expose-gc"]);
    service.send("figures");
    const [served] = await once(service, "message");
    const { samples, ...rest } = read;
    const quarters = inQuarters(samples);
    return {
      title: `${minutes} minutes of reads and iterations of ${items} items: 20 ms a request and more, 3 in 100 fail`,
      results: { ...rest, ...served, quarters },
      text: textOf({ ...rest, ...served, quarters }),
    };
  } finally {
    service.kill();
  }
}

function inQuarters(samples) {
  const end = samples.at(-1)?.atMs ?? 0;
  return [0, 1, 2, 3].map((quarter) => {
    const inside = samples.filter(({ atMs }) => Math.min(3, Math.floor((atMs / end) * 4)) === quarter);
    const of = (name) => inside.map((sample) => sample[name]);
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    return {
      heapBytes: mean(of("heapBytes")),
      mostHeapBytes: Math.max(...of("heapBytes")),
      rssBytes: mean(of("rssBytes")),
      mostRssBytes: Math.max(...of("rssBytes")),
    };
  });
}

function textOf({ quarters, items, iterations, reads, requests, failures, thrown, sockets, inFlight }) {
  const memory = table(
    ["quarter", "heap, MB", "at most", "resident, MB", "at most"],
    quarters.map(({ heapBytes, mostHeapBytes, rssBytes, mostRssBytes }, index) => [
      String(index + 1),
      ...[heapBytes, mostHeapBytes, rssBytes, mostRssBytes].map(megabytes),
    ]),
  );
  const codes = Object.entries(thrown).map(([code, count]) => `${count} ${code}`);
  return [
    memory,
    "",
    `${requests} requests, ${failures} of them failed; ${items} items in ${iterations} whole iterations and lists; ${reads} other reads.`,
    `Failures of the reader: ${codes.join(", ") || "none"}. Most sockets open: ${sockets}; most requests in flight: ${inFlight}.`,
  ].join("\n");
}
