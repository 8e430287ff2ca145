/**
 * Reads and iterates until its time is over, and prints what it held meanwhile: live objects and resident memory after
 * a collection, and open sockets. What a read throws is counted by its code; it goes on with the next one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { getScripts, getSettings, iterateScripts } from "./built-package.mjs";

const [largeZone = "", smallZone = "", minutes = "0"] = process.argv.slice(2);
const lastsMs = Number(minutes) * 60_000;
const sampleEveryMs = Math.max(500, lastsMs / 400);

const samples = [];
const thrown = {};
let items = 0;
let iterations = 0;
let reads = 0;
let sockets = 0;

const started = performance.now();
const isOver = () => performance.now() - started > lastsMs;

async function again(work) {
  while (!isOver()) {
    try {
      await work();
    } catch (error) {
      const code = error.code ?? error.name;
      thrown[code] = (thrown[code] ?? 0) + 1;
    }
  }
}

async function iterated() {
  for await (const _ of iterateScripts({ zoneId: largeZone })) {
    items += 1;
    if (isOver()) return;
  }
  iterations += 1;
}

async function listed() {
  items += (await getScripts({ zoneId: smallZone })).length;
  reads += 1;
}

async function asked() {
  await getSettings({ zoneId: smallZone });
  reads += 1;
}

async function sampled() {
  await sleep(sampleEveryMs);
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  samples.push({ atMs: performance.now() - started, heapBytes: heapUsed, rssBytes: rss });
}

const watch = setInterval(() => {
  const open = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  sockets = Math.max(sockets, open);
}, 100);

await Promise.all([
  again(iterated),
  again(listed),
  ...Array.from({ length: 20 }, () => again(asked)),
  again(sampled),
]);
clearInterval(watch);
process.stdout.write(JSON.stringify({ items, iterations, reads, thrown, sockets, samples }));
process.exit();
