import { crc32, deflateSync } from "node:zlib";

/**
 * A picture of a page as a PNG of at most 256 colours, a quarter of what the browser writes: `tab` is a page that decodes
 * the browser's own PNG.
 */
export async function smallPng(tab, png) {
  const { width, height, pixels } = await tab.evaluate(pixelsOf, png.toString("base64"));
  const rgba = Buffer.from(pixels, "base64");
  const colours = new Map();
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < width * height; at++) {
    // In the smoothed edges of letters nobody sees eight steps of 256. The first colour stands for those that are as near.
    const colour = rgba.subarray(at * 4, at * 4 + 3);
    const key = colour.map((channel) => channel >> 3).join();
    if (!colours.has(key)) colours.set(key, { index: colours.size, colour });
    rows[at + Math.floor(at / width) + 1] = colours.get(key).index;
  }
  if (colours.size > 256) throw new Error(`The picture has ${colours.size} colours and may have 256.`);
  const palette = Buffer.concat([...colours.values()].map(({ colour }) => colour));
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

/** Runs in the browser. */
async function pixelsOf(base64) {
  const { createImageBitmap, OffscreenCanvas, atob, btoa } = globalThis;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let text = "";
  for (let at = 0; at < data.length; at += 32768)
    text += String.fromCharCode(...data.subarray(at, at + 32768));
  return { width: image.width, height: image.height, pixels: btoa(text) };
}
