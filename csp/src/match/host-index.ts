import type { HostSource } from "../syntax/source";
import { hostMatches, pathMatches } from "./source-match";

/** That many are compared one by one: fewer steps than making and reading a table of them. */
const plainLimit = 8;

/** The pairs of scheme and port by which a source may match; `undefined` in a list: the sources that leave it open. */
export interface Origins {
  readonly schemes: readonly (string | undefined)[];
  readonly ports: readonly (number | "*" | undefined)[];
}

/** A host source as it is in the policy. */
export interface Written extends HostSource {
  readonly text: string;
}

type Test = (source: Written) => boolean;

/** Host sources, found by host, path, scheme and port without going through all of them. */
export class HostIndex {
  readonly #plain: Written[] = [];
  readonly #exact = new Map<string, PathIndex>();
  readonly #wildcard = new Map<string, PathIndex>();
  /** Of what follows `*.`: a host has one end of each length. */
  readonly #wildcardLengths = new Set<number>();

  add(source: Written): void {
    const { host, isWildcard } = source;
    if (this.#plain.length < plainLimit) {
      this.#plain.push(source);
      return;
    }
    if (isWildcard) this.#wildcardLengths.add(host.length);
    getOrAdd(isWildcard ? this.#wildcard : this.#exact, host, () => new PathIndex()).add(source);
  }

  /**
   * Whether one of the sources whose host and path match passes the test; no more are tested then. It has to test
   * scheme and port: of many sources those that `origins` does not name are left out, of few none is.
   */
  some(host: string, path: string, origins: () => Origins, test: Test): boolean {
    for (const source of this.#plain) {
      if (hostMatches(source, host) && pathMatches(source.path, path) && test(source)) return true;
    }
    if (this.#exact.get(host)?.some(path, origins, test)) return true;
    return this.#wildcard.size > 0 && this.#someWildcard(host, path, origins, test);
  }

  #someWildcard(host: string, path: string, origins: () => Origins, test: Test): boolean {
    for (const length of this.#wildcardLengths) {
      const start = host.length - length;
      // Of `*` alone nothing follows.
      if (length > 0 && host[start - 1] !== ".") continue;
      if (this.#wildcard.get(host.slice(start))?.some(path, origins, test)) return true;
    }
    return false;
  }
}

/** Sources of one host, or below one. */
class PathIndex {
  readonly #plain: Written[] = [];
  /** By path, `""` for those without one, and then by scheme and port. */
  readonly #byPath = new Map<string, Map<string, Written>>();
  /** Of the folders: a path has one beginning of each length. */
  readonly #folderLengths = new Set<number>();

  add(source: Written): void {
    if (this.#plain.length < plainLimit) {
      this.#plain.push(source);
      return;
    }
    const { path = "" } = source;
    if (path.endsWith("/")) this.#folderLengths.add(path.length);
    const ofPath = getOrAdd(this.#byPath, path, () => new Map<string, Written>());
    ofPath.set(originKey(source.scheme, source.port), source);
  }

  some(path: string, origins: () => Origins, test: Test): boolean {
    for (const source of this.#plain) if (pathMatches(source.path, path) && test(source)) return true;
    if (this.#byPath.size === 0) return false;
    const { schemes, ports } = origins();
    const keys = schemes.flatMap((scheme) => ports.map((port) => originKey(scheme, port)));
    return this.#ofPath(path).some((sources) =>
      keys.some((key) => {
        const source = sources.get(key);
        return source !== undefined && test(source);
      }),
    );
  }

  #ofPath(path: string): readonly ReadonlyMap<string, Written>[] {
    const paths = new Set(["", path]);
    for (const length of this.#folderLengths) if (path[length - 1] === "/") paths.add(path.slice(0, length));
    return [...paths].flatMap((one) => this.#byPath.get(one) ?? []);
  }
}

function originKey(scheme: string | undefined, port: number | "*" | undefined): string {
  return `${scheme ?? ""}:${port ?? ""}`;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
