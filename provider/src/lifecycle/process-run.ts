import { isOffline } from "../api/api-settings";
import type { ConnectionArgs, PageGuardClient, ResolvedConnection } from "../api/client-types";
import { type ReadConfig, resolveConnection, resolveService } from "../api/connection";
import { OfflineError } from "../errors/page-guard-error";
import { logToEngine } from "../internals/engine-log";
import { isSwitchedOn } from "../text/from-outside";
import { currentResource } from "./on-resource";
import type { Run } from "./run";

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The environment that says which base URLs are allowed, where `env` has a provider's arguments, too. */
  readonly guard?: NodeJS.ProcessEnv;
  readonly now?: () => number;
  readonly sleep?: (milliseconds: number) => Promise<void>;
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

/** The run of this process. The configuration arrives before the first use, by the engine's `configure`. */
export function createRun({
  env = process.env,
  guard = env,
  now = Date.now,
  sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random = Math.random,
  createClient,
  log = logToEngine,
}: RunOptions = {}): Run {
  let config: ReadConfig = () => undefined;
  const clients = new Map<string, PageGuardClient>();
  const memories = new Map<symbol, unknown>();
  const onRateWait = (text: string) => void log("info", currentResource(), text);

  return {
    isOffline: isOffline(env),
    // The provider process has the environment of the CLI, which reads it for the engine.
    skipsCheckpoints: isSwitchedOn(env["PULUMI_SKIP_CHECKPOINTS"]),
    useConfig(next) {
      config = next;
    },
    client(connection: ConnectionArgs | undefined) {
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
    service: (connection) => resolveService(connection, env, config),
    memory<T>(key: symbol, make: () => T): T {
      if (!memories.has(key)) memories.set(key, make());
      return memories.get(key) as T;
    },
    warn: (urn, text) => log("warning", urn, text),
    progress: (urn, text) => log("info", urn, text),
    now,
    sleep,
    random,
  };
}

/** undici and zod are loaded with the first client: a run that sends nothing does not pay for them. */
function loadCreateClient(): CreateClient {
  return (require("../api/create-client") as typeof import("../api/create-client")).createClient;
}
