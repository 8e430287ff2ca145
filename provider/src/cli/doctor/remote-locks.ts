import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { parseUrl } from "../../text/parse-url";
import { OwnFolder } from "../approval/own-folder";
import { runPulumi } from "../approval/run-pulumi";
import { CommandError } from "../command-error";
import type { Session } from "../session";
import { type Lock, locksBelow } from "./backend";

/** Looking for credentials where there are none takes the tools a while. */
const timeoutMs = 30_000;

/**
 * The locks in a bucket or a database, or why they were not read. No command of the engine shows a lock without taking one, so
 * the tool of the service lists them: it only reads, and finds its credentials as the engine does.
 */
export async function remoteLocks(session: Session, backend: string): Promise<readonly Lock[] | string> {
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
    await run(session, [
      "aws",
      "s3",
      "cp",
      "--recursive",
      "--only-show-errors",
      ...flags(searchParams),
      from,
      locks,
    ]);
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
