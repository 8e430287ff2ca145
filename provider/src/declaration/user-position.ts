// Finds the line of the program that declares a resource, for the findings in a review.
import { dirname, isAbsolute, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { findingsFile, type SourcePosition } from "../lifecycle/findings-file";

/** The folder of this package's own code, `dist` or `src`. */
const ourFolder = dirname(__dirname) + sep;

/** Maximum number of frames in the trace. If a library's component declares the resource, the user's line is many frames up. */
const mostFrames = 100;

/**
 * Returns the line of the user's program that is running: the first frame outside this package and `node_modules`. Undefined if
 * there is no such frame, or if no findings file needs the position.
 */
export function userPosition(): SourcePosition | undefined {
  if (findingsFile() === undefined) return undefined;
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = mostFrames;
  const { stack = "" } = new Error("where is this called?");
  Error.stackTraceLimit = usual;
  // Reads the trace as a string, because source maps are applied only to the string.
  for (const frame of stack.split("\n").slice(1)) {
    const [, named, bare, line] = /^at (?:.*? \((.+)|(?:async )?(.+)):(\d+):\d+\)?$/.exec(frame.trim()) ?? [];
    const place = named ?? bare ?? "";
    const file = place.startsWith("file:") ? fileURLToPath(place) : place;
    const isTheirs = isAbsolute(file) && !file.startsWith(ourFolder);
    if (isTheirs && !/[\\/]node_modules[\\/]/.test(file)) return { file, line: Number(line) };
  }
  return undefined;
}
