import * as z from "zod";

/** The connection that a program uses for a zone. */
export interface ProgramConnection {
  /** The argument `connection` of the resources in the zone. */
  readonly argument?: ConnectionArgument | undefined;
  readonly config?: StackConfig | undefined;
}

/** The argument `connection` of a resource. Invalid fields are absent. */
export type ConnectionArgument = ReturnType<typeof parseArgument>;

/** The values of `page-guard:` keys in a stack's config. `apiToken` is absent if it could not be decrypted. */
export type StackConfig = Partial<ReturnType<typeof parseStackConfig>>;

const text = z.string().min(1).optional().catch(undefined);
const service = z.enum(["page_guard", "page_shield"]).optional().catch(undefined);
const argumentSchema = z.object({ baseUrl: text, tokenEnv: text, service }).catch({});
const configSchema = z.object({
  "page-guard:baseUrl": text,
  "page-guard:service": service,
  "page-guard:apiToken": text,
});

export function parseArgument(recorded: unknown) {
  return argumentSchema.parse(recorded);
}

export function parseStackConfig(config: Readonly<Record<string, unknown>>) {
  const known = configSchema.parse(config);
  return {
    baseUrl: known["page-guard:baseUrl"],
    service: known["page-guard:service"],
    apiToken: known["page-guard:apiToken"],
  };
}

/** Whether the environment sets the whole connection. If so, the config of the stack need not be read. */
export function saysAll(env: NodeJS.ProcessEnv): boolean {
  return ["PAGE_GUARD_API_TOKEN", "PAGE_GUARD_BASE_URL", "PAGE_GUARD_SERVICE"].every((name) =>
    env[name]?.trim(),
  );
}
