import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

const mebibyte = 1024 * 1024;
const mostBytes = 64 * mebibyte;

/**
 * @throws Error that says why it cannot be read.
 */
export function readRegularFile(file: string): Buffer {
  // Without it a pipe is not opened before someone writes to it.
  const opened = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > mostBytes) throw new Error(`it is larger than ${mostBytes / mebibyte} MB`);
    return readFileSync(opened);
  } finally {
    closeSync(opened);
  }
}
