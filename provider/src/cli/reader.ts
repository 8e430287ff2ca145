import { apiSettings } from "../api/api-settings";
import type { PageGuardClient, ResolvedConnection } from "../api/client-types";
import { resolveConnection } from "../api/connection";
import { createClient } from "../api/create-client";
import { sharedAgent } from "../api/http/shared-resources";
import { type HttpAnswer, type Transport, undiciTransport } from "../api/http/transport";
import { forTerminal } from "../reports/escape";
import { parseUrl } from "../text/parse-url";
import { variableNameProblem } from "../text/variable-name";
import { CommandError } from "./command-error";
import type { ConnectionFlags } from "./options";
import type { ProgramConnection } from "./program-connection";
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

export interface ReaderOptions {
  readonly session: Session;
  readonly flags: ConnectionFlags;
  readonly progress: Progress;
  /** What the program says was read from this file, and not from the backend or the program. */
  readonly file?: string | undefined;
  /** Told of each answer; for what only its headers say. */
  readonly onAnswer?: ((answer: HttpAnswer) => void) | undefined;
}

/** Gives clients that can only read, one for each connection. */
export class Reader {
  readonly #clients = new Map<string, ReadClient>();

  constructor(private readonly options: ReaderOptions) {}

  /** @throws ConnectionMissingError, ConnectionInvalidError, CommandError */
  client(program: ProgramConnection = {}): ReadClient {
    const { session, progress, onAnswer } = this.options;
    const connection = this.connection(program);
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

  /**
   * How a zone is reached. For each field the first one found wins: flag, argument, environment, stack config. So a zone is
   * read where the program changes it. What a file says is compared, never used.
   */
  connection(program: ProgramConnection): ResolvedConnection {
    const { session, flags, file } = this.options;
    return file === undefined
      ? connectionFor(flags, session.env, program)
      : connectionBeside(file, flags, session.env, program);
  }
}

/** @see Reader.connection */
export function connectionFor(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  { argument = {}, config = {} }: ProgramConnection = {},
): ResolvedConnection {
  // Checked here and not by the parser of the command line, which repeats the value: it may be a pasted token.
  if (flags.tokenEnv !== undefined && variableNameProblem(flags.tokenEnv) !== undefined) {
    throw new UsageError(
      "--token-env takes the name of an environment variable, not a token. Export the token in a variable and name that.",
    );
  }
  // A token that the program names for its host is for no other host.
  const isElsewhere = flags.baseUrl !== undefined && argument.baseUrl !== undefined;
  const tokenEnv = flags.tokenEnv ?? (isElsewhere ? undefined : argument.tokenEnv);
  if (tokenEnv !== undefined && variableNameProblem(tokenEnv) === undefined && !env[tokenEnv]?.trim()) {
    throw new CommandError(
      `The environment variable ${forTerminal(tokenEnv)}, which is to hold the API token, is not set. Export it.`,
      "PG_CONNECTION",
    );
  }
  const baseUrl = flags.baseUrl ?? argument.baseUrl;
  const service = flags.service ?? argument.service;
  return resolveConnection({ baseUrl, tokenEnv, service }, env, (key) => config[key]);
}

/** A file may come from anyone: it names neither the host that is asked nor the variable whose value is sent there. */
function connectionBeside(
  file: string,
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  { argument = {}, config = {} }: ProgramConnection,
): ResolvedConnection {
  const {
    baseUrl = env["PAGE_GUARD_BASE_URL"]?.trim(),
    tokenEnv = "PAGE_GUARD_API_TOKEN",
    service = env["PAGE_GUARD_SERVICE"]?.trim(),
  } = flags;
  const said = {
    baseUrl: argument.baseUrl ?? (baseUrl ? undefined : config.baseUrl),
    tokenEnv: argument.tokenEnv,
    service: argument.service ?? (service ? undefined : config.service),
  };
  const others = [
    said.baseUrl !== undefined && plainUrl(said.baseUrl) !== plainUrl(baseUrl ?? "")
      ? (["--base-url", `the base URL ${plainUrl(said.baseUrl)}`] as const)
      : [],
    said.tokenEnv !== undefined && said.tokenEnv !== tokenEnv
      ? ["--token-env", `the token of ${variableNameProblem(said.tokenEnv) ? "a variable" : said.tokenEnv}`]
      : [],
    said.service !== undefined && said.service !== (service || "page_guard")
      ? ["--service", `the service ${said.service}`]
      : [],
  ].filter(([flag]) => flag !== undefined);
  if (others.length === 0) return connectionFor(flags, env);
  throw new CommandError(
    `${forTerminal(file)} names another connection than flags and environment do: ${others.map(([, what = ""]) => forTerminal(what)).join(", ")}. Nothing was sent, for a file may come from anyone. If that is right, say so with ${others.map(([flag]) => flag).join(", ")}.`,
    "PG_CONNECTION",
  );
}

/** Without what does not count, and without credentials. */
function plainUrl(text: string): string {
  const url = parseUrl(text);
  return url === undefined ? text : `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
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
