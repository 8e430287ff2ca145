import type { ConnectionConfigKey } from "../api/connection";

type Sdk = typeof import("@pulumi/pulumi");

/** A value of the stack config below `page-guard:`. Undefined in a plain Node script, also without Pulumi installed. */
export function stackConfig(key: ConnectionConfigKey): string | undefined {
  const sdk = loadSdk();
  return sdk && new sdk.Config("page-guard").get(key);
}

/** Pulumi's SDK, loaded when it is asked for. Undefined in a plain Node script that does without it. */
export function loadSdk(): Sdk | undefined {
  try {
    return require("@pulumi/pulumi") as Sdk;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
