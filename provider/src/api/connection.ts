import { PageGuardError } from "../errors/page-guard-error";
import { nameOfVariable, parseUrl, variableNameProblem } from "../text/from-outside";
import { shown } from "../text/shown";
import type { ConnectionArgs, ResolvedConnection, Service } from "./client-types";

/** Keys of the stack configuration, below `page-guard:`, and the variable of the environment for each. */
export const connectionVariables = {
  apiToken: "PAGE_GUARD_API_TOKEN",
  baseUrl: "PAGE_GUARD_BASE_URL",
  service: "PAGE_GUARD_SERVICE",
} as const;

export type ConnectionConfigKey = keyof typeof connectionVariables;

/** Ways to set a missing setting. */
const ways = {
  apiToken: ["API token", "pulumi config set --secret page-guard:apiToken"],
  baseUrl: ["base URL of the service", "pulumi config set page-guard:baseUrl https://.../v4"],
} as const;

/** Reads a key of the stack configuration. */
export type ReadConfig = (key: ConnectionConfigKey) => string | undefined;

interface ConnectionOptions {
  /** Says in a sentence which environment that is, where a user might mean another one. */
  readonly whose?: string | undefined;
  /** The environment that says which base URLs are allowed, where `env` holds arguments of a provider, too. */
  readonly guard?: NodeJS.ProcessEnv | undefined;
}

interface Found {
  readonly value: string;
  /** The place by name, for messages. */
  readonly source: string;
}

/**
 * All that a client needs. For each field the first one found wins: argument, environment, stack config. There is no
 * default base URL. Empty and blank values count as not set. Where the environment names the base URL, nothing else may
 * name another: a token goes where the pipeline says.
 *
 * @throws PageGuardError `PG_CONNECTION` when there is no token or no base URL; `base-url-not-allowed` when a base URL is
 * neither that of the environment nor in `PAGE_GUARD_BASE_URLS`; `PG_CONNECTION_INVALID` when one cannot be used.
 */
export function resolveConnection(
  args: ConnectionArgs | undefined,
  env: NodeJS.ProcessEnv,
  config: ReadConfig,
  { whose, guard = env }: ConnectionOptions = {},
): ResolvedConnection {
  const [token = missing("apiToken", whose)] =
    args?.tokenEnv === undefined
      ? places("apiToken", undefined, env, config)
      : [tokenIn(args.tokenEnv, env, whose)];
  const [baseUrl = missing("baseUrl", whose)] = places("baseUrl", args?.baseUrl, env, config).map((place) =>
    allowedBaseUrl(place, guard),
  );
  return {
    baseUrl,
    token: checkedToken(token),
    tokenSource: token.source,
    service: resolveService(args, env, config),
  };
}

/**
 * The name of the service alone: needed where there is no token yet.
 *
 * @throws PageGuardError `PG_CONNECTION_INVALID` when it is none.
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
 * Checks a setting that is somewhere else. `source` says in words where; `env` which base URLs are allowed.
 *
 * @throws PageGuardError when it cannot be used.
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

function missing(key: keyof typeof ways, whose: string | undefined): never {
  const [name, command] = ways[key];
  throw unset(
    key === "apiToken" ? "token" : `connection.${key}`,
    `No ${name} is set.`,
    `Set the environment variable ${connectionVariables[key]}, or the stack config: \`${command}\`.`,
    whose,
  );
}

/** `property`: the argument, or `token`, which has none: its place is the environment or the stack config. */
function unset(property: string, what: string, fix: string, whose: string | undefined): PageGuardError {
  return new PageGuardError("PG_CONNECTION", { property }, { what, fix: whose ? `${fix} ${whose}` : fix });
}

