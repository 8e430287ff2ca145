import { parseJson } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import { runPulumi } from "../pulumi/run-pulumi";
import { CommandError } from "../shared/command-error";
import type { StateFlags } from "../shared/options";
import { mostStackBytes, readText } from "../shared/read-text";
import type { Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";

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

export type StateResource = z.output<typeof resourceSchema>;

const resources = z.looseObject({ resources: z.array(resourceSchema).nullish() });
/** Schema of the output of `pulumi stack export`. */
const exportSchema = z.looseObject({ deployment: resources });

/**
 * Returns the resources of a state. For `--stack`, runs `pulumi stack export`, and secrets are in plain text if they can be
 * decrypted. For `--state`, reads a file that contains the output of that command. @throws CommandError
 */
export async function readState(session: Session, flags: StateFlags): Promise<readonly StateResource[]> {
  if ((flags.stack === undefined) === (flags.state === undefined)) {
    throw new UsageError("Give the state with either --stack NAME or --state FILE (- for standard input).");
  }
  const { stack, state: file = "" } = flags;
  const text =
    stack === undefined ? await readText(session, file, mostStackBytes) : await exportStack(session, stack);
  const all = parseResources(text);
  if (all !== undefined) return all;
  throw new CommandError(
    `Failed to read the state of ${forTerminal(stack ?? file)}: it is not the output of \`pulumi stack export\`.`,
  );
}

/** Returns the resources in the output of `pulumi stack export`; undefined if the text is something else. */
export function parseResources(text: string): readonly StateResource[] | undefined {
  const { data } = exportSchema.safeParse(parseJson(text));
  return data && (data.deployment.resources ?? []);
}

/** Exports a stack, with secrets in plain text if the passphrase or the key service is available. */
async function exportStack(session: Session, stack: string): Promise<string> {
  const command = ["pulumi", "stack", "export", `--stack=${stack}`, "--non-interactive"];
  const open = await runPulumi(session, [...command, "--show-secrets"]);
  if (open.code === 0) return open.stdout;
  const closed = await runPulumi(session, command);
  if (closed.code === 0) return closed.stdout;
  if (/no stack named/.test(closed.output)) session.tell?.({ isEmpty: true });
  throw new CommandError(`Failed to export stack ${forTerminal(stack)}: ${forTerminal(closed.output, 600)}`);
}
