/**
 * Reads all scripts of a zone and prints how long it took, or (`memory`) how many bytes of live objects the reading
 * holds: after the first tenth, and at most. Iterated items are released, those of a list are held.
 */
import { getScripts, iterateScripts } from "./built-package.mjs";

const [reader, zoneId = "", warmUpZoneId = "", purpose] = process.argv.slice(2);
const isMeasuringMemory = purpose === "memory";
const measureEvery = 500;

let items = 0;
let start = 0;
let firstHeapBytes;
let heapBytes = 0;

function live() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function see() {
  items += 1;
  if (!isMeasuringMemory || items % measureEvery !== 0) return;
  const held = live() - start;
  firstHeapBytes ??= held;
  heapBytes = Math.max(heapBytes, held);
}

async function iterated() {
  for await (const _ of iterateScripts({ zoneId })) see();
}

async function collected() {
  const list = await getScripts({ zoneId });
  for (const _ of list) see();
  return list;
}

async function plainSequential() {
  const list = [];
  for (let page = 1; ; page += 1) {
    const response = await fetch(
      `${process.env.PAGE_GUARD_BASE_URL}/zones/${zoneId}/page_guard/scripts?per_page=100&page=${page}`,
      { headers: { Authorization: `Bearer ${process.env.PAGE_GUARD_API_TOKEN}` } },
    );
    const { result, result_info: info } = await response.json();
    for (const item of result) {
      list.push(item);
      see();
    }
    if (page >= info.total_pages) return list;
  }
}

const read = { iterated, collected, "plain sequential": plainSequential }[reader];
// What the first call of a process loads is not what is measured here.
await getScripts({ zoneId: warmUpZoneId });
if (isMeasuringMemory) start = live();
const started = performance.now();
const cpuBefore = process.cpuUsage();
const kept = await read();
const wallMs = performance.now() - started;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMs = (user + system) / 1000;
process.stdout.write(
  JSON.stringify({ items: kept?.length ?? items, wallMs, cpuMs, heapBytes, firstHeapBytes }),
);
process.exit();
