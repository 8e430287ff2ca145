import { gunzipSync } from "node:zlib";
import { decompress } from "fzstd";
import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { tooLarge } from "../../text/regular-file";
import { runPulumi } from "../approval/run-pulumi";
import { CommandError } from "../command-error";
import type { StateFlags } from "../options";
import { ofStack, readBytes } from "../read-text";
import type { Session } from "../session";
import { UsageError } from "../usage-error";
import { reasonOf } from "../zones";

const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string().optional(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  provider: z.string().optional(),
  delete: z.boolean().optional(),
  external: z.boolean().optional(),
  sourcePosition: z.string().optional(),
  stackTrace: z.array(z.looseObject({ sourcePosition: z.string().optional() })).optional(),
});

/** A resource as the state has it. */
export type StateResource = z.output<typeof resourceSchema>;

const resources = z.looseObject({ resources: z.array(resourceSchema).nullish() });
/** What `pulumi stack export` writes. */
const exportSchema = z.looseObject({ deployment: resources });
/** What a file, S3 or database backend keeps. */
const checkpointSchema = z.looseObject({ checkpoint: z.looseObject({ latest: resources.nullish() }) });

/** Deeper than any state: code that walks it would overflow the stack. */
const deepest = 200;

/**
 * The resources of a state: of `--stack` from `pulumi stack export`, with its secrets if they can be decrypted; of
 * `--state` as that command or the backend wrote it, compressed or not.
 *
 * @throws CommandError
 */
export async function readState(session: Session, flags: StateFlags): Promise<readonly StateResource[]> {
  if ((flags.stack === undefined) === (flags.state === undefined)) {
    throw new UsageError("Give the state once: --stack NAME, or --state FILE (- for standard input).");
  }
  const text =
    flags.stack === undefined
      ? await stateText(session, flags.state ?? "")
      : await exported(session, flags.stack);
  const where = forTerminal(flags.stack ?? flags.state ?? "");
  const content = jsonOf(text);
  if (content === undefined) {
    throw new CommandError(
      `Failed to read the state of ${where}: it is not JSON. Give output of \`pulumi stack export\`, or the backend's own file.`,
    );
  }
  if (isDeep(content))
    throw new CommandError(`Failed to read the state of ${where}: it is nested too deeply.`);
  const byCommand = exportSchema.safeParse(content);
  if (byCommand.success) return byCommand.data.deployment.resources ?? [];
  const byBackend = checkpointSchema.safeParse(content);
  if (byBackend.success) return byBackend.data.checkpoint.latest?.resources ?? [];
  throw new CommandError(
    `Failed to read the state of ${where}: neither output of \`pulumi stack export\` nor the backend's own file.`,
  );
}

function isDeep(content: unknown): boolean {
  let level = [content];
  for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return level.length > 0;
}

async function stateText(session: Session, file: string): Promise<string> {
  if (file === "-") return session.readStdin(ofStack);
  return unpacked(readBytes(session, file, ofStack), file);
}

/** With secrets in plain text if the passphrase or the key service is available. */
async function exported(session: Session, stack: string): Promise<string> {
  const command = ["pulumi", "stack", "export", `--stack=${stack}`, "--non-interactive"];
  const open = await runPulumi(session, [...command, "--show-secrets"]);
  if (open.code === 0) return open.stdout;
  const closed = await runPulumi(session, command);
  if (closed.code === 0) return closed.stdout;
  throw new CommandError(
    `Failed to export the stack ${forTerminal(stack)}: ${forTerminal(closed.output, 600)}`,
  );
}

/**
 * The text of a file that may be compressed with gzip or zstd, as a backend's own files are with `PULUMI_DIY_BACKEND_GZIP`
 * or `_ZSTD`.
 *
 * @throws CommandError
 */
export function unpacked(bytes: Buffer, file: string): string {
  try {
    return inflated(bytes).toString("utf8");
  } catch (error) {
    throw new CommandError(`Failed to unpack ${forTerminal(file)}: ${reasonOf(error)}`);
  }
}

function inflated(bytes: Buffer): Buffer {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength: ofStack });
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== 0xfd2fb528) return bytes;
  const size = zstdSize(bytes);
  if (size > ofStack) throw new Error(tooLarge(ofStack));
  // Given a buffer of the promised size, it allocates no other and cannot write beyond it.
  return Buffer.from(decompress(bytes, new Uint8Array(size)));
}

/** What a zstd frame unpacks to, as its header says it (RFC 8878, 3.1.1.1). The engine always writes it. */
function zstdSize(bytes: Buffer): number {
  const descriptor = bytes[4] ?? 0;
  const flag = descriptor >> 6;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionary;
  if (flag === 0 && !isSingleSegment) throw new Error("its header does not say how large its content is");
  if (flag === 3) return Number(bytes.readBigUInt64LE(at));
  return flag === 1 ? bytes.readUInt16LE(at) + 256 : bytes.readUIntLE(at, flag === 0 ? 1 : 4);
}
