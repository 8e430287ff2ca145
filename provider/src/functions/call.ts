import { AsyncLocalStorage } from "node:async_hooks";
import type * as pulumi from "@pulumi/pulumi";
import type { ConnectionArgs, PageGuardClient } from "../api/client-types";
import { resolveConnection } from "../api/connection";
import { isOffline } from "../api/offline";
import { OfflineError } from "../errors/offline-error";
import { holdFailedRun, isConstruction, sharedRun, whileRunIsHeld } from "../internals/shared-run";
import { checkArgs, type Rules } from "./check-args";
import { loadSdk, stackConfig } from "./stack-config";

/** What every function takes. */
export interface ZoneArgs {
  /** 32 hexadecimal characters. */
  readonly zoneId: string;
  /** How to reach the service; what is left out comes from the environment, then from the stack config. */
  readonly connection?: ConnectionArgs | undefined;
}

export interface CallOptions {
  /** Ends the call: it rejects with code `PG_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what a caller should know: that a list kept changing while it was read, or how long the rate limit makes it wait. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Arguments whose values may be outputs of resources. */
export type Inputs<Args> = pulumi.Input<{ readonly [Name in keyof Args]: pulumi.Input<Args[Name]> }>;

/**
 * One call: checks the arguments, and then asks the service.
 *
 * @throws InputError naming the argument.
 */
export async function call<Args extends ZoneArgs, Result>(
  args: Args,
  rules: Rules,
  opts: CallOptions | undefined,
  ask: (client: PageGuardClient) => Promise<Result>,
): Promise<Result> {
  checkArgs(args, rules);
  return whileRunIsHeld(() => ask(clientFor(args, opts)));
}

/** The client is loaded when the first function is called: a program that calls none does not pay for it. */
export function clientFor(
  { connection }: ZoneArgs,
  { signal, onWarning = tellEngine }: CallOptions = {},
): PageGuardClient {
  const clientOf = lent.getStore();
  if (clientOf) return clientOf(connection);
  if (isOffline(process.env)) throw new OfflineError("The service is not asked");
  const { createClient } = require("../api/create-client") as typeof import("../api/create-client");
  const whose = sharedRun() && !isConstruction() ? ownEnvironment : undefined;
  return createClient(resolveConnection(connection, process.env, stackConfig, { whose }), {
    signal,
    onRateWait: onWarning,
  });
}

type ClientOf = (connection: ConnectionArgs | undefined) => PageGuardClient;

const lent = new AsyncLocalStorage<ClientOf>();

/** Calls functions with the given clients instead of ones of their own. */
export function withClients<Result>(clientOf: ClientOf, work: () => Promise<Result>): Promise<Result> {
  return lent.run(clientOf, work);
}

const ownEnvironment =
  "A function that an inline program calls reads the environment of your own process; envVars reach the resources alone.";

/** On the stack; a script that no engine runs gets no message that it did not ask for. */
function tellEngine(text: string): void {
  const sdk = loadSdk();
  // What the SDK calls `hasEngine` knows no engine of an inline program.
  if (sdk?.runtime.getEngine() !== undefined) void sdk.log.info(text);
}

/** A function for arguments that may be outputs. Secret ones make a secret result. Unknown in a preview without requests. */
export function outputOf<Args extends object, Result>(
  read: (args: Args) => Promise<Result>,
): (args: Inputs<Args>) => pulumi.Output<Result> {
  return (args) => {
    const { output, runtime, unknown } = require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
    holdFailedRun();
    // Pulumi's type of an unwrapped generic cannot be written down; `Inputs` says what comes out.
    const resolved = output(args) as unknown as pulumi.Output<Args>;
    const isSkipped = isOffline(process.env) && runtime.isDryRun();
    return resolved.apply((known) => (isSkipped ? unknown : read(known))) as pulumi.Output<Result>;
  };
}
