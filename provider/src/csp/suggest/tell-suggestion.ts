import { shownList } from "../../text/listed";
import { shown } from "../../text/shown";
import type { Excluded } from "./exclusion";
import type { Merged } from "./merged-hosts";
import type { Narrowed } from "./narrowing";
import type { Suggestion } from "./suggest";
import { withoutCovered } from "./suggested-source";
import type { DocumentedSources } from "./vendors";

/** One thing to say of a suggestion, fit for a terminal or a CI log. */
export interface SuggestionRemark {
  /** Stable: `still-allowed`, `left-out-malicious`, the name of a lint rule; `docs/commands/suggest.md` has them. */
  readonly code: string;
  /** A warning is what a reader must not miss: what is allowed or will break. */
  readonly severity: "warning" | "note";
  readonly text: string;
}

/** A suggestion in words, each line fit for a terminal or a CI log. */
export interface ToldSuggestion {
  /**
   * What a reader must not miss: what is allowed although it is not suggested, findings of severity high, and
   * what the policy will break.
   */
  readonly warnings: readonly string[];
  /** Sources that are narrower or wider than asked for, what is not allowed, and what no list shows. */
  readonly notes: readonly string[];
}

/**
 * Says what a suggestion leaves out, what it cannot keep out, and what else it will break. Show the warnings before the
 * suggestion itself.
 *
 * @example
 * ```ts
 * for (const line of tellSuggestion(suggest(scripts, connections)).warnings) console.warn(line);
 * ```
 */
export function tellSuggestion(suggestion: Suggestion): ToldSuggestion {
  const remarks = remarksOn(suggestion);
  const of = (wanted: SuggestionRemark["severity"]) =>
    remarks.filter(({ severity }) => severity === wanted).map(({ text }) => text);
  return { warnings: of("warning"), notes: of("note") };
}

/** As `tellSuggestion`, with a code for each line. */
export function remarksOn(suggestion: Suggestion): readonly SuggestionRemark[] {
  const { excluded, findings, narrowed, merged, documented, bytes, maxBytes, ofOneRelease, unseen } =
    suggestion;
  const allowed = excluded.filter(({ allowedBy }) => allowedBy !== undefined);
  const blocked = excluded.filter(({ allowedBy }) => allowedBy === undefined);
  return [
    ...allowed.map((one) =>
      warning("still-allowed", `STILL ALLOWED, by ${shown(one.allowedBy ?? "")}: ${described(one)}`),
    ),
    ...findings.map(({ ruleId, message }) => warning(ruleId, `STILL UNSAFE: ${message} (${ruleId})`)),
    ...(narrowed.some(({ source }) => source === "'self'") ? [warning("narrowed-self", narrowedSelf)] : []),
    ...(bytes > maxBytes ? [warning("too-long", tooLong(bytes, maxBytes))] : []),
    ...(ofOneRelease.length > 0 ? [warning("of-one-release", oneRelease(ofOneRelease))] : []),
    ...merged.map((one) => note("merged", mergedLine(one))),
    ...askedFor(narrowed).map((one) => note(`narrowed-${one.reason}`, narrowedLine(one))),
    ...blocked.map((one) => note(`left-out-${one.reason}`, `Not allowed: ${described(one)}`)),
    ...documented.map((one) => note("documented", documentedLine(one))),
    ...(unseen.length > 0 ? [note("also-restricted", alsoRestricted(unseen))] : []),
  ];
}

function warning(code: string, text: string): SuggestionRemark {
  return { code, severity: "warning", text };
}

function note(code: string, text: string): SuggestionRemark {
  return { code, severity: "note", text };
}

const narrowedSelf =
  "NARROWED: 'self' also allows something malicious, so paths or URLs of your own host replace it. What you add elsewhere on your host is blocked: remove the malicious file and run suggest again.";

function tooLong(bytes: number, maxBytes: number): string {
  return `TOO LONG: the policy has ${bytes} bytes, more than ${maxBytes}, and is sent with every page. Remove hosts that are not needed from the pages, or write a policy for each host (--host).`;
}

function oneRelease(sources: readonly string[]): string {
  return `BREAKS WITH THE NEXT RELEASE: ${shownList(sources, { most: 10 })}. Each names a version, a build, a date or an id, and nothing wider is safe or was requested: run suggest again before the vendor's next release, or serve the file from your own host.`;
}

function described({ kind, item, message }: Excluded): string {
  const page = item.firstPageUrl === undefined ? "an unknown page" : shown(item.firstPageUrl);
  return `${kind} ${shown(item.url)}, ${shown(message)}; seen on ${page}.`;
}

const reasonTexts: Readonly<Record<Narrowed["reason"], string>> = {
  malicious: "also allows something malicious",
  "anyone-publishes": "allows scripts that anyone can publish there",
  bypass: "is known to let scripts bypass policies",
};

/** Those that the others are only parts of. */
function askedFor(narrowed: readonly Narrowed[]): readonly Narrowed[] {
  const widest = new Set(withoutCovered(new Set(narrowed.map(({ source }) => source))));
  return narrowed.filter(({ source }) => source !== "'self'" && widest.has(source));
}

function narrowedLine({ source, reason }: Narrowed): string {
  return `Narrower than requested: ${shown(source)} ${reasonTexts[reason]}, so paths or URLs replace it.`;
}

function mergedLine({ wildcard, sources, saved }: Merged): string {
  return `Wider than requested: ${shown(wildcard)} replaces ${shownList(sources, { most: 5 })}. This saves ${saved} bytes, but allows every host below that domain.`;
}

function documentedLine({ vendor, reference, directive, sources }: DocumentedSources): string {
  return `Not seen: ${vendor} documents ${directive} ${sources.join(" ")} as well, see ${reference}.`;
}

/** A script that creates a worker from text needs `blob:`, which no list shows. */
function alsoRestricted(kinds: readonly string[]): string {
  const named = kinds.map((kind) => (kind === "workers" ? "workers, also of blob:" : kind));
  return `Also restricted, and in no list: ${named.join(", ")}. Read the reports of the policy in log before you enforce it.`;
}
