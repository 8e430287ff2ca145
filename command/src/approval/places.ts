import { isDeepStrictEqual } from "node:util";
import { distinct } from "../shared/values";

export type Path = readonly string[];

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** Returns the paths at which two values differ. Skips paths whose `pathKey` is in `except`. Treats null as absent. */
export function differingPlaces(
  before: unknown,
  now: unknown,
  except: ReadonlySet<string> = new Set(),
  path: Path = [],
): Path[] {
  if (except.has(pathKey(path))) return [];
  if (isContainer(before) && isContainer(now) && readLength(before) === readLength(now)) {
    const [was, is] = [before, now].map((one) => new Map<string, unknown>(Object.entries(one)));
    return distinct([...Object.keys(before), ...Object.keys(now)]).flatMap((name) =>
      differingPlaces(was?.get(name), is?.get(name), except, [...path, name]),
    );
  }
  return isDeepStrictEqual(before ?? undefined, now ?? undefined) ? [] : [path];
}

export function findPlaces(value: unknown, isMatch: (value: unknown) => boolean, path: Path = []): Path[] {
  if (isMatch(value)) return [path];
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) => findPlaces(entry, isMatch, [...path, name]));
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function readLength(container: object): unknown {
  return Array.isArray(container) ? container.length : undefined;
}
