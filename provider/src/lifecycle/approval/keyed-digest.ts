import { createHash, createHmac, hkdfSync, randomBytes, scrypt } from "node:crypto";
import { canonical } from "../../text/canonical";

/** What digests of one approved file are made with. */
export interface DigestKey {
  /** Random, of the file: hexadecimal. */
  readonly salt: string;
  /** Derived from PAGE_GUARD_APPROVAL_KEY for this file alone; never in a file. */
  readonly key: string | undefined;
}

/** Where the provider process finds the derived key: whoever runs `pulumi` does not hand on the key itself. */
export const digestKeyVariable = "PAGE_GUARD_APPROVAL_DIGEST_KEY";

/** A shorter one could be guessed, and then it would be better to have none: docs/decisions/0013. */
const shortestKey = 16;

/** About 20 milliseconds: what is guessed, is guessed slowly. */
const cost = { N: 8192, r: 8, p: 1 };

export function newSalt(): string {
  return randomBytes(16).toString("hex");
}

/**
 * @throws Error for a key that is too short. The value is not shown.
 */
export function approvalKey(env: NodeJS.ProcessEnv): string | undefined {
  const key = env["PAGE_GUARD_APPROVAL_KEY"]?.trim();
  if (!key) return undefined;
  if (key.length >= shortestKey) return key;
  throw new Error(
    `PAGE_GUARD_APPROVAL_KEY has fewer than ${shortestKey} characters. Use a long random text (openssl rand -hex 32), the same for review and apply.`,
  );
}

/**
 * The key of a file's digests. The program can read it, as it can read its own secrets; it seals nothing, and is good for
 * no other file.
 */
export function digestKey(salt: string, key: string | undefined): DigestKey {
  if (key === undefined) return { salt, key };
  const derived = hkdfSync("sha256", key, Buffer.from(salt, "hex"), "pulumi-page-guard approval digests", 32);
  return { salt, key: Buffer.from(derived).toString("hex") };
}

/** In the provider process: as it was handed on, or else derived from the key that is there. */
export function digestKeyIn(env: NodeJS.ProcessEnv, salt: string): DigestKey {
  const derived = env[digestKeyVariable];
  return derived ? { salt, key: derived } : digestKey(salt, approvalKey(env));
}

/**
 * A digest of something secret. `place` is part of it: equal secrets in two places are not to be seen. Slow on purpose,
 * for what is guessable and lies in a file.
 */
export function secretDigest({ salt, key }: DigestKey, place: string, value: unknown): Promise<string> {
  const own = createHmac("sha256", key ?? "")
    .update(`${salt}\n${place}`)
    .digest();
  return new Promise((settle, reject) => {
    scrypt(canonical(value), own, 32, cost, (error, digest) =>
      error ? reject(error) : settle(digest.toString("base64url")),
    );
  });
}

/** Tells one file from any other. */
export function fileDigest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Seals a document against a cut or edited file; with a key, also against someone who writes a new seal. */
export function sealOf(content: unknown, key: string | undefined): string {
  const text = canonical(content);
  return key === undefined
    ? `sha256:${createHash("sha256").update(text).digest("hex")}`
    : `hmac-sha256:${createHmac("sha256", key).update(text).digest("hex")}`;
}
