import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { jsonOf } from "pulumi-page-guard/tools";
import { z } from "zod";
import { approvalKeyOf, sealOf } from "../approval/seal";
import { CommandError } from "../command-error";
import { writeText } from "../output";
import { readBytes } from "../read-text";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import type { ListedZone } from "../zones";

/** One zone of a fleet, and its stack. */
export type FleetZone = ListedZone & { readonly name: string };

const stackSchema = z.strictObject({
  name: z.string(),
  zoneId: z.string(),
  /** Of its approved file. */
  sha256: z.string(),
  /** There was nothing to do. */
  isUnchanged: z.boolean(),
  /** It finishes the migration of its zone. */
  isFinish: z.boolean(),
});
const fileSchema = z.strictObject({
  format: z.literal("pulumi-page-guard fleet"),
  version: z.literal(2),
  stacks: z.array(stackSchema),
  seal: z.string(),
});

export type ApprovedStack = z.output<typeof stackSchema>;

/** Beside the approved files of the stacks: no zone has this name. */
const manifest = "manifest.json";

/** Before a preview: no list of an earlier one may stay. */
export function beginManifest(session: Session, folder: string): void {
  rmSync(resolve(session.cwd, folder, manifest), { force: true });
}

export function writeManifest(session: Session, folder: string, stacks: readonly ApprovedStack[]): void {
  const content = { format: "pulumi-page-guard fleet", version: 2, stacks };
  const seal = sealOf(content, approvalKeyOf(session));
  writeText(session, join(folder, manifest), `${JSON.stringify({ ...content, seal }, undefined, 2)}\n`);
}

/** The approved stacks by name. @throws CommandError for a folder that is not as it was written. */
export function readManifest(session: Session, folder: string): ReadonlyMap<string, ApprovedStack> {
  const file = join(folder, manifest);
  const parsed = fileSchema.safeParse(jsonOf(readBytes(session, file).toString("utf8")));
  if (parsed.success) {
    const { seal, ...content } = parsed.data;
    if (seal === sealOf(content, approvalKeyOf(session)))
      return new Map(content.stacks.map((stack) => [stack.name, stack]));
  }
  throw new CommandError(
    `${forTerminal(file)} is not as \`page-guard fleet preview --approve\` wrote it, or was sealed with another PAGE_GUARD_APPROVAL_KEY. Nothing was changed: preview and approve again.`,
  );
}
