import { execFile } from "node:child_process";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { forTerminal } from "../../reports/escape";
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

/** Deeper than any: what goes through it would run out of stack. */
const deepest = 200;

/**
 * The resources of a state: of `--stack` as `pulumi stack export` gives it, with its secrets where they can be opened;
 * of `--state` as that command or the backend has written it, gzipped or not.
 *
 * @throws CommandError when there is none, or it is none.
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
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new CommandError(
      `${where} holds no state: it is not JSON. It takes what \`pulumi stack export\` writes, or the backend's own file.`,
    );
  }
  if (isDeep(content)) throw new CommandError(`${where} holds no state: it is nested too deep for one.`);
  const byCommand = exportSchema.safeParse(content);
  if (byCommand.success) return byCommand.data.deployment.resources ?? [];
  const byBackend = checkpointSchema.safeParse(content);
  if (byBackend.success) return byBackend.data.checkpoint.latest?.resources ?? [];
  throw new CommandError(
    `${where} holds no state: neither what \`pulumi stack export\` writes nor the backend's own file.`,
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
  const bytes = readBytes(session, file, ofStack);
  // The magic numbers of gzip and of zstd.
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      return gunzipSync(bytes, { maxOutputLength: ofStack }).toString("utf8");
    } catch (error) {
      throw new CommandError(`${forTerminal(file)} cannot be unpacked: ${reasonOf(error)}`);
    }
  }
  if (bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528) {
    throw new CommandError(
      `${forTerminal(file)} is packed with zstd, which this Node cannot read. Use --stack NAME, or what \`pulumi stack export\` writes.`,
    );
  }
  return bytes.toString("utf8");
}

/** With secrets in plain text when the passphrase or the key service is at hand; else without. */
async function exported(session: Session, stack: string): Promise<string> {
  const args = ["stack", "export", `--stack=${stack}`, "--non-interactive"];
  const open = await pulumi(session, [...args, "--show-secrets"]);
  if (open.stdout !== undefined) return open.stdout;
  const closed = await pulumi(session, args);
  if (closed.stdout !== undefined) return closed.stdout;
  throw new CommandError(
    `\`pulumi stack export\` of ${forTerminal(stack)} failed: ${forTerminal(closed.said, 600)}`,
  );
}

function pulumi(
  session: Session,
  args: readonly string[],
): Promise<{ stdout: string | undefined; said: string }> {
  return new Promise((settle, reject) => {
    const options = { cwd: session.cwd, env: session.env, maxBuffer: ofStack };
    execFile("pulumi", [...args], options, (error, stdout, stderr) => {
      if (error && "code" in error && error.code === "ENOENT") {
        reject(
          new CommandError(
            "There is no `pulumi` on the PATH. Install it, or give the state itself with --state FILE.",
          ),
        );
      } else settle({ stdout: error ? undefined : stdout, said: stderr });
    });
  });
}
