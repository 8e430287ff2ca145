import type { Properties } from "../lifecycle/kind";
import { plainValue, plainValues, secret } from "./wire";

/** Arguments of the provider. For the default provider of a stack they are its config. */
export const providerInputs = {
  apiToken: {
    description:
      "The API token. In the state it is a secret. Better: leave it out and set the environment variable `PAGE_GUARD_API_TOKEN`, then it is in no state at all.",
    isSecret: true,
    variable: "PAGE_GUARD_API_TOKEN",
  },
  baseUrl: {
    description:
      "Where the service is: ends in `/v4`; https, or http to a loopback host. Else the environment variable `PAGE_GUARD_BASE_URL`.",
    isSecret: false,
    variable: "PAGE_GUARD_BASE_URL",
  },
  service: {
    description:
      "How the service spells its paths: `page_guard` (default) or `page_shield`. Else the environment variable `PAGE_GUARD_SERVICE`.",
    isSecret: false,
    variable: "PAGE_GUARD_SERVICE",
  },
} as const;

const settings = Object.entries(providerInputs);

/** What the state keeps of a provider: never a token in plain text. (The engine shows a check no secrets, but plain texts.) */
export function recordedInputs(args: Properties): Properties {
  const { apiToken }: Properties = args;
  return apiToken === undefined ? args : { ...args, apiToken: secret(plainValue(apiToken)) };
}

/** The settings that are given, as texts. */
export function givenSettings(args: Properties): Readonly<Record<string, string>> {
  const plain = plainValues(args);
  return Object.fromEntries(
    settings.flatMap(([name]) => {
      const value = plain[name];
      return typeof value === "string" && value.trim() !== "" ? [[name, value]] : [];
    }),
  );
}

/** The environment in which a provider works that the program has declared: what it is given there comes first. */
export function environmentOf(given: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return Object.fromEntries(
    settings.flatMap(([name, { variable }]) => (given[name] ? [[variable, given[name]]] : [])),
  );
}

/** The engine makes the default provider from the stack's config, where the environment comes first. */
export function isDefaultProvider(urn: string): boolean {
  const [, , , ...name] = urn.split("::");
  return /^default(_|$)/.test(name.join("::"));
}
