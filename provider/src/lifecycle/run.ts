import { AsyncLocalStorage } from "node:async_hooks";
import { isOffline } from "../api/api-settings";
import type { ConnectionArgs, ResolvedConnection, Service } from "../api/client-types";
import { type ReadConfig, resolveConnection, resolveService } from "../api/connection";
import type { PageGuardClient } from "../api/create-client";
import { logToEngine } from "../declaration/internals/engine-log";
import { OfflineError } from "../errors/page-guard-error";
import { isSwitchedOn } from "../text/from-outside";

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The environment that says which base URLs are allowed, where `env` has a provider's arguments, too. */
  readonly guard?: NodeJS.ProcessEnv;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** 0 up to, not including, 1. */
  readonly random?: () => number;
  /** What a client is made with; tests of lifecycles give their own. */
  readonly createClient?: CreateClient;
  /** Where messages go. Default: to the engine. */
  readonly log?: typeof logToEngine;
}

type CreateClient = (
  connection: ResolvedConnection,
  options: { readonly onRateWait: (text: string) => void },
) => PageGuardClient;

/**
 * One operation of the engine (a preview, an up, a refresh, a destroy): the engine starts one provider process for
 * it, so what is remembered here lives just as long.
 */
export type Run = Readonly<ReturnType<typeof createRun>>;

/** The run of this process. The configuration arrives before the first use, by the engine's `configure`. */
export function createRun({
  env = process.env,
  guard = env,
  now = Date.now,
  sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random = Math.random,
  createClient,
  log = logToEngine,
}: RunOptions = {}) {
  let config: ReadConfig = () => undefined;
  const clients = new Map<string, PageGuardClient>();
  const memories = new Map<symbol, unknown>();
  const onRateWait = (text: string) => void log("info", resources.getStore() ?? "", text);

  return {
    /** No request may be sent: `client` throws an `OfflineError`. */
    isOffline: isOffline(env),
    /** File in which `page-guard apply` hands the approved inputs to its update. */
    approvedInputsFile: env["PAGE_GUARD_APPROVED_INPUTS"] || undefined,
    /** The engine writes no state before the whole operation has ended. It reads this from the CLI, as this process does. */
    skipsCheckpoints: isSwitchedOn(env["PULUMI_SKIP_CHECKPOINTS"]),
    /** The stack's config, as the engine hands it over before anything else. */
    useConfig(next: ReadConfig): void {
      config = next;
    },
    /** The client for a connection, shared by all resources that use the same one. */
    client(connection: ConnectionArgs | undefined): PageGuardClient {
      if (isOffline(env)) throw new OfflineError("The service is not asked");
      const resolved = resolveConnection(connection, env, config, { guard });
      const key = JSON.stringify([resolved.baseUrl, resolved.service, resolved.token]);
      let client = clients.get(key);
      if (!client) {
        client = (createClient ?? loadCreateClient())(resolved, { onRateWait });
        clients.set(key, client);
      }
      return client;
    },
    /** Which of the service's names a connection speaks to. */
    service: (connection: ConnectionArgs | undefined): Service => resolveService(connection, env, config),
    /** A memory of this run, made on first use: a cache, or who owns what. */
    memory<T>(key: symbol, make: () => T): T {
      if (!memories.has(key)) memories.set(key, make());
      return memories.get(key) as T;
    },
    /** Shows a message on the resource; on the stack where the engine does not tell the resource. */
    say: log,
    now,
    sleep,
    random,
  };
}

/** undici and zod are loaded with the first client: a run that sends nothing does not pay for them. */
function loadCreateClient(): CreateClient {
  return (require("../api/create-client") as typeof import("../api/create-client")).createClient;
}

/** The URN of the resource that is worked for; none where the engine does not tell it. */
const resources = new AsyncLocalStorage<string>();

/** Works for a resource: messages of code that does not know the resource are shown on it. */
export function onResource<T>(urn: string, work: () => T): T {
  return resources.run(urn, work);
}
