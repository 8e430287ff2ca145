import { createHash, createHmac } from "node:crypto";
import { canonicalize } from "pulumi-page-guard/tools";
import { CommandError } from "../shared/command-error";
import type { Session } from "../shared/session";

/** Minimum number of characters of a key. A shorter key could be guessed. */
const shortestKey = 16;

/** Returns the key for approvals; undefined if no key is set. @throws CommandError if the key is too short. */
export function readApprovalKey(session: Pick<Session, "env">): string | undefined {
  return readKey(session, "PAGE_GUARD_APPROVAL_KEY", "the same for review and apply");
}

/** Returns the key in an environment variable; undefined if the variable is not set. @throws CommandError if the key is too short. */
export function readKey({ env }: Pick<Session, "env">, name: string, where: string): string | undefined {
  const key = env[name]?.trim();
  if (!key || key.length >= shortestKey) return key || undefined;
  throw new CommandError(
    `${name} has fewer than ${shortestKey} characters. Use a long random string (openssl rand -hex 32), ${where}.`,
  );
}

/** Returns a seal that reveals whether a document was truncated or edited. With `key`, only somebody who has the key can make the seal. */
export function sealContent(content: unknown, key: string | undefined): string {
  return sealText(canonicalize(content), key);
}

export function sealText(text: string, key: string | undefined): string {
  return key === undefined
    ? `sha256:${createHash("sha256").update(text).digest("hex")}`
    : `hmac-sha256:${createHmac("sha256", key).update(text).digest("hex")}`;
}
