import { createHash, createHmac } from "node:crypto";
import { canonical } from "pulumi-page-guard/tools";
import { CommandError } from "../shared/command-error";
import type { Session } from "../shared/session";

/** A shorter key could be guessed. */
const shortestKey = 16;

/** @throws CommandError for a key that is too short. The value is not shown. */
export function approvalKeyOf(session: Pick<Session, "env">): string | undefined {
  return readKey(session, "PAGE_GUARD_APPROVAL_KEY", "the same for review and apply");
}

/** The key in a variable. @throws CommandError for one that is too short. The value is not shown. */
export function readKey({ env }: Pick<Session, "env">, name: string, where: string): string | undefined {
  const key = env[name]?.trim();
  if (!key || key.length >= shortestKey) return key || undefined;
  throw new CommandError(
    `${name} has fewer than ${shortestKey} characters. Use a long random text (openssl rand -hex 32), ${where}.`,
  );
}

/** Returns a seal that shows whether a document was cut or edited. With a key, nobody else can make a new one. */
export function sealOf(content: unknown, key: string | undefined): string {
  return sealOfText(canonical(content), key);
}

export function sealOfText(text: string, key: string | undefined): string {
  return key === undefined
    ? `sha256:${createHash("sha256").update(text).digest("hex")}`
    : `hmac-sha256:${createHmac("sha256", key).update(text).digest("hex")}`;
}
