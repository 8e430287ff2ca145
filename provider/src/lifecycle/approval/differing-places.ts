import { isDeepStrictEqual } from "node:util";
import { shown } from "../../text/shown";
import { pathText } from "../check-inputs";
import { isUnknown } from "../unknown";

export type Path = readonly string[];

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/**
 * Where `now` is not as it was approved. `unknown`: keys of paths of what was not known then; whatever is known there now is
 * what was meant. Absent and null are the same.
 */
export function differingPlaces(
  approved: unknown,
  now: unknown,
  unknown: ReadonlySet<string> = new Set(),
  path: Path = [],
): Path[] {
  if (unknown.has(pathKey(path))) return placesOf(now, isUnknown, path);
  if (isContainer(approved) && isContainer(now) && lengthOf(approved) === lengthOf(now)) {
    return [...new Set([...Object.keys(approved), ...Object.keys(now)])].flatMap((name) =>
      differingPlaces(fieldOf(approved, name), fieldOf(now, name), unknown, [...path, name]),
    );
  }
  return !isUnknown(now) && isDeepStrictEqual(approved ?? undefined, now ?? undefined) ? [] : [path];
}

/** Paths of the values that are so. */
export function placesOf(value: unknown, isSo: (value: unknown) => boolean, path: Path = []): Path[] {
  if (isSo(value)) return [path];
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) => placesOf(entry, isSo, [...path, name]));
}

/** As a program writes it. */
export function placeText(path: Path): string {
  return shown(pathText(path.map((name) => (/^\d+$/.test(name) ? Number(name) : name))), { max: 120 });
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Of a list; undefined for other objects. */
function lengthOf(container: object): number | undefined {
  return Array.isArray(container) ? container.length : undefined;
}

function fieldOf(container: object, name: string): unknown {
  return Object.hasOwn(container, name) ? Reflect.get(container, name) : undefined;
}
