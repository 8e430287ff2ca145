import { PageGuardError } from "../errors/page-guard-error";
import { nameOfVariable, parseUrl, variableNameProblem } from "../text/from-outside";
import { clean } from "../text/shown";
import type { ConnectionArgs, ResolvedConnection, Service } from "./client-types";

/** Keys of the stack configuration, in the namespace `page-guard:`, each with its environment variable. */
export const connectionVariables = {
  apiToken: "PAGE_GUARD_API_TOKEN",
  baseUrl: "PAGE_GUARD_BASE_URL",
  service: "PAGE_GUARD_SERVICE",
} as const;

export type ConnectionConfigKey = keyof typeof connectionVariables;

/** Name of each required setting, and the command that sets it. */
const ways = {
  apiToken: ["API token", "pulumi config set --secret page-guard:apiToken"],
  baseUrl: ["base URL of the service", "pulumi config set page-guard:baseUrl https://.../v4"],
} as const;

export type ReadConfig = (key: ConnectionConfigKey) => string | undefined;

interface ConnectionOptions {
  /** Sentence for error messages that says whose environment was read. Set only where users might expect another environment. */
  readonly whose?: string | undefined;
  /** Environment that lists the allowed base URLs. Separate from `env`, because `env` can also contain a provider's arguments. */
  readonly guard?: NodeJS.ProcessEnv | undefined;
}

interface FoundValue {
  readonly value: string;
  /** Place where the value was found, for messages. */
  readonly source: string;
}

/**
 * Resolves the connection of a client. Each field comes from its argument, else from the environment, else from the stack config.
 * There is no default base URL. Treats empty and blank values as not set. If the environment lists base URLs, refuses any other,
 * so that the pipeline, not the program, decides where a token is sent.
 *
 * @throws PageGuardError `PG_CONNECTION` if there is no token or no base URL; `base-url-not-allowed` if the environment lists
 * base URLs, but not this one; `PG_CONNECTION_INVALID` if a value cannot be used.
 */
export function resolveConnection(
  args: ConnectionArgs | undefined,
  env: NodeJS.ProcessEnv,
  config: ReadConfig,
  { whose, guard = env }: ConnectionOptions = {},
): ResolvedConnection {
  const [token = throwUnset("apiToken", whose)] =
    args?.tokenEnv === undefined
      ? places("apiToken", undefined, env, config)
      : [readToken(args.tokenEnv, env, whose)];
  const [baseUrl = throwUnset("baseUrl", whose)] = places("baseUrl", args?.baseUrl, env, config).map(
    (place) => allowedBaseUrl(place, guard),
  );
  return {
    baseUrl,
    token: checkedToken(token),
    tokenSource: token.source,
    service: resolveService(args, env, config),
  };
}

/**
 * Resolves only the name of the service, for callers that may have no token yet.
 *
 * @throws PageGuardError `PG_CONNECTION_INVALID` if there is no service of that name.
 */
export function resolveService(
  args: ConnectionArgs | undefined,
  env: NodeJS.ProcessEnv,
  config: ReadConfig,
): Service {
  const [service] = places("service", args?.service, env, config);
  return service ? checkedService(service) : "page_guard";
}

/**
 * Checks the value of a setting. `source` says in words where the value was found; `env` lists the allowed base URLs.
 *
 * @throws PageGuardError if the value cannot be used.
 */
export function checkConnectionValue(
  key: ConnectionConfigKey,
  value: string,
  source: string,
  env: NodeJS.ProcessEnv,
): void {
  const check = { apiToken: checkedToken, baseUrl: allowedBaseUrl, service: checkedService }[key];
  check({ value: value.trim(), source }, env);
}

function throwUnset(key: keyof typeof ways, whose: string | undefined): never {
  const [name, command] = ways[key];
  throw unset(
    key === "apiToken" ? "token" : `connection.${key}`,
    `No ${name} is set.`,
    `Set the environment variable ${connectionVariables[key]}, or the stack config: \`${command}\`.`,
    whose,
  );
}

/** Creates the error for a missing setting. `property`: path of the argument, or `token`, which is never an argument. */
function unset(property: string, what: string, fix: string, whose: string | undefined): PageGuardError {
  return new PageGuardError("PG_CONNECTION", { property }, { what, fix: whose ? `${fix} ${whose}` : fix });
}

