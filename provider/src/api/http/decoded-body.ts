/** The text of a body. No coding is asked for; some proxies code it nevertheless. What can't be undone stays as it is. */
export function decodedBody(bytes: Buffer, coding: string | undefined, maxOutputLength: number): string {
  return undone(bytes, coding?.trim().toLowerCase(), maxOutputLength).toString("utf8");
}

function undone(bytes: Buffer, coding: string | undefined, maxOutputLength: number): Buffer {
  if (coding === undefined || coding === "" || coding === "identity") return bytes;
  const zlib = require("node:zlib") as typeof import("node:zlib");
  try {
    if (coding === "br") return zlib.brotliDecompressSync(bytes, { maxOutputLength });
    return zlib.unzipSync(bytes, { maxOutputLength });
  } catch {
    return bytes;
  }
}
