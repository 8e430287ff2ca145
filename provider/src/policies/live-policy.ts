import type { PageGuardClient, Policy } from "../api/client-types";
import { equalPolicies } from "../csp/syntax/equal";
import { NotFoundError } from "../errors/not-found-error";
import type { DeclaredPolicy, RecordedPolicy } from "./declared-policy";
import { sameDescription, sameExpression } from "./equal-policy";
import { losslessDirectives } from "./lossless-directives";
import type { ZonePolicies } from "./zone-policies";

/** The policy as it is now; undefined when it is gone, and the service has said so clearly. */
export async function livePolicy(
  client: PageGuardClient,
  zone: ZonePolicies,
  zoneId: string,
  policyId: string,
): Promise<Policy | undefined> {
  const listed = (await zone.list(client, zoneId)).get(policyId);
  if (listed) return listed;
  try {
    // Missing from the list is not yet gone: only a 404 of its own says so.
    return await client.getPolicy(zoneId, policyId);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** The live policy in the words of the record: a spelling that means the same is no drift. */
export function asDeclared(recorded: RecordedPolicy, text: string, live: Policy): DeclaredPolicy {
  const sameValue = equalPolicies(text, live.value);
  return {
    description:
      recorded.description !== undefined && sameDescription(recorded.description, live.description)
        ? recorded.description
        : live.description,
    action: live.action,
    expression: sameExpression(recorded.expression ?? "", live.expression)
      ? (recorded.expression ?? live.expression)
      : live.expression,
    enabled: recorded.enabled === undefined && live.enabled ? undefined : live.enabled,
    ...(recorded.directives === undefined
      ? { value: sameValue ? text : live.value }
      : sameValue
        ? { directives: recorded.directives }
        : inDirectives(live.value)),
  };
}

/** As directives, as long as they can say what the text says. */
function inDirectives(value: string): Pick<DeclaredPolicy, "directives" | "value"> {
  const directives = losslessDirectives(value);
  return directives === undefined ? { value } : { directives };
}
