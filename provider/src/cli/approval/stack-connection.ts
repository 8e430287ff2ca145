import { z } from "zod";
import { jsonOf } from "../../text/json-of";
import { type StackConfig, stackConfigOf } from "../program-connection";
import type { Session } from "../session";
import { runPulumi } from "./run-pulumi";

const configSchema = z.record(z.string(), z.looseObject({ value: z.string().optional() }));

/** How the config of the stack says to reach the service. Empty where the stack cannot be asked. */
export async function stackConnection(session: Session, command: readonly string[]): Promise<StackConfig> {
  const { code, stdout } = await runPulumi(session, command);
  if (code !== 0) return {};
  const config = configSchema.safeParse(jsonOf(stdout)).data ?? {};
  return stackConfigOf(Object.fromEntries(Object.entries(config).map(([key, { value }]) => [key, value])));
}
