import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseJson } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { makeFolder, whileWriting } from "../shared/output";
import { readBytes } from "../shared/read-text";
import type { Session } from "../shared/session";
import { readApprovalKey, sealContent } from "./seal";
import { zoneSchema } from "./zone-contents";

/** Version of the file format. `readApproved` refuses a file of another version. */
const version = 3;

const fields = z.record(z.string(), z.unknown());

const stepSchema = z.strictObject({
  urn: z.string(),
  type: z.string(),
  op: z.string(),
  /** Id of the object in the state; absent for a new resource. */
  id: z.string().optional(),
  /** Inputs in the state. Here, in `after` and in `recorded`, "[secret]" replaces each secret, as in the output of the engine. */
  before: fields.optional(),
  /** Declared inputs. */
  after: fields.optional(),
  /** Outputs in the state. */
  recorded: fields.optional(),
  /** True if the engine drops the resource from the state without deleting its object; otherwise absent. */
  isRetained: z.literal(true).optional(),
  /** Paths of the values in `after` that were not known in the preview. */
  unknown: z.array(z.array(z.string())),
});

const findingSchema = z.strictObject({
  urn: z.string(),
  /** Code of the finding; empty for a warning of the program or of another package. */
  code: z.string(),
  /** Hosts and objects that the finding names. */
  about: z.array(z.string()),
});

const contentSchema = z.strictObject({
  format: z.literal("pulumi-page-guard approval"),
  version: z.literal(version),
  /** Time of the approval, in ISO 8601. */
  madeAt: z.string(),
  project: z.string(),
  stack: z.string(),
  steps: z.array(stepSchema),
  findings: z.array(findingSchema),
  zones: z.array(zoneSchema),
  /** Resource options by URN. Absent for a preview from recorded events, which lack most options. */
  options: z.record(z.string(), fields).optional(),
  /** Whether the update changes nothing in the state, not even outputs and options. Absent if `options` is absent. */
  isStateKept: z.boolean().optional(),
  /** True if `--target` or `--exclude` selected some of the resources; otherwise absent. */
  isSelective: z.literal(true).optional(),
  /** The plan that the engine wrote. Secrets in it are encrypted with the key of the stack. */
  plan: z.string(),
});

const fileSchema = contentSchema.extend({ seal: z.string() });

export type ApprovedContent = z.output<typeof contentSchema>;
export type ApprovedStep = z.output<typeof stepSchema>;
export type ApprovedFinding = z.output<typeof findingSchema>;

export const approvedFormat = { format: "pulumi-page-guard approval", version } as const;

/** Maximum size of the file in bytes: large, because the engine's plan in it can contain thousands of resources. */
const mostBytes = 64_000_000;

/**
 * Writes an approval to a new file that only this user can read. If the path is a symbolic link, the link is replaced, not its
 * target.
 *
 * @throws CommandError if the file cannot be written
 */
export function writeApproved(session: Pick<Session, "cwd" | "env">, file: string, content: ApprovedContent) {
  const sealed = { ...content, seal: sealContent(content, readApprovalKey(session)) };
  const path = resolve(session.cwd, file);
  whileWriting(file, () => {
    makeFolder(dirname(path));
    rmSync(path, { force: true });
    writeFileSync(path, `${JSON.stringify(sealed, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  });
}

/**
 * Returns the content of an approved file, and the SHA-256 of the file.
 *
 * @throws CommandError if the file is unreadable or was changed
 */
export function readApproved(session: Pick<Session, "cwd" | "env">, file: string) {
  const wrong = (what: string): CommandError =>
    new CommandError(
      `The approved file ${forTerminal(file)} ${what}. Review and approve again, with the version of pulumi-page-guard that runs apply.`,
    );
  const bytes = readBytes(session, file, mostBytes);
  const { data, error } = fileSchema.safeParse(parseJson(bytes.toString("utf8")));
  if (!data) {
    const place = forTerminal(error.issues[0]?.path.map(String).join(".") || "its content");
    throw wrong(
      `is not a valid approval file: ${place} does not have the form that \`page-guard review --approve\` writes`,
    );
  }
  const { seal, ...content } = data;
  if (seal !== sealContent(content, readApprovalKey(session)))
    throw wrong(
      "does not match its seal: it was truncated, edited or sealed with another key. PAGE_GUARD_APPROVAL_KEY has to be the same in the review job and here, or unset in both",
    );
  return { content, sha256: createHash("sha256").update(bytes).digest("hex") };
}
