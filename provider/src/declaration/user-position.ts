// Without it: a review names no line of the program.
import { dirname, isAbsolute, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { findingsFile, type Position } from "../lifecycle/findings-file";

/** The folder of this package's own code, `dist` or `src`. */
const ourFolder = dirname(__dirname) + sep;

/** A component of a library may be many frames deep. */
const mostFrames = 100;

/**
 * The line of the user's program that is being carried out: the first one that is neither ours nor of a package.
 * Undefined where it is not read: a stack trace would be for nothing.
 */
export function userPosition(): Position | undefined {
  if (findingsFile() === undefined) return undefined;
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = mostFrames;
  const { stack = "" } = new Error("where is this called?");
  Error.stackTraceLimit = usual;
  // The text of the trace: that is what source maps have been applied to.
  for (const frame of stack.split("\n").slice(1)) {
    const [, named, bare, line] = /^at (?:.*? \((.+)|(?:async )?(.+)):(\d+):\d+\)?$/.exec(frame.trim()) ?? [];
    const place = named ?? bare ?? "";
    const file = place.startsWith("file:") ? fileURLToPath(place) : place;
    const isTheirs = isAbsolute(file) && !file.startsWith(ourFolder);
    if (isTheirs && !/[\\/]node_modules[\\/]/.test(file)) return { file, line: Number(line) };
  }
  return undefined;
}
