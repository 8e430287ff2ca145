import type { ConnectionConfigKey } from "../api/connection";
import { loadSdk } from "./sdk";

/** A value of the stack config below `page-guard:`. Undefined in a plain Node script, also without Pulumi installed. */
export function stackConfig(key: ConnectionConfigKey): string | undefined {
  const sdk = loadSdk();
  return sdk && new sdk.Config("page-guard").get(key);
}
