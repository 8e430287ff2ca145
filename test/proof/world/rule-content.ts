import type { ZoneRule } from "../../../provider/src/simulator";

/** What a rule says, and under which name of its own. */
export function contentOf({ id, ref, version: _version, last_updated: _updated, ...rule }: ZoneRule): string {
  const { version: _latest, ...parameters } = Object(rule.action_parameters);
  return JSON.stringify({ ...rule, action_parameters: parameters, ...(ref !== id && { ref }) });
}

export function nameless(content: string): string {
  const { ref: _ref, ...rest } = JSON.parse(content);
  return JSON.stringify(rest);
}
