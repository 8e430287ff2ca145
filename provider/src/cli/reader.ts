import { apiSettings } from "../api/api-settings";
import type { ConnectionArgs, PageGuardClient, ResolvedConnection } from "../api/client-types";
import { resolveConnection } from "../api/connection";
import { createClient } from "../api/create-client";
import { sharedAgent } from "../api/shared-resources";
import { type HttpAnswer, type Transport, undiciTransport } from "../api/transport";
import { forTerminal } from "../reports/escape";
import { CommandError } from "./command-error";
import type { ConnectionFlags } from "./options";
import type { Progress } from "./progress";
import type { Session } from "./session";
import { UsageError } from "./usage-error";

/** What a command may ask: nothing here changes a zone. */
export type ReadClient = Pick<
  PageGuardClient,
  | "getSettings"
  | "listPolicies"
  | "getPolicy"
  | "getEntrypoint"
  | "getCompatibility"
  | "getWafConfiguration"
  | "getWafStatus"
  | "listUriOverrides"
  | "iterate"
  | "listAll"
  | "getItem"
>;

/** A connection as a state has recorded it. */
export interface RecordedConnection extends ConnectionArgs {
  /** The token of the stack's config, where its secrets could be opened. */
  readonly apiToken?: string | undefined;
}

export interface ReaderOptions {
  readonly session: Session;
  readonly flags: ConnectionFlags;
  readonly progress: Progress;
  /** Told of each answer; for what only its headers say. */
  readonly onAnswer?: ((answer: HttpAnswer) => void) | undefined;
}

/** Gives clients that can only read, one for each connection. */
export class Reader {
  readonly #clients = new Map<string, ReadClient>();

  constructor(private readonly options: ReaderOptions) {}

  /**
   * The client for a zone. For each field the first one found wins: flag, environment, what the state has recorded.
   *
   * @throws ConnectionMissingError, ConnectionInvalidError
   */
  client(recorded: RecordedConnection = {}): ReadClient {
    const { session, flags, progress, onAnswer } = this.options;
    const connection = connectionFor(flags, session.env, recorded);
    const key = JSON.stringify([connection.baseUrl, connection.service, connection.token]);
    let client = this.#clients.get(key);
    if (!client) {
      // The agent refuses a proxy that is none.
      apiSettings(session.env);
      const transport = undiciTransport(sharedAgent(session.env, connection.baseUrl));
      client = createClient(connection, {
        env: session.env,
        transport: readingTransport(transport, progress, onAnswer),
      });
      this.#clients.set(key, client);
    }
    return client;
  }
}

/** @see Reader.client */
export function connectionFor(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  recorded: RecordedConnection = {},
): ResolvedConnection {
  // Checked here and not by the parser of the command line, which repeats the value: it may be a pasted token.
  if (flags.tokenEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(flags.tokenEnv)) {
    throw new UsageError(
      "--token-env takes the name of an environment variable, not a token. Export the token in a variable and name that.",
    );
  }
  const isSet = (name: string): boolean => (env[name] ?? "").trim() !== "";
  const isUrlRecorded = flags.baseUrl === undefined && !isSet("PAGE_GUARD_BASE_URL");
  // A host that the program has named together with a token gets that token, and never another one.
  const belongsToUrl = isUrlRecorded && recorded.baseUrl !== undefined && recorded.tokenEnv !== undefined;
  const tokenEnv =
    flags.tokenEnv ?? (belongsToUrl || !isSet("PAGE_GUARD_API_TOKEN") ? recorded.tokenEnv : undefined);
  // Never another token: the one that is named belongs to the host that is named with it.
  if (tokenEnv !== undefined && !isSet(tokenEnv)) {
    throw new CommandError(
      `The environment variable ${forTerminal(tokenEnv)}, which is to hold the API token, is not set. Export it.`,
      "PG_CONNECTION",
    );
  }
  return resolveConnection(
    { baseUrl: flags.baseUrl, tokenEnv, service: flags.service },
    env,
    (key) => recorded[key],
  );
}

/** Counts, and lets nothing through that could change something: a fault in a command must not reach a zone. */
function readingTransport(
  send: Transport,
  progress: Progress,
  onAnswer?: (answer: HttpAnswer) => void,
): Transport {
  return async (request, signal) => {
    if (request.method !== "GET") {
      throw new Error(
        `A command that only reads was about to send ${request.method}. Nothing was sent; please report it.`,
      );
    }
    progress.requestSent();
    const result = await send(request, signal);
    progress.requestDone();
    if (result.answer) onAnswer?.(result.answer);
    return result;
  };
}
