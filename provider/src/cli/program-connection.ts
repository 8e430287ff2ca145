import { z } from "zod";
import type { ConnectionArgs, Service } from "../api/client-types";

/** How a program reaches a zone, as far as it says so itself. */
export interface ProgramConnection {
  /** The argument `connection` of its resources. */
  readonly argument?: ConnectionArgs | undefined;
  readonly config?: StackConfig | undefined;
}

/** What the config of a stack says below `page-guard:`. */
export interface StackConfig {
  readonly baseUrl?: string | undefined;
  readonly service?: Service | undefined;
  /** Where its secrets could be opened. */
  readonly apiToken?: string | undefined;
}

const text = z.string().min(1).optional().catch(undefined);
const service = z.enum(["page_guard", "page_shield"]).optional().catch(undefined);
const argumentSchema = z.object({ baseUrl: text, tokenEnv: text, service }).catch({});
const configSchema = z.object({
  "page-guard:baseUrl": text,
  "page-guard:service": service,
  "page-guard:apiToken": text,
});

/** The argument as a state or an event has it. */
export function argumentOf(recorded: unknown): ConnectionArgs {
  return argumentSchema.parse(recorded);
}

/** Of all that is configured, by the names of the keys. */
export function stackConfigOf(config: Readonly<Record<string, unknown>>): StackConfig {
  const known = configSchema.parse(config);
  return {
    baseUrl: known["page-guard:baseUrl"],
    service: known["page-guard:service"],
    apiToken: known["page-guard:apiToken"],
  };
}

/** Nothing that the config of a stack could add counts. */
export function saysAll(env: NodeJS.ProcessEnv): boolean {
  return ["PAGE_GUARD_API_TOKEN", "PAGE_GUARD_BASE_URL", "PAGE_GUARD_SERVICE"].every((name) =>
    env[name]?.trim(),
  );
}
