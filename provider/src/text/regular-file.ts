import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * The content of a regular file of at most `most` bytes. Never reads an endless device, and never waits for a pipe
 * without a writer.
 *
 * @throws Error with the reason in words
 */
export function readRegularFile(path: string, most: number): Buffer {
  // Otherwise opening a named pipe waits for a writer. Windows has neither.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error("it is not a regular file");
    if (stat.size > most) throw new Error(tooLarge(most));
    const bytes = Buffer.alloc(stat.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > stat.size) throw new Error("it has grown while it was read");
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

export function tooLarge(most: number): string {
  return `it has more than ${Math.floor(most / 1_000_000)} MB`;
}
