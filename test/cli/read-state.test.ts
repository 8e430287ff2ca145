import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { CommandError } from "../../provider/src/cli/command-error";
import { unpacked } from "../../provider/src/cli/state/read-state";

/** `{"deployment":{"resources":[…]}}` with the same resource 20 times, 1,150 bytes, by `zstd -19`. */
const packed = Buffer.from(
  "KLUv/WR+A2UCACLFDxGgLwaYyOgjCulRaoLsmf43IfcOcO0bvSoNbP7wcvI/l+JP0blic833BqfvBqetuCMycLqIoO0tG2LVrYeObQIAJGz1hylhmgE4o7sc",
  "base64",
);
/** The same from a pipe, so that its header does not say how large it is. */
const piped = Buffer.from(
  "KLUv/QRoZQIAIsUPEaAvBpjI6CMK6VFqguyZ/jch9w5w7Ru9Kg1s/vBy8j+X4k/RuWJzzfcGp+8Gp624IzJwuoig7S0bYtWth45tAgAkbPWHKWGaATijuxw=",
  "base64",
);

describe("A compressed file", () => {
  it("given a file of gzip, of zstd, or of neither, then its text", () => {
    const text = unpacked(packed, "dev.json.zst");
    assert.equal(JSON.parse(text).deployment.resources.length, 20);
    assert.equal(unpacked(gzipSync(text), "dev.json.gz"), text);
    assert.equal(unpacked(Buffer.from(text), "dev.json"), text);
    assert.equal(unpacked(Buffer.of(), "empty"), "");
  });

  it("given zstd frames with a size of one, two, four and eight bytes, then each is read", () => {
    for (const [width, length] of [
      [1, 5],
      [2, 300],
      [4, 70_000],
      [8, 70_000],
    ] as const) {
      const text = "x".repeat(length);
      assert.equal(unpacked(frame(text, width), "dev.json.zst"), text);
    }
  });

  const small = frame("12345", 1);
  for (const [what, bytes, reason] of [
    ["that promises more than a state may have", header(8, 300_000_000), /more than 256 MB/],
    ["that promises more than there is memory", header(8, 2 ** 60), /more than 256 MB/],
    ["without a size", piped, /does not say how large/],
    ["that ends in its header", header(8, 5).subarray(0, 7), /./],
    ["that ends in its content", packed.subarray(0, packed.length - 8), /unexpected EOF/],
    ["that holds more than it promises", frame("123456", 1, 5), /./],
    ["that is followed by another one", Buffer.concat([small, small]), /./],
    ["that is followed by something else", Buffer.concat([small, Buffer.from("else")]), /invalid zstd data/],
  ] as const) {
    it(`given a frame of zstd ${what}, then it is refused with the name of the file`, () => {
      assert.throws(
        () => unpacked(bytes, "dev.json.zst"),
        (error) => {
          assert.ok(error instanceof CommandError);
          assert.match(error.message, /^Failed to unpack dev\.json\.zst: /);
          assert.match(error.message, reason);
          return true;
        },
      );
    });
  }
});

/** A frame with one block that is not compressed. */
function frame(content: string, width: 1 | 2 | 4 | 8, promised = content.length): Buffer {
  const block = Buffer.alloc(3);
  block.writeUIntLE((content.length << 3) | 1, 0, 3);
  return Buffer.concat([header(width, promised), block, Buffer.from(content)]);
}

/** The header of a frame of one segment, with its size in so many bytes. */
function header(width: 1 | 2 | 4 | 8, size: number): Buffer {
  const written = Buffer.alloc(width);
  if (width === 8) written.writeBigUInt64LE(BigInt(size));
  else written.writeUIntLE(width === 2 ? size - 256 : size, 0, width);
  return Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd, (Math.log2(width) << 6) | 0x20), written]);
}
