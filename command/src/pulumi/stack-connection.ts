import { parseJson } from "pulumi-page-guard/tools";
import * as z from "zod";
import { parseStackConfig, type StackConfig, saysAll } from "../shared/program-connection";
import type { Session } from "../shared/session";
import { pulumiPreview } from "./command-line";
import { runPulumi } from "./run-pulumi";

const configSchema = z.record(
  z.string(),
  z.looseObject({ value: z.string().optional() }).transform(({ value }) => value),
);

/** Reads the connection from the config of the stack. Returns an empty object if `pulumi config` fails. */
export async function stackConnection(session: Session, command: readonly string[], timeoutMs?: number) {
  const { code, stdout } = await runPulumi(session, command, { ...(timeoutMs && { timeoutMs }) });
  return code === 0 ? parseStackConfig(configSchema.safeParse(parseJson(stdout)).data ?? {}) : {};
}

/** Reads the connection of the selected stack; empty if the environment sets all of it, or if `pulumi` fails or is too slow. */
export async function selectedStackConnection(session: Session): Promise<StackConfig> {
  if (saysAll(session.env)) return {};
  return stackConnection(session, pulumiPreview([]).config, 20_000).catch(() => ({}));
}
