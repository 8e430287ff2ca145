import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { runPulumi } from "../approval/run-pulumi";
import { CommandError } from "../command-error";
import type { StateFlags } from "../options";
import { ofStack, readBytes } from "../read-text";
import type { Session } from "../session";
import { UsageError } from "../usage-error";
import { unpacked } from "./unpack";

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
