/**
 * Types of the two APIs (Page Guard and the WAF), as the rest of the package sees them: complete objects in camelCase. Only
 * `api/` knows the snake_case and the string booleans of the wire format.
 */
import type { ItemStatus, SeenConnection, SeenScript } from "page-guard-csp";

export type { ItemStatus };

/** Fields of a response, by their names on the wire. A property `extra` contains the fields that its type does not declare. */
export type Extra = Readonly<Record<string, unknown>>;

export interface Settings {
  readonly enabled: boolean;
  /** Absent if the plan or the service does not show this setting. */
  readonly useVendorReportingEndpoint?: boolean;
  readonly useConnectionUrlPath?: boolean;
  readonly updatedAt?: string;
}

export type SettingsChange = Partial<Omit<Settings, "updatedAt">>;

export interface PolicyBody {
  readonly description: string;
  /** `log` or `allow`. A newer service can return other actions. */
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly value: string;
}

export interface Policy extends PolicyBody {
  readonly policyId: string;
}

/** An override for one rule of a managed ruleset. An absent field leaves the rule as it is; there are no default values. */
export interface RuleOverride {
  readonly id: string;
  readonly action?: string;
  readonly enabled?: boolean;
  readonly extra?: Extra;
}

export interface Overrides {
  readonly action?: string;
  readonly enabled?: boolean;
  readonly rules?: readonly RuleOverride[];
  /** `categories`, `sensitivity_level` and fields that this package does not know. The client sends them back unchanged. */
  readonly extra?: Extra;
}

export interface ActionParameters {
  /** The managed ruleset that an `execute` rule runs. */
  readonly id?: string;
  readonly overrides?: Overrides;
  readonly extra?: Extra;
}

export interface Rule {
  readonly id?: string;
  readonly version?: string;
  readonly ref?: string;
  readonly action: string;
  readonly expression: string;
  readonly description?: string;
  readonly enabled?: boolean;
  readonly actionParameters?: ActionParameters;
  readonly lastUpdated?: string;
  readonly extra?: Extra;
}

export interface Entrypoint {
  readonly rulesetId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly lastUpdated?: string;
  readonly rules: readonly Rule[];
}

/**
 * The body that replaces an entry point, or the configuration of a migration. If the `id`, `version` or `ref` of a rule is an empty
 * string, the client sends the empty string; if the field is absent, the client does not send it.
 */
export type EntrypointBody = Pick<Entrypoint, "name" | "description" | "rules">;

export interface Compatibility {
  readonly compatible: boolean;
  readonly migrationState?: string;
  readonly extra: Extra;
}

/** The configuration that the service proposes for the new WAF. The `rules` look like rules of an entry point with empty ids. */
export interface WafConfiguration {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/**
 * The WAF status of a zone. The API does not document its field names, so `record` contains the whole response, from which the
 * other properties are guessed.
 */
export interface WafStatus {
  readonly migrationState?: string;
  /** Whether the previous WAF is enabled; undefined if the response does not say. */
  readonly oldEnabled?: boolean;
  readonly newEnabled?: boolean;
  readonly record: Extra;
}

export interface UriOverride {
  readonly id: string;
  readonly description?: string;
  readonly urls: readonly string[];
}

/** Fields that scripts and connections share. Fields that the plan does not include are absent. */
export interface DetectedItem extends SeenConnection {
  readonly id: string;
  readonly urlContainsCdnCgiPath?: boolean;
  readonly extra?: Extra;
}

/** A version of a script. */
export interface ScriptVersion extends Pick<SeenScript, "jsIntegrityScore"> {
  readonly hash?: string;
  readonly fetchedAt?: string;
  readonly extra?: Extra;
}

export interface Script extends DetectedItem, ScriptVersion {
  readonly obfuscationScore?: number;
  readonly dataflowScore?: number;
  readonly cryptominingScore?: number;
  readonly magecartScore?: number;
  readonly malwareScore?: number;
  /** Present only if a single script was read. */
  readonly pageUrls?: readonly string[];
  /** Present only if a single script was read. */
  readonly versions?: readonly ScriptVersion[];
}

export interface Connection extends DetectedItem {
  readonly pageUrls?: readonly string[];
}

export interface Cookie {
  readonly id: string;
  readonly type?: string;
  readonly name: string;
  readonly host?: string;
  readonly domainAttribute?: string;
  readonly expiresAttribute?: string;
  readonly httpOnlyAttribute?: boolean;
  /** In seconds; absent if the cookie has no maximum age. */
  readonly maxAgeAttribute?: number;
  readonly pathAttribute?: string;
  readonly sameSiteAttribute?: string;
  readonly secureAttribute?: boolean;
  readonly firstSeenAt?: string;
  readonly lastSeenAt?: string;
  readonly firstPageUrl?: string;
  readonly pageUrls?: readonly string[];
  readonly status?: ItemStatus;
  readonly extra?: Extra;
}

/** Query parameters of a list, by camelCase name. Arrays are joined with commas. `status: "all"` requests every status. */
export type ListQuery = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ListKinds {
  readonly scripts: Script;
  readonly connections: Connection;
  readonly cookies: Cookie;
}

export interface ReadOptions {
  /** Stops after this many items, and requests only the result pages needed for them. Default: all items. */
  readonly limit?: number | undefined;
  /** Items per request, from 1 to 100. Default: 100, which is also the service's maximum. */
  readonly perPage?: number | undefined;
  /** Called if the list kept changing while it was read. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export type Service = "page_guard" | "page_shield";

/** The `connection` argument of resources and functions. Contains the name of an environment variable, never a token. */
export interface ConnectionArgs {
  /** URL that ends in `/v4`. It uses https, or http to a loopback host. */
  readonly baseUrl?: string | undefined;
  /** Name of the environment variable that holds the API token. */
  readonly tokenEnv?: string | undefined;
  readonly service?: Service | undefined;
}

/** The connection of a client, resolved once from arguments, environment and stack config. */
export interface ResolvedConnection {
  readonly baseUrl: string;
  readonly token: string;
  /** Source of the token for messages, such as `the environment variable PAGE_GUARD_API_TOKEN`. */
  readonly tokenSource?: string;
  readonly service: Service;
}
