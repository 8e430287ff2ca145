import { shown } from "../text/shown";
import type { Excluded } from "./exclusion";
import type { Narrowed } from "./narrowing";
import type { Suggestion } from "./suggest";

/** A suggestion in words, each line fit for a terminal or a CI log. */
export interface ToldSuggestion {
  /** What a reader must not miss: what is allowed although it is not suggested, and what lint finds of severity high. */
  readonly warnings: readonly string[];
  /** Sources that are narrower than asked for, and what is not allowed. */
  readonly notes: readonly string[];
}

/**
 * Says what a suggestion leaves out and what it cannot keep out. Show the warnings before the suggestion itself.
 *
 * @example
 * ```ts
 * for (const line of tellSuggestion(suggest(scripts, connections)).warnings) console.warn(line);
 * ```
 */
export function tellSuggestion({ excluded, findings, narrowed }: Suggestion): ToldSuggestion {
  const allowed = excluded.filter(({ allowedBy }) => allowedBy !== undefined);
  const blocked = excluded.filter(({ allowedBy }) => allowedBy === undefined);
  return {
    warnings: [
      ...allowed.map((one) => `STILL ALLOWED, by ${shown(one.allowedBy ?? "")}: ${described(one)}`),
      ...findings.map(({ ruleId, message }) => `STILL UNSAFE: ${message} (${ruleId})`),
    ],
    notes: [...narrowed.map(narrowedLine), ...blocked.map((one) => `Not allowed: ${described(one)}`)],
  };
}

function described({ kind, item, message }: Excluded): string {
  const page = item.firstPageUrl === undefined ? "an unknown page" : shown(item.firstPageUrl);
  return `${kind} ${shown(item.url)}, ${shown(message)}; on ${page}.`;
}

function narrowedLine({ source, reason }: Narrowed): string {
  const why =
    reason === "malicious"
      ? "also allows something malicious"
      : "is known to let scripts get around policies";
  return `Narrower than asked for: ${shown(source)} ${why}, so paths or URLs stand in for it.`;
}
