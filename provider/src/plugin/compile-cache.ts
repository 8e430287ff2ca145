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
 * Lets Node keep what it compiles for the next start of this process, and returns a function that writes it to disk now, for
 * a process that will be killed. Only the plugin and the command call this: they own their process. The code in the cache
 * runs beside the writing token, so the cache is in a folder that only this user can change; where there is none, it stays
 * off. A cache that `NODE_COMPILE_CACHE` names has precedence.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv = process.env): () => void {
  const cache: typeof nodeModule & CompileCache = nodeModule;
  if (cache.enableCompileCache !== undefined && cache.getCompileCacheDir?.() === undefined) {
    const folder = privateFolder(env["XDG_CACHE_HOME"]);
    if (folder !== undefined) cache.enableCompileCache(folder);
  }
  return () => cache.flushCompileCache?.();
}

/** Returns a folder that nobody else can write to, or undefined where this machine has none or does not tell owners. */
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
