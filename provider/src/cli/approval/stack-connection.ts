import { z } from "zod";
import { jsonOf } from "../../text/json-of";
import type { RecordedConnection } from "../reader";
import type { Session } from "../session";
import { runPulumi } from "./run-pulumi";

const configSchema = z.record(z.string(), z.looseObject({ value: z.string().optional() }));

/** How the config of the stack says to reach the service. Empty where the stack cannot be asked. */
export async function stackConnection(
  session: Session,
  command: readonly string[],
): Promise<RecordedConnection> {
  const { code, stdout } = await runPulumi(session, command);
  if (code !== 0) return {};
  const config = configSchema.safeParse(jsonOf(stdout));
  const value = (name: string): string | undefined => config.data?.[`page-guard:${name}`]?.value;
  const service = value("service");
  return {
    baseUrl: value("baseUrl"),
    apiToken: value("apiToken"),
    service: service === "page_guard" || service === "page_shield" ? service : undefined,
  };
}
