import { gunzipSync } from "node:zlib";
import { decompress } from "fzstd";
import { forTerminal } from "../../reports/escape";
import { tooLarge } from "../../text/regular-file";
import { CommandError } from "../command-error";
import { ofStack } from "../read-text";
import { reasonOf } from "../zones";

/**
 * The text of a file that may be compressed with gzip or zstd, as a backend's own files are with `PULUMI_DIY_BACKEND_GZIP`
 * or `_ZSTD`.
 *
 * @throws CommandError
 */
export function unpacked(bytes: Buffer, file: string): string {
  try {
    return inflated(bytes).toString("utf8");
  } catch (error) {
    throw new CommandError(`Failed to unpack ${forTerminal(file)}: ${reasonOf(error)}`);
  }
}

function inflated(bytes: Buffer): Buffer {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength: ofStack });
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== 0xfd2fb528) return bytes;
  const size = zstdSize(bytes);
  if (size > ofStack) throw new Error(tooLarge(ofStack));
  // Given a buffer of the promised size, it allocates no other and cannot write beyond it.
  return Buffer.from(decompress(bytes, new Uint8Array(size)));
}

/** What a zstd frame unpacks to, as its header says it (RFC 8878, 3.1.1.1). The engine always writes it. */
function zstdSize(bytes: Buffer): number {
  const descriptor = bytes[4] ?? 0;
  const flag = descriptor >> 6;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionary;
  if (flag === 0 && !isSingleSegment) throw new Error("its header does not say how large its content is");
  if (flag === 3) return Number(bytes.readBigUInt64LE(at));
  return flag === 1 ? bytes.readUInt16LE(at) + 256 : bytes.readUIntLE(at, flag === 0 ? 1 : 4);
}
