import { unseenKinds } from "../../csp";
import type { Finding } from "../../lifecycle/finding";

/** What an `allow` policy restricts and nobody can look at beforehand, in one line; nothing when there is no such thing. */
export function unseenFinding(text: string): Finding[] {
  const kinds = unseenKinds(text);
  if (kinds.length === 0) return [];
  const message = `with action "allow" this policy also restricts ${inWords(kinds)}. The service does not list these, so what it would block of them was not looked at: open the pages with action "log" first.`;
  return [{ severity: "warning", code: "csp-not-looked-at", property: "", message }];
}

function inWords(kinds: readonly string[]): string {
  const [last = "", ...before] = [...kinds].reverse();
  return before.length === 0 ? last : `${before.reverse().join(", ")} and ${last}`;
}
