import { existsSync, readdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import type { Session } from "../session";
import { backendFolder, backendUrl } from "./backend-folder";
import { type Check, fine, skipped, stops } from "./check";
import { jsonFile } from "./json-file";

const name = "backend lock";

const lockSchema = z.looseObject({
  pid: z.number().optional(),
  username: z.string().optional(),
  hostname: z.string().optional(),
  timestamp: z.string().optional(),
});

/** Locks of a backend of files: a killed job leaves its own behind, and every later `up` is refused. */
export function lockChecks(session: Session, isRunning: (pid: number) => boolean = runs): readonly Check[] {
  const url = backendUrl(session.env);
  if (url === undefined)
    return [skipped(name, "no backend is chosen yet (pulumi login, or PULUMI_BACKEND_URL).")];
  const backend = backendFolder(session.env);
  if (backend === undefined) {
    return [
      skipped(
        name,
        "only a backend of files is looked at; `pulumi up` tells who holds the lock of another one.",
      ),
    ];
  }
  const folder = join(backend, ".pulumi", "locks");
  const locks = lockFiles(folder).flatMap((file) => sentence(folder, file, session.now(), isRunning) ?? []);
  if (locks.length === 0) return [fine(name, "nobody holds one")];
  return locks.map((lock) => stops(name, lock));
}

/** Undefined for a lock that was given back meanwhile. */
function sentence(
  folder: string,
  file: string,
  now: number,
  isRunning: (pid: number) => boolean,
): string | undefined {
  const stack = forTerminal(file.split(/[\\/]/).slice(0, -1).join("/"));
  const lock = lockSchema.safeParse(jsonFile(join(folder, file)));
  if (!lock.success && !existsSync(join(folder, file))) return undefined;
  if (!lock.success)
    return `${stack} is locked, and by whom cannot be read. When nothing runs: \`pulumi cancel --stack NAME\`.`;
  const { pid, username = "somebody", hostname: host = "", timestamp } = lock.data;
  const since = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  const age = Number.isNaN(since) ? "" : `, for ${ageText(now - since)}`;
  const isDead = pid !== undefined && host === hostname() && !isRunning(pid);
  const who = `${forTerminal(username, 60)}@${forTerminal(host, 60)}${pid === undefined ? "" : `, process ${pid}`}`;
  return isDead
    ? `${stack} is locked by ${who}${age}; that process is gone, so the lock is stale. Run \`pulumi cancel --stack NAME\`.`
    : `${stack} is locked by ${who}${age}. Wait for it; when you know that it is gone: \`pulumi cancel --stack NAME\`.`;
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}

function lockFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .sort();
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
