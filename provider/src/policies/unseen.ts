import { unseenKinds } from "../csp/suggest/unseen-kinds";
import type { Finding } from "../lifecycle/finding";
import { listed } from "../text/listed";

/** One `allow` policy; `name` where it is one of several. */
export interface BlockingPolicy {
  readonly text: unknown;
  readonly name?: string;
}

/** What `allow` policies restrict and nobody can look at beforehand, in one line; nothing when there is no such thing. */
export function unseenFinding(level: unknown, policies: readonly BlockingPolicy[]): Finding[] {
  if (level === "off") return [];
  const restricting = policies.flatMap(({ text, name }) => {
    const kinds = typeof text === "string" ? unseenKinds(text) : [];
    return kinds.length === 0 ? [] : [{ kinds, name }];
  });
  if (restricting.length === 0) return [];
  const kinds = [...new Set(restricting.flatMap((one) => one.kinds))];
  const names = restricting.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const which =
    names.length === 0
      ? `this policy also restricts`
      : names.length === 1
        ? `the policy ${names[0]} also restricts`
        : `the policies ${listed(names, { separator: ", " })} also restrict`;
  const message = `with action "allow" ${which} ${inWords(kinds)}. The service does not list these, so what would be blocked of them was not looked at: open the pages with action "log" first.`;
  return [{ severity: "warning", code: "csp-not-looked-at", property: "", message }];
}

function inWords(kinds: readonly string[]): string {
  const [last = "", ...before] = [...kinds].reverse();
  return before.length === 0 ? last : `${before.reverse().join(", ")} and ${last}`;
}
