import type { HostSource } from "../syntax/source";
import { hostMatches, pathMatches } from "./source-match";

/** That many are compared one by one: fewer steps than making and reading a table of them. */
const plainLimit = 8;

/** A host source as it is in the policy. */
export interface Written extends HostSource {
  readonly text: string;
}

/** Host sources, found by host and path without going through all of them. */
export class HostIndex {
  readonly #plain: Written[] = [];
  /** By host, with `*.` where only hosts below it are meant, and by path. */
  readonly #places = new Map<string, Map<string, Written[]>>();
  /** Of what follows `*.`: a host has one end of each length. */
  readonly #wildcardLengths = new Set<number>();
  /** Of folders: a path has one beginning of each length. */
  readonly #folderLengths = new Set<number>();

  add(source: Written): void {
    const { host, isWildcard, path = "" } = source;
    if (this.#plain.length < plainLimit) {
      this.#plain.push(source);
      return;
    }
    if (isWildcard) this.#wildcardLengths.add(host.length);
    if (path.endsWith("/")) this.#folderLengths.add(path.length);
    const key = isWildcard ? `*.${host}` : host;
    const paths = this.#places.get(key) ?? new Map<string, Written[]>();
    this.#places.set(key, paths);
    const known = paths.get(path);
    if (known === undefined) paths.set(path, [source]);
    else known.push(source);
  }

  /** Whether one of the sources whose host and path match passes the test, which has to check scheme and port. */
  some(host: string, path: string, test: (source: Written) => boolean): boolean {
    for (const source of this.#plain) {
      if (hostMatches(source, host) && pathMatches(source.path, path) && test(source)) return true;
    }
    if (this.#places.size === 0) return false;
    if (this.#someAt(host, path, test)) return true;
    for (const length of this.#wildcardLengths) {
      const start = host.length - length;
      // Of `*` alone nothing follows.
      if (length > 0 && host[start - 1] !== ".") continue;
      if (this.#someAt(`*.${host.slice(start)}`, path, test)) return true;
    }
    return false;
  }

  #someAt(key: string, path: string, test: (source: Written) => boolean): boolean {
    const paths = this.#places.get(key);
    if (paths === undefined) return false;
    const wanted = ["", path];
    for (const length of this.#folderLengths)
      if (length < path.length && path[length - 1] === "/") wanted.push(path.slice(0, length));
    return wanted.some((one) => paths.get(one)?.some(test) === true);
  }
}
