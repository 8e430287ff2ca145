import { checkConnectionValue, connectionVariables } from "../api/connection";
import type { CheckedValues } from "../declaration/internals/provider-server";
import { readErrorCode } from "../errors/coded-error";
import { secret } from "../model/engine-marks";
import { type Finding, findingText, makeError } from "../model/finding";
import type { Properties } from "../model/properties";
import { isUnknown } from "../model/unknown";
import { isDefaultProvider } from "../model/urn";
import { readMessage } from "../text/data";
import { plainValue, plainValues } from "./wire";

/** Arguments of the provider. A stack's default provider gets them from the stack's config. */
export const providerInputs = {
  apiToken: {
    description:
      "The API token, which is a secret in the state. To keep it out of the state, set the environment variable `PAGE_GUARD_API_TOKEN` instead.",
    isSecret: true,
  },
  baseUrl: {
    description:
      "Base URL of the service. It ends in `/v4` and uses https, or http to a loopback host. Default: the environment variable `PAGE_GUARD_BASE_URL`.",
    isSecret: false,
  },
  service: {
    description:
      "Name of the service in the paths of the API: `page_guard` or `page_shield`. Default: the environment variable `PAGE_GUARD_SERVICE`, otherwise `page_guard`.",
    isSecret: false,
  },
} as const;

const settings = Object.entries(connectionVariables) as [keyof typeof providerInputs, string][];

/**
 * Checks the arguments of a provider and returns the values for the state. Always marks the token as secret: the engine
 * passes secrets to a check as plain text, so the check cannot know whether the token was secret.
 */
export function readCheckedConfig(urn: string, args: Properties): CheckedValues {
  const { apiToken }: Properties = args;
  const inputs = apiToken === undefined ? args : { ...args, apiToken: secret(plainValue(apiToken)) };
  // A default provider has values from the stack's config, which apply only where no environment variable is set. The resources
  // check the values that apply.
  const findings = isDefaultProvider(urn) ? [] : argumentFindings(plainValues(args));
  // The engine would print the value of a named property, and the value may be a token.
  return { inputs, failures: findings.map((finding) => ({ property: "", reason: findingText(finding) })) };
}

function argumentFindings(args: Properties): Finding[] {
  return settings.flatMap(([property, variable]): Finding[] => {
    const value = args[property];
    if (value === undefined || value === null || isUnknown(value)) return [];
    if (typeof value !== "string")
      return [makeError(property, "input-invalid", `${property} must be a string.`)];
    if (value.trim() === "") {
      const message = `${property} is empty. Give it a value, or leave it out to use ${variable}.`;
      return [makeError(property, "input-invalid", message)];
    }
    try {
      checkConnectionValue(property, value, `the argument ${property} of the provider`, process.env);
      return [];
    } catch (error) {
      return [makeError(property, readErrorCode(error), readMessage(error))];
    }
  });
}

export function readGivenSettings(args: Properties): Readonly<Record<string, string>> {
  const plain = plainValues(args);
  return Object.fromEntries(
    settings.flatMap(([name]) => {
      const value = plain[name];
      return typeof value === "string" && value.trim() !== "" ? [[name, value]] : [];
    }),
  );
}

/** Returns the arguments of a provider as environment variables. */
export function toEnvironment(given: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return Object.fromEntries(
    settings.flatMap(([name, variable]) => (given[name] ? [[variable, given[name]]] : [])),
  );
}
