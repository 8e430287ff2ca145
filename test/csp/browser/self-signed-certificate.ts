import { generateKeyPairSync, sign } from "node:crypto";

/** Creates a key and a self-signed certificate that is valid for a day, so that the repository contains no key. */
export function selfSignedCertificate(commonName: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
  const name = sequence(tag(0x31, sequence(oid("550403"), tag(0x0c, Buffer.from(commonName)))));
  const day = 24 * 60 * 60 * 1000;
  const validity = sequence(utcTime(Date.now() - day), utcTime(Date.now() + day));
  const body = sequence(
    tag(0xa0, integer(2)),
    integer(Date.now()),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ecdsaWithSha256, tag(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, "hex"));
}

function integer(value: number): Buffer {
  const hex = value.toString(16);
  // A leading zero keeps it positive.
  return tag(0x02, Buffer.from(hex.length % 2 === 0 ? `00${hex}` : `0${hex}`, "hex"));
}

function utcTime(time: number): Buffer {
  const digits = new Date(time).toISOString().replace(/\D/g, "").slice(2, 14);
  return tag(0x17, Buffer.from(`${digits}Z`));
}

function tag(type: number, content: Buffer): Buffer {
  const { length } = content;
  const header =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(type, ...header), content]);
}
