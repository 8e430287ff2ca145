import type { Rule } from "../../api/client-types";
import { shown } from "../../text/shown";

/** How a person finds a rule again, whoever has written its texts. */
export function ruleLabel(rule: Rule): string {
  const called = rule.description ? `"${shown(rule.description, { max: 80 })}"` : "(no description)";
  const runs = rule.actionParameters?.id ? ` ${shown(rule.actionParameters.id, { max: 40 })}` : "";
  const id = rule.id ? `, id ${shown(rule.id, { max: 40 })}` : "";
  return `${called}, ${shown(rule.action, { max: 40 })}${runs} if ${shown(rule.expression)}${id}`;
}
