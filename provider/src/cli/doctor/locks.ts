import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { parseUrl } from "../../text/parse-url";
import { lockAge } from "../approval/backend-lock";
import { OwnFolder } from "../approval/own-folder";
import { runPulumi } from "../approval/run-pulumi";
import { CommandError } from "../command-error";
import { isRunning } from "../process";
import type { Session } from "../session";
import { backendUrl, folderOf, type Lock, locksBelow } from "./backend";
import { type Check, fine, skipped, stops } from "./check";

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

/** Looking for credentials where there are none takes the tools a while. */
const timeoutMs = 30_000;

/**
 * The locks in a bucket or a database, or why they were not read. No command of the engine shows a lock without taking one, so
 * the tool of the service lists them: it only reads, and finds its credentials as the engine does.
 */
async function remoteLocks(session: Session, backend: string): Promise<readonly Lock[] | string> {
  const url = parseUrl(backend);
  try {
    if (url?.protocol === "s3:") return await inBucket(session, url);
    if (url?.protocol === "postgres:") return await inDatabase(session, url);
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
  return "only locks in files, S3 and Postgres are read";
}

async function inBucket(session: Session, { host, pathname, searchParams }: URL): Promise<readonly Lock[]> {
  const folder = new OwnFolder();
  try {
    const locks = folder.at("locks");
    const from = `s3://${host}${pathname.replace(/\/+$/, "")}/.pulumi/locks/`;
    const copy = ["aws", "s3", "cp", "--recursive", "--only-show-errors"];
    await run(session, [...copy, ...flags(searchParams), from, locks]);
    return locksBelow(locks);
  } finally {
    folder.close();
  }
}

/** As the engine reads the parameters of the backend's URL. */
function flags(parameters: URLSearchParams): readonly string[] {
  const isPlain = ["disableSSL", "disable_https"].some((name) => parameters.get(name) === "true");
  const endpoint = parameters.get("endpoint");
  const whole = endpoint?.includes("://")
    ? endpoint
    : endpoint && `${isPlain ? "http" : "https"}://${endpoint}`;
  const given = {
    "endpoint-url": whole,
    region: parameters.get("region"),
    profile: parameters.get("profile"),
  };
  return Object.entries(given).flatMap(([name, value]) => (value ? [`--${name}=${value}`] : []));
}

async function inDatabase(session: Session, url: URL): Promise<readonly Lock[]> {
  const parameters = url.searchParams;
  const table = parameters.get("table") || "pulumi_state";
  // Not on the command line, where every user of the machine could read it.
  const password = decodeURIComponent(url.password) || parameters.get("password");
  for (const name of ["table", "password"]) parameters.delete(name);
  url.password = "";
  // The name of the database comes first.
  const query = `select key, data->>'data' from ${table} where key like '%.pulumi/locks/%'`;
  const rows = await run(
    session,
    ["psql", "--no-psqlrc", "--no-password", "--tuples-only", "--no-align", `--command=${query}`, url.href],
    password ? { PGPASSWORD: password } : {},
  );
  return rows
    .split("\n")
    .filter((row) => row !== "")
    .map((row) => {
      const [key = "", data = ""] = row.split("|");
      const content = jsonOf(Buffer.from(data, "base64").toString("utf8"));
      return { file: key.replace(/^.*\.pulumi\/locks\//, ""), content };
    });
}

/** @throws CommandError */
async function run(
  session: Session,
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const [tool] = command;
  const { code, stdout, output } = await runPulumi(session, command, { env, timeoutMs }).catch(
    (error: unknown) => {
      throw error instanceof CommandError ? new CommandError(`\`${tool}\` is not on the PATH`) : error;
    },
  );
  if (code === 0) return stdout;
  const reason = forTerminal(output, 300).trim();
  throw new CommandError(`\`${tool}\` failed to list them: ${reason || "it did not answer"}`);
}
