import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { lockAge } from "../approval/backend-lock";
import { isRunning } from "../process";
import type { Session } from "../session";
import { backendUrl, folderOf, type Lock, locksBelow } from "./backend";
import { type Check, fine, skipped, stops } from "./check";
import { remoteLocks } from "./remote-locks";

const lockSchema = z.looseObject({
  pid: z.number().optional(),
  username: z.string().optional(),
  hostname: z.string().optional(),
  timestamp: z.string().default(""),
});

const projectSchema = z.looseObject({ name: z.string() });

/** A killed job leaves its lock, and every later `up` is refused. */
export async function lockChecks(session: Session): Promise<readonly Check[]> {
  const name = "backend lock";
  const url = backendUrl(session.env);
  if (url === undefined)
    return [skipped(name, "no backend is selected yet (pulumi login, or PULUMI_BACKEND_URL).")];
  const backend = folderOf(url, session.env);
  const locks =
    backend === undefined ? await remoteLocks(session, url) : locksBelow(join(backend, ".pulumi", "locks"));
  if (typeof locks === "string")
    return [skipped(name, `not checked: ${locks}. \`pulumi up\` says who holds the lock.`)];
  const ours = locks.filter(isOf(projectIn(session.cwd)));
  if (ours.length === 0) return [fine(name, "none")];
  return ours.map((lock) => stops(name, lockText(lock, session.now())));
}

/** A backend may serve many projects: the locks of others stop nobody here. Old backends know no projects. */
function isOf(project: string | undefined): (lock: Lock) => boolean {
  return ({ file }) => {
    const [, owner, ...rest] = file.split(/[\\/]/);
    return project === undefined || rest.length < 2 || owner === project;
  };
}

function projectIn(folder: string): string | undefined {
  try {
    return projectSchema.safeParse(parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8"))).data?.name;
  } catch {
    return undefined;
  }
}

function lockText({ file, content }: Lock, now: number): string {
  const stack = forTerminal(file.split(/[\\/]/).slice(0, -1).join("/"));
  const lock = lockSchema.safeParse(content);
  if (!lock.success)
    return `${stack} is locked, and the lock cannot be read. If nothing is running, run \`pulumi cancel --stack NAME\`.`;
  const { pid, username = "someone", hostname: host = "", timestamp } = lock.data;
  const process = pid === undefined ? "" : `, process ${pid}`;
  const owner = `${forTerminal(username, 60)}@${forTerminal(host, 60)}${process}${lockAge(timestamp, now)}`;
  return pid !== undefined && host === hostname() && !isRunning(pid)
    ? `${stack} is locked by ${owner}. That process is gone, so the lock is stale: run \`pulumi cancel --stack NAME\`.`
    : `${stack} is locked by ${owner}. Wait for it; if it is gone, run \`pulumi cancel --stack NAME\`.`;
}
