import type { RequestUrl } from "./request-url";
import type { HostSource } from "./source";

/** No name that resolves, and hardly a path, is longer; looking them up piece by piece would take quadratic time. */
const HOST_LIMIT = 255;
const PATH_LIMIT = 4096;

/** Sources by path: `""` for those without one. */
type ByPath = Map<string, HostSource[]>;

/** Host sources, found by host and path without going through all of them. */
export class HostIndex {
  readonly #exact = new Map<string, ByPath>();
  readonly #wildcard = new Map<string, ByPath>();

  add(source: HostSource): void {
    const byHost = source.isWildcard ? this.#wildcard : this.#exact;
    const byPath = getOrAdd(byHost, source.host, (): ByPath => new Map());
    getOrAdd(byPath, source.path ?? "", (): HostSource[] => []).push(source);
  }

  /** The sources whose host and path match; scheme and port are still to be compared. */
  *candidates({ host, path }: RequestUrl): Iterable<HostSource> {
    const exact = this.#exact.get(host);
    if (exact !== undefined) yield* byPath(exact, path);
    for (const suffix of this.#suffixes(host)) {
      const found = this.#wildcard.get(suffix);
      if (found !== undefined) yield* byPath(found, path);
    }
  }

  *#suffixes(host: string): Iterable<string> {
    if (this.#wildcard.size === 0) return;
    // `*` alone.
    yield "";
    if (host.length > HOST_LIMIT) {
      for (const suffix of this.#wildcard.keys()) if (host.endsWith(`.${suffix}`)) yield suffix;
      return;
    }
    for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1)) {
      if (dot + 1 < host.length) yield host.slice(dot + 1);
    }
  }
}

function* byPath(sources: ByPath, path: string): Iterable<HostSource> {
  if (path.length > PATH_LIMIT) {
    for (const [prefix, found] of sources) if (pathMatches(prefix, path)) yield* found;
    return;
  }
  yield* sources.get("") ?? [];
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    yield* sources.get(path.slice(0, slash + 1)) ?? [];
  }
  if (!path.endsWith("/") && path !== "") yield* sources.get(path) ?? [];
}

function pathMatches(sourcePath: string, path: string): boolean {
  if (sourcePath === "") return true;
  return sourcePath.endsWith("/") ? path.startsWith(sourcePath) : path === sourcePath;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
