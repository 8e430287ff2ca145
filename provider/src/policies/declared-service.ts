import type { Service } from "../api/client-types";
import { resolveService } from "../api/connection";
import { stackConfig } from "../functions/stack-config";
import { connectionInput } from "../lifecycle/common-inputs";
import { containsUnknown } from "../lifecycle/unknown";

/** As far as the program itself can tell; undefined where it can't. */
export function declaredService(connection: unknown): Service | undefined {
  if (containsUnknown(connection)) return undefined;
  return resolveService(connectionInput.optional().safeParse(connection).data, process.env, stackConfig);
}
