import type { Policy } from "../api/client-types";
import { equalPolicies } from "../csp/syntax/equal";
import type { DeclaredPolicy, RecordedPolicy } from "./declared-policy";
import { sameDescription, sameExpression } from "./equal-policy";
import { losslessDirectives } from "./lossless-directives";

/** The live policy in the words of the record: a spelling that means the same is no drift. */
export function asDeclared(recorded: RecordedPolicy, text: string, live: Policy): DeclaredPolicy {
  const { description = "", expression = "", enabled, directives } = recorded;
  const isSameText = equalPolicies(text, live.value);
  return {
    description: sameDescription(description, live.description) ? description : live.description,
    action: live.action,
    expression: sameExpression(expression, live.expression) ? expression : live.expression,
    enabled: enabled === undefined && live.enabled ? undefined : live.enabled,
    ...(directives === undefined
      ? { value: isSameText ? text : live.value }
      : isSameText
        ? { directives }
        : inDirectives(live.value)),
  };
}

/** As directives, as long as they can say what the text says. */
function inDirectives(value: string): Pick<DeclaredPolicy, "directives" | "value"> {
  const directives = losslessDirectives(value);
  return directives === undefined ? { value } : { directives };
}
