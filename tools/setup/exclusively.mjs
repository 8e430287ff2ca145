import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./say.mjs";

/** Runs `work` while no other process holds `lock` (a folder). A lock whose holder has died is taken over. */
export async function exclusively(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  let told = false;
  while (!take(lock)) {
    if (!isAlive(holder(lock))) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (!told) say("Another run is making the engine; waiting for it …");
    told = true;
    await sleep(1000);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function take(lock) {
  try {
    mkdirSync(lock);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  writeFileSync(join(lock, "pid"), String(process.pid));
  return true;
}

/** A lock without a pid yet counts as held by us: its maker is between its two steps. */
function holder(lock) {
  try {
    return Number(readFileSync(join(lock, "pid"), "utf8")) || process.pid;
  } catch {
    return process.pid;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
