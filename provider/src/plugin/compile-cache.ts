import { lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/** Functions of Node's `module` that Node 20 does not have. */
interface CompileCache {
  enableCompileCache?(folder: string): unknown;
  flushCompileCache?(): void;
  getCompileCacheDir?(): string | undefined;
}

/**
 * Lets Node keep compiled code for the next start of the program. Returns a function that writes the cache to disk at once, for
 * a process that will be killed. Only the plugin and the command may call this function, because they own their process. Cached
 * code runs in a process that has the API token, so the cache is in a folder that only this user can change; without such a
 * folder, there is no cache. A cache that `NODE_COMPILE_CACHE` names takes precedence.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv = process.env): () => void {
  const cache: typeof nodeModule & CompileCache = nodeModule;
  if (cache.enableCompileCache !== undefined && cache.getCompileCacheDir?.() === undefined) {
    const folder = privateFolder(env["XDG_CACHE_HOME"]);
    if (folder !== undefined) cache.enableCompileCache(folder);
  }
  return () => cache.flushCompileCache?.();
}

/** Returns a folder that nobody else can write to; undefined if there is none, or if the system has no user ids. */
function privateFolder(cacheHome: string | undefined): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  const isPrivate = (found: Stats) => found.isDirectory() && found.uid === user && (found.mode & 0o022) === 0;
  try {
    const home = homedir();
    const base = cacheHome?.startsWith("/") ? cacheHome : join(home, ".cache");
    const folder = join(base, "pulumi-page-guard");
    if (base.startsWith(`${home}/`) && !isPrivate(statSync(home))) return undefined;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isPrivate(statSync(base)) && isPrivate(lstatSync(folder)) ? folder : undefined;
  } catch {
    return undefined;
  }
}