/** Returns the token from the variable that `tokenEnv` names. Never uses another token: it might belong to another service. */
function readToken(tokenEnv: string, env: NodeJS.ProcessEnv, whose: string | undefined): FoundValue {
  const problem = variableNameProblem(tokenEnv);
  if (problem !== undefined)
    throw invalid("tokenEnv", problem, "the argument connection.tokenEnv", nameOfVariable);
  const token = fromEnv(env, tokenEnv);
  if (token !== undefined) return token;
  const variable = clean(tokenEnv, { max: 80 });
  throw unset(
    "connection.tokenEnv",
    `No API token is set. The variable ${variable} that tokenEnv names is unset or empty.`,
    `Set the environment variable ${variable}. No other token is used instead; to use the default one, leave tokenEnv out.`,
    whose,
  );
}

/** Creates the error for a value that cannot be used. The error never shows a token. */
function invalid(key: string, what: string, source: string, fix: string): PageGuardError {
  const property = key === "token" ? key : `connection.${key}`;
  return new PageGuardError(
    "PG_CONNECTION_INVALID",
    { property },
    { what: `${what} (from ${source}).`, fix },
  );
}

/** Lists the values of a setting in order of precedence. */
function places(
  key: ConnectionConfigKey,
  argument: string | undefined,
  env: NodeJS.ProcessEnv,
  config: ReadConfig,
): readonly FoundValue[] {
  return [
    found(argument, `the argument connection.${key}`),
    fromEnv(env, connectionVariables[key]),
    found(config(key), `the stack config page-guard:${key}`),
  ].filter((place) => place !== undefined);
}

/** Returns the base URL if the environment allows it. An environment that lists no base URLs allows every base URL. */
function allowedBaseUrl(place: FoundValue, env: NodeJS.ProcessEnv): string {
  const url = checkedBaseUrl(place);
  const allowed = ["PAGE_GUARD_BASE_URL", "PAGE_GUARD_BASE_URLS"].flatMap((name) =>
    (env[name] ?? "").split(",").flatMap((value) => found(value, `the environment variable ${name}`) ?? []),
  );
  if (allowed.length === 0 || allowed.map(checkedBaseUrl).includes(url)) return url;
  throw new PageGuardError(
    "base-url-not-allowed",
    { property: "connection.baseUrl" },
    {
      what: `The base URL ${url} (from ${place.source}) is not among those that the environment allows, so no token is sent to it.`,
      fix: "Remove it, or list it in the environment variable PAGE_GUARD_BASE_URLS (separated by commas).",
    },
  );
}

function found(value: string | undefined, source: string): FoundValue | undefined {
  const trimmed = value?.trim();
  return trimmed ? { value: trimmed, source } : undefined;
}

function fromEnv(env: NodeJS.ProcessEnv, name: string): FoundValue | undefined {
  // `process.env` inherits properties such as `constructor`, which are not variables.
  return found(Object.hasOwn(env, name) ? env[name] : undefined, `the environment variable ${name}`);
}

function checkedToken({ value, source }: FoundValue): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw invalid(
    "token",
    "The API token contains a character that cannot be sent in a header",
    source,
    "Copy it again: a token is one word of ASCII letters, digits and symbols, without spaces or line breaks.",
  );
}

function checkedService({ value, source }: FoundValue): Service {
  if (value === "page_guard" || value === "page_shield") return value;
  throw invalid(
    "service",
    "The service name is neither page_guard nor page_shield",
    source,
    "Use page_guard (the default), or page_shield if the paths of the service's API contain that name.",
  );
}

/** Whether a host name means this machine itself. Requests to this machine need neither encryption nor a proxy. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

const exampleUrl = "Use a URL like https://api.example.com/client/v4.";

function checkedBaseUrl({ value, source }: FoundValue): string {
  const refuse = (what: string, fix = exampleUrl): never => {
    throw invalid("baseUrl", what, source, fix);
  };
  const url = parseUrl(value) ?? refuse("The base URL is not a URL");
  // Checks credentials first, because the messages below must never show them.
  if (url.username !== "" || url.password !== "") {
    refuse("The base URL contains a user name or password", "Leave it out: only the API token is sent.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") refuse("The base URL is not an https URL");
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    refuse(
      `The base URL is http to ${url.hostname}, which would send the API token unencrypted`,
      "Use https; http is only for a loopback host (localhost, 127.0.0.1, [::1]).",
    );
  }
  if (value.includes("?")) refuse("The base URL has a query", "Remove the ? and everything after it.");
  if (value.includes("#")) refuse("The base URL has a fragment", "Remove the # and everything after it.");
  const path = url.pathname.replace(/\/+$/, "");
  if (!path.endsWith("/v4")) refuse("The path of the base URL does not end in /v4, the version of the API");
  return `${url.origin}${path}`;
}
