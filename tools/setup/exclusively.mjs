import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./say.mjs";

/** A holder writes its pid right after making the lock: without one for so long, it has died in between. */
const nameless = 10_000;

/** Runs `work` while no other process holds `lock` (a folder). The lock of a dead process is removed. */
export async function exclusively(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  let told = false;
  while (!take(lock)) {
    if (isAbandoned(lock)) {
      setAside(lock);
      continue;
    }
    if (!told) say("Another run is building the engine; waiting for it …");
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

function isAbandoned(lock) {
  try {
    const pid = Number(readFileSync(join(lock, "pid"), "utf8"));
    if (pid > 0) return !isAlive(pid);
  } catch {
    // Its maker is between its two steps, or died there.
  }
  try {
    return Date.now() - statSync(lock).mtimeMs > nameless;
  } catch {
    return false;
  }
}

/** Of several runs that find an abandoned lock, one gets it out of the way. */
function setAside(lock) {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  rmSync(aside, { recursive: true, force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
