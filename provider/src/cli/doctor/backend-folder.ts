import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { jsonFile } from "./json-file";

/** The variable wins over what `pulumi login` has recorded. */
export function backendUrl(env: NodeJS.ProcessEnv): string | undefined {
  const given = env["PULUMI_BACKEND_URL"]?.trim();
  if (given) return given;
  const home = env["PULUMI_HOME"] || join(env["HOME"] || homedir(), ".pulumi");
  const credentials = z
    .looseObject({ current: z.string() })
    .safeParse(jsonFile(join(home, "credentials.json")));
  return credentials.success && credentials.data.current !== "" ? credentials.data.current : undefined;
}

/** Where the states are, if the backend is one of files. `file://~` is the home folder. */
export function backendFolder(env: NodeJS.ProcessEnv): string | undefined {
  const url = backendUrl(env);
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
