import { createReader, parseUrl, resolveConnection, variableNameProblem } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { CommandError } from "./command-error";
import type { ConnectionFlags } from "./options";
import type { ProgramConnection } from "./program-connection";
import { Progress } from "./progress";
import type { Session } from "./session";
import { UsageError } from "./usage-error";

/** A client that cannot change a zone. */
export type ReadClient = ReturnType<typeof createReader>;

export interface ReaderOptions {
  readonly session: Session;
  readonly flags: ConnectionFlags;
  readonly progress: Progress;
  /** The state or events file that contains the program's connection, if `--state` or `--events` names one. */
  readonly file?: string | undefined;
  /** Whether to request the settings, the policies and the entry point of each zone only once. */
  readonly remembers?: boolean;
  readonly onAnswer?: ((headers: Readonly<Record<string, string | undefined>>) => void) | undefined;
}

/** Creates one client for each connection. The clients can only read. */
export class Reader {
  readonly #clients = new Map<string, ReadClient>();

  constructor(private readonly options: ReaderOptions) {}

  /** Returns the client for a connection. @throws PageGuardError, CommandError */
  client(program: ProgramConnection = {}): ReadClient {
    const { session, progress, onAnswer, remembers } = this.options;
    const connection = this.connection(program);
    const key = JSON.stringify([connection.baseUrl, connection.service, connection.token]);
    let client = this.#clients.get(key);
    if (!client) {
      const plain = createReader(connection, session.env, {
        onSend: () => progress.requestSent(),
        onEnd: (answer) => {
          progress.requestDone();
          if (answer) onAnswer?.(answer.headers);
        },
      });
      client = remembers ? withCache(plain) : plain;
      this.#clients.set(key, client);
    }
    return client;
  }

  /**
   * Returns the connection to a zone. Each field comes from the first source that sets it: flag, argument `connection`,
   * environment, stack config. So the command reads the zone through the API that the program uses. A connection in a file is
   * never used, because anyone may have written the file. It is only compared with the flags and the environment.
   */
  connection(program: ProgramConnection): ReturnType<typeof resolveConnection> {
    const { session, flags, file } = this.options;
    if (file === undefined) return combineConnection(flags, session.env, program);
    refuseOther(file, flags, session.env, program);
    return combineConnection(flags, session.env);
  }
}

function withCache(client: ReadClient): ReadClient {
  const once = <Result>(read: (zoneId: string) => Promise<Result>): typeof read => {
    const answers = new Map<string, Promise<Result>>();
    return (zoneId) => {
      const answer = answers.get(zoneId) ?? read(zoneId);
      answers.set(zoneId, answer);
      return answer;
    };
  };
  const { getSettings, listPolicies, getEntrypoint } = client;
  return {
    ...client,
    getSettings: once(getSettings),
    listPolicies: once(listPolicies),
    getEntrypoint: once(getEntrypoint),
  };
}

/** Runs `work` with a client for the connection that the flags and the environment name, and shows the progress. */
export function readWith<T>(
  session: Session,
  flags: ConnectionFlags,
  what: string,
  work: (client: ReadClient) => Promise<T>,
): Promise<T> {
  const progress = new Progress(session);
  const client = new Reader({ session, flags, progress }).client();
  return progress.during(what, () => work(client));
}

/** Combines flags, environment and program in the order of precedence that `Reader.connection` describes. */
function combineConnection(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  { argument = {}, config = {} }: ProgramConnection = {},
) {
  // The command-line parser does not check this, because its message would show the value, which may be a pasted token.
  if (flags.tokenEnv !== undefined && variableNameProblem(flags.tokenEnv) !== undefined)
    throw new UsageError(
      "--token-env takes the name of an environment variable, not a token. Export the token in a variable, and give the name of the variable.",
    );
  // A token that the program names for its own host must not go to another host.
  const isElsewhere = flags.baseUrl !== undefined && argument.baseUrl !== undefined;
  const tokenEnv = flags.tokenEnv ?? (isElsewhere ? undefined : argument.tokenEnv);
  if (tokenEnv !== undefined && variableNameProblem(tokenEnv) === undefined && !env[tokenEnv]?.trim())
    throw new CommandError(
      `The environment variable ${forTerminal(tokenEnv)} for the API token is not set. Export it.`,
      "PG_CONNECTION",
    );
  const baseUrl = flags.baseUrl ?? argument.baseUrl;
  const service = flags.service ?? argument.service;
  // The environment restricts which base URLs a program may choose. It does not restrict --base-url, which a person chose.
  const guard = flags.baseUrl === undefined ? env : {};
  return resolveConnection({ baseUrl, tokenEnv, service }, env, (key) => config[key], { guard });
}

/** Refuses a file whose connection differs from that of the flags and the environment. @throws CommandError */
function refuseOther(
  file: string,
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
  { argument = {}, config = {} }: ProgramConnection,
): void {
  const used = {
    baseUrl: flags.baseUrl ?? env["PAGE_GUARD_BASE_URL"]?.trim(),
    tokenEnv: flags.tokenEnv ?? "PAGE_GUARD_API_TOKEN",
    service: flags.service ?? env["PAGE_GUARD_SERVICE"]?.trim(),
  };
  const baseUrl = argument.baseUrl ?? (used.baseUrl ? undefined : config.baseUrl);
  const variable = variableNameProblem(argument.tokenEnv ?? "") ? "a variable" : argument.tokenEnv;
  const service = argument.service ?? (used.service ? undefined : config.service);
  const isOtherService = service !== undefined && service !== (used.service || "page_guard");
  const isOther = baseUrl !== undefined && plainUrl(baseUrl) !== plainUrl(used.baseUrl ?? "");
  const others = Object.entries({
    "--base-url": isOther && `the base URL ${plainUrl(baseUrl)}`,
    "--token-env": (argument.tokenEnv ?? used.tokenEnv) !== used.tokenEnv && `the token of ${variable}`,
    "--service": isOtherService && `the service ${service}`,
  }).filter(([, what]) => what);
  if (others.length === 0) return;
  throw new CommandError(
    `${forTerminal(file)} names a different connection from the flags and the environment: ${others.map(([, what]) => forTerminal(String(what))).join(", ")}. Nothing was sent, because a file may come from anyone. If this connection is right, confirm it with ${others.map(([flag]) => flag).join(", ")}.`,
    "PG_CONNECTION",
  );
}

/** Returns a URL without credentials and trailing slashes. */
function plainUrl(text: string): string {
  const url = parseUrl(text);
  return url === undefined ? text : `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
