import { createHash, createHmac, randomBytes, scrypt } from "node:crypto";
import { canonical } from "../../text/canonical";

/** What digests of one approved file are made with. */
export interface DigestKey {
  /** Random, of the file: hexadecimal. */
  readonly salt: string;
  /** Of PAGE_GUARD_APPROVAL_KEY, never in a file. */
  readonly key: string | undefined;
}

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
    `PAGE_GUARD_APPROVAL_KEY has fewer than ${shortestKey} characters. Take a long random text (openssl rand -hex 32), the same one where is reviewed and where is applied.`,
  );
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

/** Seals a document: against a cut or an edited file; with a key, also against somebody who makes a new seal. */
export function sealOf(content: unknown, key: string | undefined): string {
  const text = canonical(content);
  return key === undefined
    ? `sha256:${createHash("sha256").update(text).digest("hex")}`
    : `hmac-sha256:${createHmac("sha256", key).update(text).digest("hex")}`;
}
