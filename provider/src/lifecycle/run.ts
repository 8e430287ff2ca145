import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { isOffline } from "../api/api-settings";
import type { ConnectionArgs, ResolvedConnection, Service } from "../api/client-types";
import { type ReadConfig, resolveConnection, resolveService } from "../api/connection";
import type * as ClientModule from "../api/create-client";
import type { SendOptions } from "../api/http/send-request";
import { watchCancellation } from "../declaration/internals/cancellation";
import { isEngineGone as findIfEngineIsGone, logToEngine } from "../declaration/internals/engine-log";
import { OfflineError } from "../errors/page-guard-error";
import { switchesOn } from "../text/from-outside";

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Environment that lists the allowed base URLs. Separate from `env`, to which the plugin adds a provider's arguments. */
  readonly guard?: NodeJS.ProcessEnv;
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number;
  /** Waits for a time, or until the operation is canceled. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** Returns a random number of at least 0 and less than 1. */
  readonly random?: () => number;
  /** Creates clients. Tests of lifecycles pass their own. */
  readonly createClient?: CreateClient;
  /** Shows a message. Default: sends it to the engine. */
  readonly log?: typeof logToEngine;
  readonly isEngineGone?: () => Promise<boolean>;
  readonly cancellation?: () => AbortSignal;
}

type CreateClient = (
  connection: ResolvedConnection,
  options: Pick<SendOptions, "onRateWait" | "waitSignal" | "isAbandoned">,
) => ClientModule.PageGuardClient;

/**
 * One operation of the engine (preview, update, refresh or destroy). The engine starts a provider process for each operation, so
 * the run's memories live as long as the operation.
 */
export type Run = Readonly<ReturnType<typeof createRun>>;

/** Creates a run. The engine's `configure` sets the config before the first use. */
export function createRun({
  env = process.env,
  guard = env,
  now = Date.now,
  sleep = (milliseconds) =>
    wait(milliseconds, undefined, { signal: watchCancellation() }).catch(() => undefined),
  random = Math.random,
  createClient,
  log = logToEngine,
  isEngineGone = findIfEngineIsGone,
  cancellation = watchCancellation,
}: RunOptions = {}) {
  let config: ReadConfig = () => undefined;
  const clients = new Map<string, ClientModule.PageGuardClient>();
  const memories = new Map<symbol, unknown>();
  const onRateWait = (text: string) => void log("info", currentUrn.getStore() ?? "", text);

  return {
    /** Whether no request may be sent. If so, `client` throws an `OfflineError`. */
    isOffline: isOffline(env),
    /** File in which `page-guard apply` passes the approved inputs to the update that it runs. */
    approvedInputsFile: env["PAGE_GUARD_APPROVED_INPUTS"] || undefined,
    /** Whether the engine writes the state only at the end of the operation. The CLI passes this setting to this process too. */
    skipsCheckpoints: switchesOn(env["PULUMI_SKIP_CHECKPOINTS"]),
    /** Sets the config of the stack, which the engine passes before anything else. */
    useConfig(next: ReadConfig): void {
      config = next;
    },
    /** Returns the client for a connection, shared by all resources that use the same connection. */
    client(connection: ConnectionArgs | undefined) {
      if (isOffline(env)) throw new OfflineError("Nothing is read");
      const resolved = resolveConnection(connection, env, config, { guard });
      const key = JSON.stringify([resolved.baseUrl, resolved.service, resolved.token]);
      let client = clients.get(key);
      if (!client) {
        // A run without requests needs neither undici nor zod, so the first client loads them.
        const create = createClient ?? (require("../api/create-client") as typeof ClientModule).createClient;
        client = create(resolved, { onRateWait, waitSignal: cancellation(), isAbandoned: isEngineGone });
        clients.set(key, client);
      }
      return client;
    },
    service: (connection: ConnectionArgs | undefined): Service => resolveService(connection, env, config),
    /** Returns a value that lives as long as this run, such as a cache or a list of owners. Calls `make` on first use. */
    memory<T>(key: symbol, make: () => T): T {
      if (!memories.has(key)) memories.set(key, make());
      return memories.get(key) as T;
    },
    /** Shows a message on the resource, or on the stack if the URN is empty. */
    say: log,
    /** Whether the engine was killed. If so, nobody records the changes that this process makes. */
    isEngineGone,
    /** Returns a signal that aborts when the engine cancels the operation, for example after Ctrl-C. */
    cancellation,
    now,
    sleep,
    random,
  };
}

/** URN of the resource that is being worked on; empty if the engine does not pass it. */
const currentUrn = new AsyncLocalStorage<string>();

/** Runs `work` for a resource. The clients, which do not know the resource, then show their messages on it. */
export function onResource<T>(urn: string, work: () => T): T {
  return currentUrn.run(urn, work);
}