/** The token of the variable that is named, and never another one: it may be for another service. */
function tokenIn(tokenEnv: string, env: NodeJS.ProcessEnv, whose: string | undefined): Found {
  const problem = variableNameProblem(tokenEnv);
  if (problem !== undefined)
    throw invalid("tokenEnv", problem, "the argument connection.tokenEnv", nameOfVariable);
  const token = fromEnv(env, tokenEnv);
  if (token !== undefined) return token;
  const variable = shown(tokenEnv, { max: 80 });
  throw unset(
    "connection.tokenEnv",
    `No API token is set. The variable ${variable} that tokenEnv names is unset or empty.`,
    `Set the environment variable ${variable}. No other token is used instead; to use the default one, leave tokenEnv out.`,
    whose,
  );
}

/** A value that was found and cannot be used. Never shows a token. */
function invalid(key: string, what: string, source: string, fix: string): PageGuardError {
  const property = key === "token" ? key : `connection.${key}`;
  return new PageGuardError(
    "PG_CONNECTION_INVALID",
    { property },
    { what: `${what} (from ${source}).`, fix },
  );
}

/** Lists the places of a setting in order of precedence. */
function places(
  key: ConnectionConfigKey,
  argument: string | undefined,
  env: NodeJS.ProcessEnv,
  config: ReadConfig,
): readonly Found[] {
  return [
    found(argument, `the argument connection.${key}`),
    fromEnv(env, connectionVariables[key]),
    found(config(key), `the stack config page-guard:${key}`),
  ].filter((place) => place !== undefined);
}

/** Returns the base URL if the environment allows it. An environment without a base URL allows every one. */
function allowedBaseUrl(place: Found, env: NodeJS.ProcessEnv): string {
  const url = checkedBaseUrl(place);
  const allowed = ["PAGE_GUARD_BASE_URL", "PAGE_GUARD_BASE_URLS"].flatMap((name) =>
    (env[name] ?? "").split(",").flatMap((value) => found(value, `the environment variable ${name}`) ?? []),
  );
  if (allowed.length === 0 || allowed.map(checkedBaseUrl).includes(url)) return url;
  throw new PageGuardError(
    "base-url-not-allowed",
    { property: "connection.baseUrl" },
    {
      what: `The base URL ${url} (from ${place.source}) is not the one that the environment names, so no token is sent to it.`,
      fix: "Remove it, or list it in the environment variable PAGE_GUARD_BASE_URLS (separated by commas).",
    },
  );
}

function found(value: string | undefined, source: string): Found | undefined {
  const trimmed = value?.trim();
  return trimmed ? { value: trimmed, source } : undefined;
}

function fromEnv(env: NodeJS.ProcessEnv, name: string): Found | undefined {
  return found(env[name], `the environment variable ${name}`);
}

function checkedToken({ value, source }: Found): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw invalid(
    "token",
    "The API token contains a character that cannot be sent in a header",
    source,
    "Copy it again: a token is one word of ASCII letters, digits and signs, without spaces or line breaks.",
  );
}

function checkedService({ value, source }: Found): Service {
  if (value === "page_guard" || value === "page_shield") return value;
  throw invalid(
    "service",
    "The service name is neither page_guard nor page_shield",
    source,
    "Use page_guard (the default), or page_shield when the service spells its paths that way.",
  );
}

/** Whether a host name of a URL is this machine itself, which needs no encryption and no proxy. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

const exampleUrl = "Use a URL like https://api.example.com/client/v4.";

function checkedBaseUrl({ value, source }: Found): string {
  const refuse = (what: string, fix = exampleUrl): never => {
    throw invalid("baseUrl", what, source, fix);
  };
  const url = parseUrl(value) ?? refuse("The base URL is not a URL");
  // Credentials first: what the other messages show must never contain them.
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
  if (value.includes("?")) refuse("The base URL has a query", "Leave out everything from the ? on.");
  if (value.includes("#")) refuse("The base URL has a fragment", "Leave out everything from the # on.");
  const path = url.pathname.replace(/\/+$/, "");
  if (!path.endsWith("/v4")) {
    refuse("The path of the base URL does not end in /v4, the version of the API", exampleUrl);
  }
  return `${url.origin}${path}`;
}
