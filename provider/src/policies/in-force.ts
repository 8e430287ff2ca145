import type { ConnectionArgs } from "../api/client-types";
import type { Properties } from "../lifecycle/kind";
import { whereOnline } from "../lifecycle/offline";
import type { Run } from "../lifecycle/run";
import { containsUnknown } from "../lifecycle/unknown";
import { bodyOf } from "./declared-policy";
import { declaredPolicySchema } from "./policy-inputs";
import { zonePolicies } from "./zone-policies";

/**
 * Whether the zone enforces just this policy today, under whatever name: then nothing of it is new to visitors. Not
 * known offline.
 */
export async function isInForce(run: Run, now: Properties, policy: Properties): Promise<boolean> {
  const { zoneId, connection } = now;
  const known = declaredPolicySchema.safeParse(policy);
  if (containsUnknown([zoneId, connection, policy]) || !known.success) return false;
  const found = await whereOnline(async () => {
    const client = run.client(connection as ConnectionArgs | undefined);
    const list = await zonePolicies(run, String(zoneId)).list(client, String(zoneId));
    return [list.enforces(bodyOf(known.data))];
  });
  return found.includes(true);
}
