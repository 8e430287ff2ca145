import { execFile } from "node:child_process";
import { z } from "zod";
import { type StackConfig, saysAll } from "../program-connection";
import type { Session } from "../session";

const configSchema = z.record(z.string(), z.looseObject({ value: z.string().optional() }));

/**
 * What the stack that is selected in this folder says of the connection, as an `up` here would take it. Empty where none is
 * selected, where there is no engine, and where the environment says it all already.
 */
export async function selectedStackConfig(session: Session): Promise<StackConfig> {
  const { env } = session;
  if (saysAll(env)) return {};
  const config = configSchema.safeParse(await shownConfig(session));
  if (!config.success) return {};
  const configured = (key: string) => config.data[`page-guard:${key}`]?.value;
  const service = configured("service");
  return {
    apiToken: configured("apiToken"),
    baseUrl: configured("baseUrl"),
    ...((service === "page_guard" || service === "page_shield") && { service }),
  };
}

function shownConfig({ cwd, env }: Session): Promise<unknown> {
  const args = ["config", "--json", "--show-secrets", "--non-interactive"];
  return new Promise((settle) => {
    execFile("pulumi", args, { cwd, env, timeout: 20_000, maxBuffer: 1 << 26 }, (_, stdout) => {
      try {
        settle(JSON.parse(stdout));
      } catch {
        // No stack is selected, or its secrets cannot be opened: then an `up` would not go through here either.
        settle(undefined);
      }
    });
  });
}
