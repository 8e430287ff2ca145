type Sdk = typeof import("@pulumi/pulumi");

/** Pulumi's SDK, loaded when it is asked for. Undefined in a plain Node script that does without it. */
export function loadSdk(): Sdk | undefined {
  try {
    return require("@pulumi/pulumi") as Sdk;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
