import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Properties } from "../../lifecycle/kind";
import { canonical, withSortedFields } from "../../text/canonical";
import { zoneIdOf } from "../../zone/zone-id";
import { CommandError } from "../command-error";
import { isZoneName } from "../options";

export const languageNames = ["typescript", "yaml", "python", "go"] as const;
export type LanguageName = (typeof languageNames)[number];

export const lockFile = "page-guard.names.json";

const resourceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
const objectSchema = z.object({
  name: resourceName,
  file: z.string(),
  /**
   * Argument to a digest of its value as an export wrote it there. Empty if a person wrote it: their files are read each
   * time.
   */
  fields: z.record(z.string(), z.string()),
});
const lockSchema = z.object({
  version: z.literal(1),
  form: z.enum(["set", "single"]),
  /** Earlier versions wrote TypeScript only. */
  language: z.enum(languageNames).default("typescript"),
  zones: z.record(
    z.string().refine((id) => zoneIdOf(id) === id),
    z.object({ name: z.string().refine(isZoneName), objects: z.record(z.string(), objectSchema) }),
  ),
  /** File to a digest of what was written. */
  files: z.record(z.string(), z.string()),
});

export type LockedObject = z.output<typeof objectSchema>;
export type LockedZone = z.output<typeof lockSchema>["zones"][string];

/** What the last export wrote, and its names. */
export type Lock = z.output<typeof lockSchema>;

export function isResourceName(text: string): boolean {
  return resourceName.safeParse(text).success;
}

/** Undefined if nothing was exported here yet. */
export function readLock(folder: string): Lock | undefined {
  const path = join(folder, lockFile);
  if (!existsSync(path)) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new CommandError(
      `Failed to read ${lockFile}: it is not JSON. Restore it from version control; without it all names would be chosen again.`,
    );
  }
  const lock = lockSchema.safeParse(content);
  if (lock.success) return lock.data;
  const [issue] = lock.error.issues;
  throw new CommandError(
    `Failed to read ${lockFile}: it is invalid at ${issue?.path.map(String).join(".") ?? ""}. A name has letters, digits, dots, dashes and underscores. Restore the file from version control.`,
  );
}

/** Sorted, for fewer merge conflicts. */
export function lockText(lock: Lock): string {
  return `${JSON.stringify(withSortedFields(lock), undefined, 2)}\n`;
}

/** Argument to a short digest of its value. */
export function fieldDigests(args: Properties): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([field, value]) => [field, fieldDigest(value)]));
}

export function fieldDigest(value: unknown): string {
  return digest(canonical(value)).slice(0, 12);
}

/** Of a text, whatever its line ends: git may change them. */
export function digest(text: string): string {
  return createHash("sha256").update(text.replace(/\r\n/g, "\n")).digest("hex");
}
