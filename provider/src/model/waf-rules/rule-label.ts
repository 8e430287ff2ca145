import type { Rule } from "../../api/client-types";
import { clean } from "../../text/shown";

/** Returns a label by which a person can find a rule. The label is safe to show. */
export function ruleLabel({ action, actionParameters, expression, description, id }: Rule): string {
  const called = description ? quoteDescription(description) : "(no description)";
  const runs = actionParameters?.id ? ` ${clean(actionParameters.id, { max: 40 })}` : "";
  const named = id ? `, id ${clean(id, { max: 40 })}` : "";
  return `${called}, ${clean(action, { max: 40 })}${runs} if ${clean(expression)}${named}`;
}

/** Returns the description of a rule or, if it has none, its action and expression. Safe to show. */
export function shortRuleLabel({ action, expression, description }: Rule): string {
  if (description) return quoteDescription(description);
  return `${clean(action, { max: 40 })} if ${clean(expression, { max: 80 })}`;
}

/** Returns the label of an unmanaged rule in the output `foreign`. States contain these labels, so they must not change. */
export function foreignLabel({ description = "", id = "(without a name)" }: Rule): string {
  return clean(description, { max: 80 }) || clean(id, { max: 80 });
}

function quoteDescription(description: string): string {
  return `"${clean(description, { max: 80 })}"`;
}
