import type { ConnectionConfigKey } from "../api/connection";

/** A value of the stack config below `page-guard:`. Undefined in a plain Node script, also without Pulumi installed. */
export function stackConfig(key: ConnectionConfigKey): string | undefined {
  let pulumi: typeof import("@pulumi/pulumi");
  try {
    pulumi = require("@pulumi/pulumi") as typeof import("@pulumi/pulumi");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
  return new pulumi.Config("page-guard").get(key);
}
