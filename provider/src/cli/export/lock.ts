import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Properties } from "../../lifecycle/kind";
import { canonical, withSortedFields } from "../../text/canonical";
import { zoneIdOf } from "../../zone/zone-id";
import { CommandError } from "../command-error";
import { isZoneName } from "../options";

export const lockFile = "page-guard.names.json";

const resourceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
const objectSchema = z.object({
  name: resourceName,
  /** Where it is declared. */
  file: z.string(),
  /**
   * Argument to a digest of its value as it was written there. Empty: no export has written it there, a person has. What
   * they write since is read from their file each time, so that a file may be taken back to what it was.
   */
  fields: z.record(z.string(), z.string()),
});
const lockSchema = z.object({
  version: z.literal(1),
  form: z.enum(["set", "single"]),
  zones: z.record(
    z.string().refine((id) => zoneIdOf(id) === id),
    z.object({ name: z.string().refine(isZoneName), objects: z.record(z.string(), objectSchema) }),
  ),
  /** File to a digest of what was written. */
  files: z.record(z.string(), z.string()),
});

export type LockedObject = z.output<typeof objectSchema>;
export type LockedZone = z.output<typeof lockSchema>["zones"][string];

/** What the last export has written under which names. */
export type Lock = z.output<typeof lockSchema>;

export function isResourceName(text: string): boolean {
  return resourceName.safeParse(text).success;
}

/** Undefined: nothing was exported here yet. */
export function readLock(folder: string): Lock | undefined {
  const path = join(folder, lockFile);
  if (!existsSync(path)) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new CommandError(
      `${lockFile} is not JSON. Take it back from version control; without it all names would be made anew.`,
    );
  }
  const lock = lockSchema.safeParse(content);
  if (lock.success) return lock.data;
  const [issue] = lock.error.issues;
  throw new CommandError(
    `${lockFile} cannot be used (at ${issue?.path.map(String).join(".") ?? ""}). A name has letters, digits, dots, dashes and underscores. Take the file back from version control.`,
  );
}

/** Sorted, so that a merge of two branches has few conflicts. */
export function lockText(lock: Lock): string {
  return `${JSON.stringify(withSortedFields(lock), undefined, 2)}\n`;
}

/** Short digests of what a declaration says, argument by argument. */
export function fieldDigests(args: Properties): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([field, value]) => [field, fieldDigest(value)]));
}

export function fieldDigest(value: unknown): string {
  return digest(canonical(value)).slice(0, 12);
}

/** Of a text, whatever git has made of its line ends. */
export function digest(text: string): string {
  return createHash("sha256").update(text.replace(/\r\n/g, "\n")).digest("hex");
}
