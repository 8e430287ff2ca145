import { generateKeyPairSync, sign } from "node:crypto";

export interface CertificateWishes {
  /** A DNS name, or `127.0.0.1`. */
  readonly host: string;
  /** Days from now. Default: yesterday to tomorrow. */
  readonly fromDay?: number;
  readonly toDay?: number;
}

/** Generates a key and a self-signed certificate, so that the repository contains no key. */
export function makeCertificate({ host, fromDay = -1, toDay = 1 }: CertificateWishes): {
  readonly key: string;
  readonly cert: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const name = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(`test ${host}`)))));
  const address = /^[\d.]+$/.test(host);
  const subjectName = address
    ? der(0x87, Buffer.from(host.split(".").map(Number)))
    : der(0x82, Buffer.from(host));
  const extensions = der(0xa3, sequence(sequence(oid("551d11"), der(0x04, sequence(subjectName)))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(
      0x02,
      Buffer.from(
        `01${Math.floor(Math.random() * 2 ** 32)
          .toString(16)
          .padStart(8, "0")}`,
        "hex",
      ),
    ),
    algorithm,
    name,
    sequence(time(fromDay), time(toDay)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    extensions,
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign("sha256", body, privateKey)]));
  const cert = sequence(body, algorithm, signature).toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function time(days: number): Buffer {
  const digits = new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, "");
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
