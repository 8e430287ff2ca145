import type { HostSource } from "./source";

/** No name that resolves, and hardly a path, is longer; looking them up piece by piece would take quadratic time. */
const HOST_LIMIT = 255;
const PATH_LIMIT = 4096;

/** What the sources looked for may match; `undefined` in a list: those that leave it open. */
export interface Lookup {
  readonly host: string;
  readonly path: string;
  readonly schemes: readonly (string | undefined)[];
  readonly ports: readonly (number | "*" | undefined)[];
}

/** Sources that differ in scheme and port only, by both. */
type ByOrigin<T> = Map<string, T>;

/** Sources by path: `""` for those without one. */
type ByPath<T> = Map<string, ByOrigin<T>>;

/** Host sources, found by host, path, scheme and port without going through all of them. */
export class HostIndex<T extends HostSource = HostSource> {
  readonly #exact = new Map<string, ByPath<T>>();
  readonly #wildcard = new Map<string, ByPath<T>>();
  readonly #longWildcards = new Set<string>();

  add(source: T): void {
    const byHost = source.isWildcard ? this.#wildcard : this.#exact;
    if (source.isWildcard && source.host.length > HOST_LIMIT) this.#longWildcards.add(source.host);
    const byPath = getOrAdd(byHost, source.host, (): ByPath<T> => new Map());
    const byOrigin = getOrAdd(byPath, source.path ?? "", (): ByOrigin<T> => new Map());
    byOrigin.set(originKey(source.scheme, source.port), source);
  }

  /** The sources whose host and path match, and whose scheme and port are among those given. */
  *candidates({ host, path, schemes, ports }: Lookup): Iterable<T> {
    // Most hosts have no source at all: the keys are made for those that have one.
    let made: readonly string[] | undefined;
    const keys = (): readonly string[] => {
      made ??= schemes.flatMap((scheme) => ports.map((port) => originKey(scheme, port)));
      return made;
    };
    const exact = this.#exact.get(host);
    if (exact !== undefined) yield* pick(exact, path, keys());
    for (const suffix of this.#suffixes(host)) {
      const found = this.#wildcard.get(suffix);
      if (found !== undefined) yield* pick(found, path, keys());
    }
  }

  *#suffixes(host: string): Iterable<string> {
    if (this.#wildcard.size === 0) return;
    // `*` alone.
    yield "";
    for (const suffix of this.#longWildcards) if (host.endsWith(`.${suffix}`)) yield suffix;
    const start = Math.max(0, host.length - HOST_LIMIT - 1);
    for (let dot = host.indexOf(".", start); dot !== -1; dot = host.indexOf(".", dot + 1)) {
      if (dot + 1 < host.length) yield host.slice(dot + 1);
    }
  }
}

function originKey(scheme: string | undefined, port: number | "*" | undefined): string {
  return `${scheme ?? ""}:${port ?? ""}`;
}

function* pick<T>(sources: ByPath<T>, path: string, keys: readonly string[]): Iterable<T> {
  for (const byOrigin of byPath(sources, path)) {
    for (const key of keys) {
      const found = byOrigin.get(key);
      if (found !== undefined) yield found;
    }
  }
}

function* byPath<T>(sources: ByPath<T>, path: string): Iterable<ByOrigin<T>> {
  if (path.length > PATH_LIMIT) {
    for (const [prefix, found] of sources) if (pathMatches(prefix, path)) yield found;
    return;
  }
  const open = sources.get("");
  if (open !== undefined) yield open;
  // Most hosts have no source with a path.
  if (sources.size === (open === undefined ? 0 : 1)) return;
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    const folder = sources.get(path.slice(0, slash + 1));
    if (folder !== undefined) yield folder;
  }
  const whole = path.endsWith("/") || path === "" ? undefined : sources.get(path);
  if (whole !== undefined) yield whole;
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
