import type { Policy } from "../api/client-types";
import { equalPolicies } from "../csp/syntax/equal";
import type { DeclaredPolicy, RecordedPolicy } from "./declared-policy";
import { sameDescription, sameExpression } from "./equal-policy";
import { losslessDirectives } from "./lossless-directives";

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
