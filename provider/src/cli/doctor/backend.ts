import { existsSync, readdirSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { lockAge } from "../approval/backend-lock";
import { isRunning } from "../process";
import type { Session } from "../session";
import { type Check, fine, jsonFile, skipped, stops } from "./check";

const lockSchema = z.looseObject({
  pid: z.number().optional(),
  username: z.string().optional(),
  hostname: z.string().optional(),
  timestamp: z.string().default(""),
});

const credentialsSchema = z.looseObject({ current: z.string() });

/** Locks of a file backend: a killed job leaves its own, and every later `up` is refused. */
export function lockChecks(session: Session, isAlive = isRunning): readonly Check[] {
  const name = "backend lock";
  const url = backendUrl(session.env);
  if (url === undefined)
    return [skipped(name, "no backend is selected yet (pulumi login, or PULUMI_BACKEND_URL).")];
  const backend = folderOf(url, session.env);
  if (backend === undefined)
    return [skipped(name, "only file backends are checked; `pulumi up` says who holds the lock of another.")];
  const folder = join(backend, ".pulumi", "locks");
  const locks = filesBelow(folder, /\.json$/).flatMap(
    (file) => lockText(folder, file, session.now(), isAlive) ?? [],
  );
  return locks.length === 0 ? [fine(name, "none")] : locks.map((lock) => stops(name, lock));
}

/** Undefined for a lock that was released since. */
function lockText(folder: string, file: string, now: number, isAlive: typeof isRunning): string | undefined {
  const stack = forTerminal(file.split(/[\\/]/).slice(0, -1).join("/"));
  const lock = lockSchema.safeParse(jsonFile(join(folder, file)));
  if (!lock.success && !existsSync(join(folder, file))) return undefined;
  if (!lock.success)
    return `${stack} is locked, and the lock cannot be read. If nothing is running, run \`pulumi cancel --stack NAME\`.`;
  const { pid, username = "someone", hostname: host = "", timestamp } = lock.data;
  const process = pid === undefined ? "" : `, process ${pid}`;
  const owner = `${forTerminal(username, 60)}@${forTerminal(host, 60)}${process}${lockAge(timestamp, now)}`;
  return pid !== undefined && host === hostname() && !isAlive(pid)
    ? `${stack} is locked by ${owner}. That process is gone, so the lock is stale: run \`pulumi cancel --stack NAME\`.`
    : `${stack} is locked by ${owner}. Wait for it; if it is gone, run \`pulumi cancel --stack NAME\`.`;
}

/**
 * A file backend keeps a file of attributes beside each state, and the engine writes it in two steps: a job that is killed
 * between them leaves it empty, and no command can open the stack, although its state is complete.
 */
export function fileChecks({ env }: Pick<Session, "env">): readonly Check[] {
  const backend = folderOf(backendUrl(env), env);
  if (backend === undefined) return [];
  const folder = join(backend, ".pulumi", "stacks");
  return filesBelow(folder, /\.json(\.gz|\.zst)?\.attrs$/)
    .map((file) => join(folder, file))
    .filter((file) => jsonFile(file) === undefined)
    .map((file) =>
      stops(
        "backend files",
        `${forTerminal(file)} was left half-written by a killed run, so pulumi says "failed to load checkpoint: EOF". It holds nothing of the stack: delete it, and run pulumi again.`,
      ),
    );
}

/** The variable wins over what `pulumi login` recorded. */
function backendUrl(env: NodeJS.ProcessEnv): string | undefined {
  const given = env["PULUMI_BACKEND_URL"]?.trim();
  if (given) return given;
  const home = env["PULUMI_HOME"] || join(env["HOME"] || homedir(), ".pulumi");
  return credentialsSchema.safeParse(jsonFile(join(home, "credentials.json"))).data?.current || undefined;
}

/** The folder of a file backend. `file://~` is the home folder. */
function folderOf(url: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (!url?.startsWith("file://")) return undefined;
  const path = url.slice("file://".length);
  if (path.startsWith("~")) return join(env["HOME"] || homedir(), path.slice(1));
  if (!path.startsWith("/")) return path === "" ? "/" : path;
  try {
    return fileURLToPath(url);
  } catch {
    return path;
  }
}

function filesBelow(folder: string, name: RegExp): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file))
    .sort();
}
