import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { isSwitchedOn } from "../../text/switched-on";
import type { Session } from "../session";
import { type Check, fine, jsonFile, stops } from "./check";

const credentialsSchema = z.looseObject({ current: z.string() });

/** A lock as the backend keeps it. */
export interface Lock {
  /** Below the locks' folder: the stack's name and a file's. */
  readonly file: string;
  /** Undefined for what is not JSON. */
  readonly content: unknown;
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

/** A state in a bucket crosses the network, whole, before and after each step. */
export function compressionChecks({ env }: Pick<Session, "env">): readonly Check[] {
  const isPacked = ["PULUMI_DIY_BACKEND_ZSTD", "PULUMI_DIY_BACKEND_GZIP"].some((name) =>
    isSwitchedOn(env[name]),
  );
  if (isPacked || !/^(s3|gs|azblob):/.test(backendUrl(env) ?? "")) return [];
  return [
    fine(
      "backend size",
      "each step writes the whole state; PULUMI_DIY_BACKEND_ZSTD=true for every run makes that a small part of it. Set it before the first `up` of a stack, or while nothing else runs: where a state changes its format, the engine removes the old file before it writes the new one, and a run cut off between the two leaves only a copy that ends in .bak.",
    ),
  ];
}

/** Without a lock that was released since it was listed. */
export function locksBelow(folder: string): readonly Lock[] {
  return filesBelow(folder, /\.json$/).flatMap((file) => {
    const path = join(folder, file);
    const content = jsonFile(path);
    return content === undefined && !existsSync(path) ? [] : [{ file, content }];
  });
}

/** The variable wins over what `pulumi login` recorded. */
export function backendUrl(env: NodeJS.ProcessEnv): string | undefined {
  const given = env["PULUMI_BACKEND_URL"]?.trim();
  if (given) return given;
  const home = env["PULUMI_HOME"] || join(env["HOME"] || homedir(), ".pulumi");
  return credentialsSchema.safeParse(jsonFile(join(home, "credentials.json"))).data?.current || undefined;
}

/** The folder of a file backend. `file://~` is the home folder. */
export function folderOf(url: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
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
