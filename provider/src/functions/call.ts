import { AsyncLocalStorage } from "node:async_hooks";
import type * as pulumi from "@pulumi/pulumi";
import { nearest } from "page-guard-csp";
import { isOffline } from "../api/api-settings";
import type { ConnectionArgs } from "../api/client-types";
import { type ConnectionConfigKey, resolveConnection } from "../api/connection";
import type { PageGuardClient } from "../api/create-client";
import {
  holdFailedRun,
  isConstruction,
  sharedRun,
  whileRunIsHeld,
} from "../declaration/internals/shared-run";
import { InputError, OfflineError } from "../errors/page-guard-error";
import { clean, describeBriefly } from "../text/shown";

type Sdk = typeof import("@pulumi/pulumi");

/** Returns a value of the config namespace `page-guard:`; undefined in a plain Node script, even if Pulumi is not installed. */
export function stackConfig(key: ConnectionConfigKey): string | undefined {
  const sdk = loadSdk();
  return sdk && new sdk.Config("page-guard").get(key);
}

/** Loads Pulumi's SDK; undefined if it is not installed, which is possible in a plain Node script. */
function loadSdk(): Sdk | undefined {
  try {
    return require("@pulumi/pulumi") as Sdk;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/**
 * Values that an argument accepts: the name of a schema, or a list of words. The names of the schemas are written out: if the
 * type were derived from the schemas, the package's types would depend on zod's.
 */
type ArgRule =
  | ("zoneId" | "id" | "text" | "texts" | "boolean" | "count" | "perPage" | "connection")
  | readonly string[];

export type Rules = Readonly<Record<string, ArgRule>>;

export const zoneRules: Rules = { zoneId: "zoneId", connection: "connection" };

/**
 * Checks the arguments of a function before anything is sent: a misspelt filter would otherwise list everything.
 *
 * @throws InputError naming the argument.
 */
export function checkArgs(args: object, rules: Rules): void {
  // Every call begins here. A call that fails without being awaited ends the run with an uncaught error. After such a run, the
  // engine must not delete anything.
  holdFailedRun();
  // Loads the schemas with the first call: a program without calls never loads them.
  const { makeArgSchema } = require("./arg-schemas") as typeof import("./arg-schemas");
  // A program in JavaScript can leave out the arguments altogether.
  for (const [name, value] of Object.entries(Object(args))) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const guess = nearest(name, Object.keys(rules));
      const hint = guess ? `Did you mean ${guess}?` : `Known arguments: ${Object.keys(rules).join(", ")}.`;
      throw new InputError(clean(name, { max: 80 }), "There is no such argument.", hint);
    }
    const { schema, expected, hint } = makeArgSchema(rule);
    if (value === undefined || schema.safeParse(value).success) continue;
    throw new InputError(name, `Expected ${expected}, got ${describeBriefly(value)}.`, hint);
  }
  for (const [name, rule] of Object.entries(rules)) {
    if ((rule === "zoneId" || rule === "id") && Object(args)[name] === undefined)
      throw new InputError(name, "The argument is missing.", makeArgSchema(rule).hint);
  }
}

/** Arguments of every function. */
export interface ZoneArgs {
  /** 32 hexadecimal characters. */
  readonly zoneId: string;
  /** Connection to the service. Omitted fields come from the environment, then from the stack config. */
  readonly connection?: ConnectionArgs | undefined;
}

export interface CallOptions {
  /** Cancels the call, which then rejects with code `PG_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with a message if a list kept changing while it was read, or if the call has to wait long for the rate limit. Without
   * this function, Pulumi shows the message about the wait, but no message about the list.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

type Inputs<Args> = pulumi.Input<{ readonly [Name in keyof Args]: pulumi.Input<Args[Name]> }>;

/**
 * Checks the arguments of a call, and then sends its requests.
 *
 * @internal so that users' compilers do not have to read the types of our client.
 * @throws InputError naming the argument.
 */
export async function call<Args extends ZoneArgs, Result>(
  args: Args,
  rules: Rules,
  opts: CallOptions | undefined,
  ask: (client: PageGuardClient) => Promise<Result>,
): Promise<Result> {
  checkArgs(args, rules);
  return whileRunIsHeld(() => ask(createCallClient(args, opts)));
}

/** @internal Returns the client for a call. Loads the client's code only now, so that a program without calls never loads it. */
export function createCallClient(
  { connection }: ZoneArgs,
  { signal, onWarning = tellEngine }: CallOptions = {},
): PageGuardClient {
  const clientOf = lent.getStore();
  if (clientOf) return clientOf(connection);
  if (isOffline(process.env)) throw new OfflineError("Nothing is read");
  const { createClient } = require("../api/create-client") as typeof import("../api/create-client");
  const whose = sharedRun() && !isConstruction() ? ownEnvironment : undefined;
  return createClient(resolveConnection(connection, process.env, stackConfig, { whose }), {
    signal,
    onRateWait: onWarning,
  });
}

type ClientOf = (connection: ConnectionArgs | undefined) => PageGuardClient;

const lent = new AsyncLocalStorage<ClientOf>();

/** @internal Runs `work` with the given clients: all functions that `work` calls use these clients. */
export function withClients<Result>(clientOf: ClientOf, work: () => Promise<Result>): Promise<Result> {
  return lent.run(clientOf, work);
}

const ownEnvironment =
  "In an inline program, functions read the environment of your own process; envVars apply only to resources.";

/** Logs a message for the stack. In a script without an engine, does nothing. */
function tellEngine(text: string): void {
  const sdk = loadSdk();
  // The SDK's `hasEngine` does not see the engine of an inline program.
  if (sdk?.runtime.getEngine() !== undefined) void sdk.log.info(text);
}

/** Makes a read function accept outputs. Secret arguments make the result secret. In an offline preview the result is unknown. */
export function liftToOutput<Args extends object, Result>(
  read: (args: Args) => Promise<Result>,
): (args: Inputs<Args>) => pulumi.Output<Result> {
  return (args) => {
    const { output, runtime, unknown } = require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
    holdFailedRun();
    // TypeScript cannot resolve `pulumi.Unwrap` of a generic type. `Inputs` guarantees that the result is `Args`.
    const resolved = output(args) as unknown as pulumi.Output<Args>;
    const isSkipped = isOffline(process.env) && runtime.isDryRun();
    return resolved.apply((known) => (isSkipped ? unknown : read(known))) as pulumi.Output<Result>;
  };
}
